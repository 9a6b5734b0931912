"""Laws of every forest that we grow, whatever makes its splits."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import (
    GROWERS,
    NUMBERS,
    QUICK,
    depth_of,
    grow,
    make_grower,
    make_target,
    mixed_table,
    same_forest,
    slow_leaves,
    tables,
)
from latentforest.forest import ShiHorvathForest, SupervisedForest
from latentforest.forest._growing import _bins
from latentforest.forest._growing._tree_loops import grow_tree
from latentforest.table import EncodedTable, TableSchema

MIXED = ["continuous", "5 levels", "integer", "70 levels", "ordered", "boolean"]

every_grower = pytest.mark.parametrize("sort", GROWERS)


def check_trees(forest):
    """Proper binary trees, children after parents, leaves numbered in order."""
    np.testing.assert_array_equal(
        forest.leaf[forest.leaf >= 0], np.arange(forest.n_leaves)
    )
    for tree in range(forest.n_trees):
        nodes = slice(forest.start[tree], forest.start[tree + 1])
        left, right = forest.left[nodes], forest.right[nodes]
        inner = np.flatnonzero(left >= 0)
        np.testing.assert_array_equal(inner, np.flatnonzero(right >= 0))
        np.testing.assert_array_equal(inner, np.flatnonzero(forest.leaf[nodes] < 0))
        np.testing.assert_array_equal(inner, np.flatnonzero(forest.feature[nodes] >= 0))
        children = np.concatenate([left[inner], right[inner]])
        np.testing.assert_array_equal(np.sort(children), np.arange(1, len(left)))
        assert (left[inner] > inner).all()
        assert (right[inner] > inner).all()
        by_level = forest.category[nodes][inner] >= 0
        splits_levels = forest.split_levels[forest.feature[nodes][inner]] > 0
        np.testing.assert_array_equal(by_level, splits_levels)
        # A threshold that is not a number marks a set of levels.
        np.testing.assert_array_equal(
            np.isnan(forest.threshold[nodes][inner]), by_level
        )


@every_grower
@given(encoded=tables(), seed=st.integers(0, 99))
@QUICK
def test_rows_lie_where_routing_takes_them(sort, encoded, seed):
    grown = grow(sort, encoded, seed=seed)
    check_trees(grown.forest)
    leaves = grown.forest.leaves(encoded.values, n_jobs=1)
    np.testing.assert_array_equal(leaves, grown.leaf_ids)
    np.testing.assert_array_equal(leaves, slow_leaves(grown.forest, encoded.values))


@every_grower
@given(encoded=tables(names=NUMBERS), seed=st.integers(0, 99))
@QUICK
def test_rows_lie_where_routing_takes_them_with_shared_bins(sort, encoded, seed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_bins, "MAX_BINS", 5)
        grown = grow(sort, encoded, seed=seed)
    check_trees(grown.forest)
    leaves = grown.forest.leaves(encoded.values, n_jobs=1)
    np.testing.assert_array_equal(leaves, grown.leaf_ids)


@every_grower
def test_rows_lie_where_routing_takes_them_in_large_nodes(sort):
    # More values than groups: cuts are searched between groups of values.
    encoded = mixed_table(["continuous", "70 levels", "continuous"], 700, missing=0.1)
    grown = grow(sort, encoded)
    check_trees(grown.forest)
    leaves = grown.forest.leaves(encoded.values, n_jobs=1)
    np.testing.assert_array_equal(leaves, grown.leaf_ids)


@pytest.mark.parametrize("sort", ["completely random", "regression"])
def test_rows_lie_where_routing_takes_them_past_the_largest_bin(sort):
    encoded = mixed_table(["continuous"], 70_000)
    grown = grow(sort, encoded, n_estimators=1, max_depth=8)
    leaves = grown.forest.leaves(encoded.values)
    np.testing.assert_array_equal(leaves, grown.leaf_ids)
    assert grown.forest.n_leaves > 100


@pytest.mark.parametrize("sort", sorted(GROWERS.keys() - {"completely random"}))
def test_levels_that_no_row_has_change_nothing(sort):
    # Few rows and thousands of levels are grouped in another way.
    few = mixed_table(["continuous", "5 levels", "70 levels"], 150, missing=0.1)
    columns = [
        replace(spec, levels=tuple(range(97 * len(spec.levels))))
        for spec in few.schema.columns
    ]
    values = few.values * np.where(few.schema.is_number, 1.0, 97.0)
    many = EncodedTable(TableSchema(tuple(columns)), values)
    grown = grow(sort, many)
    np.testing.assert_array_equal(grown.leaf_ids, grow(sort, few).leaf_ids)
    assert (grown.forest.category >= 0).sum() > 20


@every_grower
def test_no_leaf_is_empty(sort):
    grown = grow(sort, mixed_table(MIXED, 80, missing=0.1))
    counts = np.bincount(grown.leaf_ids.ravel(), minlength=grown.forest.n_leaves)
    if sort != "shi horvath":  # its leaves may hold only rows of the bootstrap
        assert counts.min() >= 1
    assert counts.sum() == 80 * 3


@pytest.mark.parametrize("sort", sorted(GROWERS.keys() - {"adversarial"}))
def test_depth_is_respected(sort):
    encoded = mixed_table(MIXED, 100)
    forest = grow(sort, encoded, max_depth=3).forest
    assert [depth_of(forest, tree) for tree in range(3)] == [3, 3, 3]
    assert depth_of(grow(sort, encoded).forest, 0) > 3


@every_grower
def test_seed_decides_and_threads_do_not(sort):
    encoded = mixed_table(MIXED, 60, missing=0.1)
    one = grow(sort, encoded, seed=1, n_estimators=6)
    two = grow(sort, encoded, seed=1, n_estimators=6, n_jobs=2)
    assert same_forest(one.forest, two.forest)
    np.testing.assert_array_equal(one.leaf_ids, two.leaf_ids)
    y = make_target(sort, 60, 1)
    other = make_grower(sort, n_estimators=6).grow(encoded, y, np.random.default_rng(2))
    assert not same_forest(one.forest, other.forest)
    first, second = one.forest.start[:2]
    third = one.forest.start[2]
    assert not np.array_equal(
        one.forest.threshold[first:second],
        one.forest.threshold[second:third],
        equal_nan=True,
    )


@every_grower
def test_nothing_else_is_touched(sort):
    encoded = mixed_table(MIXED, 40, missing=0.1)
    y, before = make_target(sort, 40), encoded.values.copy()
    kept, state = y.copy(), np.random.get_state()[1].copy()  # noqa: NPY002
    make_grower(sort, random_state=3).fit(encoded.values, y)
    make_grower(sort).grow(encoded, y, np.random.default_rng(0))
    np.testing.assert_array_equal(encoded.values, before)
    np.testing.assert_array_equal(y, kept)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_the_grower_is_compiled_once_per_task():
    """Every array that reaches it has one dtype and layout, whatever users pass."""
    column = pd.Series(np.arange(12.0))
    for X in (column.to_frame(), np.asfortranarray(np.random.rand(12, 2))):  # noqa: NPY002
        for y in (column / 3, np.arange(24.0)[::2] / 3, np.arange(12)[::-1] % 3):
            SupervisedForest(2, max_depth=np.int32(3), max_features=np.int64(1)).fit(
                X, y
            )
    for n_rows in (1, 2):
        for sort in GROWERS:
            grow(sort, mixed_table(["continuous", "5 levels"], n_rows))
            grow(sort, mixed_table(["5 levels"], n_rows))
    ShiHorvathForest(np.int64(2), min_samples_leaf=np.int32(2)).fit(
        pd.DataFrame({"a": list("abcabcabc"), "b": range(9)})
    )
    assert len(grow_tree.signatures) == 2  # classes, and numbers


def takes(sort, params):
    return params.keys() <= make_grower(sort).get_params().keys()


BAD = [
    ({"n_estimators": 0}, ValueError, "n_estimators=0 is too small"),
    ({"n_estimators": 2.0}, TypeError, "n_estimators=2.0 is a float"),
    ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf=0 is too small"),
    ({"max_depth": 0}, ValueError, "max_depth=0 is too small"),
    ({"max_features": "foo"}, ValueError, "max_features='foo' does not fit 3 columns"),
    ({"max_features": 99}, ValueError, "max_features=99 does not fit"),
    ({"max_features": 0}, ValueError, "max_features=0 does not fit"),
    ({"max_features": True}, ValueError, "max_features=True does not fit"),
    ({"max_features": 1.5}, ValueError, "max_features=1.5 does not fit"),
    ({"max_rounds": -1}, ValueError, "max_rounds=-1 is too small"),
    ({"delta": -0.1}, ValueError, "delta=-0.1 is too small"),
    ({"task": "rank"}, ValueError, "task='rank' is not known"),
    ({"n_jobs": 0}, ValueError, "n_jobs=0 has no meaning"),
]


@pytest.mark.parametrize(
    ("sort", "params", "error", "message"),
    [(sort, *bad) for sort in GROWERS for bad in BAD if takes(sort, bad[0])],
)
def test_bad_parameters_are_refused(sort, params, error, message, monkeypatch):
    # Before growing: the compiled grower is not there to be called.
    monkeypatch.setattr("latentforest.forest._growing._grow.grow_tree", None)
    forest = make_grower(sort, **params)
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(error, match=message):
        forest.fit(X, make_target(sort, 20))


@pytest.mark.parametrize(
    ("max_features", "n_columns"),
    [("sqrt", 3), ("log2", 3), (None, 10), (0.5, 5), (0.01, 1), (1.0, 10), (1, 1)],
)
def test_columns_tried_per_split(max_features, n_columns):
    from latentforest.forest._growing._grow import split_rules

    encoded = mixed_table(["continuous"] * 10, 5)
    table = _bins.bin_table(encoded.values, encoded.schema.split_levels)
    assert split_rules(table, max_features=max_features).n_candidates == n_columns
