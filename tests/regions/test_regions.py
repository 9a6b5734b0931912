"""Regions hold their rows, and rows made in them fall into the same leaves."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesRegressor

from forest_oracles import (
    GROWERS,
    QUICK,
    grow,
    mixed_table,
    slow_region,
    tables,
)
from latentforest.forest import from_sklearn
from latentforest.regions import column_facts, compatible_regions, rows_in_regions
from latentforest.trees import ROW_BLOCK, ForestArrays

MIXED = ["continuous", "5 levels", "integer", "70 levels", "ordered"]

every_grower = pytest.mark.parametrize("sort", GROWERS)
both_ways = pytest.mark.parametrize("how", ["draw", "middle"])


def facts_of(encoded):
    kinds = [str(column.kind) for column in encoded.schema.columns]
    whole = np.array([kind != "continuous" for kind in kinds])
    return column_facts(encoded.values, encoded.schema.split_levels, whole)


def make_rows(forest, encoded, how, *, values=None, seed=0, n_jobs=1):
    rows = encoded.values if values is None else values
    return rows_in_regions(
        forest,
        rows,
        forest.leaves(rows),
        facts_of(encoded),
        how=how,
        rng=np.random.default_rng(seed),
        n_jobs=n_jobs,
    )


@every_grower
@given(encoded=tables(max_rows=20), seed=st.integers(0, 99))
@QUICK
def test_regions_are_where_the_leaves_of_a_row_meet(sort, encoded, seed):
    forest = grow(sort, encoded, seed=seed).forest
    regions = compatible_regions(forest, encoded.values, n_jobs=1)
    allowed = [
        regions.has_level(column) if n_levels else None
        for column, n_levels in enumerate(forest.split_levels)
    ]
    for i, row in enumerate(encoded.values):
        lower, upper, sets = slow_region(forest, row)
        np.testing.assert_array_equal(regions.lower[i], lower)
        np.testing.assert_array_equal(regions.upper[i], upper)
        known = ~np.isnan(row)
        by_level = forest.split_levels > 0
        numbers = known & ~by_level
        assert (lower[numbers] < row[numbers]).all()
        assert (row[numbers] <= upper[numbers]).all()
        for column in np.flatnonzero(by_level):
            assert set(np.flatnonzero(allowed[column][i])) == sets[column]
            assert not known[column] or row[column] in sets[column]


@both_ways
@every_grower
@given(encoded=tables(max_rows=25), seed=st.integers(0, 99))
@QUICK
def test_rows_made_in_a_region_fall_into_its_leaves(sort, how, encoded, seed):
    grown = grow(sort, encoded, seed=seed)
    made = make_rows(grown.forest, encoded, how, seed=seed)
    np.testing.assert_array_equal(grown.forest.leaves(made, n_jobs=1), grown.leaf_ids)
    np.testing.assert_array_equal(np.isnan(made), np.isnan(encoded.values))
    for column, spec in enumerate(encoded.schema.columns):
        known = ~np.isnan(encoded.values[:, column])
        cells, real = made[known, column], encoded.values[known, column]
        if not known.any():
            continue
        assert real.min() <= cells.min()
        assert cells.max() <= real.max()
        if str(spec.kind) != "continuous":
            np.testing.assert_array_equal(cells, np.round(cells))
        if encoded.schema.split_levels[column]:
            assert np.isin(cells, real).all()


@both_ways
def test_rows_made_from_a_foreign_forest_fall_into_its_leaves(how):
    encoded = mixed_table(["continuous", "integer", "ties"], 80)
    target = np.random.default_rng(0).normal(size=80)
    model = ExtraTreesRegressor(10, random_state=0).fit(encoded.values, target)
    made = make_rows(from_sklearn(model), encoded, how)
    np.testing.assert_array_equal(model.apply(made), model.apply(encoded.values))


@both_ways
def test_new_rows_beyond_the_range_come_back_into_it(how):
    encoded = mixed_table(MIXED, 60, missing=0.2)
    forest = grow("regression", encoded).forest
    new = encoded.values.copy()
    new[:30, [0, 2, 4]] = 1e6
    new[30:, [0, 2, 4]] = -1e6
    made = make_rows(forest, encoded, how, values=new)
    np.testing.assert_array_equal(forest.leaves(made), forest.leaves(new))
    assert np.abs(made[:, [0, 2, 4]]).max() < 20


@both_ways
def test_levels_without_training_rows_keep_their_leaves(how):
    """No seen level may share their side: level 0 was taken, wherever it lies."""
    encoded = mixed_table(["rare levels", "continuous"], 60)
    forest = grow("completely random", encoded, n_estimators=20).forest
    new = np.column_stack([np.arange(40.0), np.zeros(40)])
    made = make_rows(forest, encoded, how, values=new)
    np.testing.assert_array_equal(forest.leaves(made), forest.leaves(new))


@both_ways
def test_columns_that_no_tree_splits_get_mean_or_mode(how):
    encoded = mixed_table(["continuous", "integer", "5 levels", "constant"], 40)
    forest = grow("regression", mixed_table(["constant"] * 3, 5)).forest
    forest = replace(forest, split_levels=encoded.schema.split_levels)
    made = make_rows(forest, encoded, how)
    values = encoded.values
    assert made[:, 0] == pytest.approx(values[:, 0].mean())
    np.testing.assert_array_equal(made[:, 1], np.round(values[:, 1].mean()))
    mode = np.bincount(values[:, 2].astype(int)).argmax()
    np.testing.assert_array_equal(made[:, 2], mode)
    np.testing.assert_array_equal(made[:, 3], 0.1)


def hand_made_forest():
    """One tree that bounds a row by 0.2 < x0 <= 0.8, x1 <= 3.5 and x2 in {0, 2, 4}."""
    nan, none = np.nan, np.full(9, -1)
    inner = {0: (0, 0.8, 1, 2), 1: (0, 0.2, 3, 4), 4: (1, 3.5, 5, 6), 5: (2, nan, 7, 8)}
    leaf = (-1, nan, -1, -1)
    nodes = np.array([inner.get(node, leaf) for node in range(9)])
    feature, left, right = nodes[:, [0, 2, 3]].T.astype(np.int32)
    is_leaf = left < 0
    return ForestArrays(
        start=np.array([0, 9]),
        left=left,
        right=right,
        feature=feature,
        threshold=nodes[:, 1],
        missing_left=np.zeros(9, bool),
        category=np.where(feature == 2, 0, none),
        words=np.array([0b10101], np.uint32),
        leaf=np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(np.int32),
        split_levels=np.array([0, 0, 5], np.int32),
    )


def test_draws_are_uniform_in_the_region():
    encoded = mixed_table(["continuous", "integer", "5 levels"], 500)
    values = np.tile([0.5, 0.0, 2.0], (3_000, 1))
    made = make_rows(hand_made_forest(), encoded, "draw", values=values)
    parts = np.bincount(((made[:, 0] - 0.2) / 0.6 * 10).astype(int).clip(0, 9))
    np.testing.assert_allclose(parts, 300, rtol=0.25)
    numbers, counts = np.unique(made[:, 1], return_counts=True)
    np.testing.assert_array_equal(numbers, np.arange(-5, 4))  # -5 is the smallest seen
    np.testing.assert_allclose(counts, 3_000 / 9, rtol=0.25)
    levels, counts = np.unique(made[:, 2], return_counts=True)
    np.testing.assert_array_equal(levels, [0, 2, 4])
    np.testing.assert_allclose(counts, 1_000, rtol=0.25)


def test_the_middle_is_halfway_or_most_frequent():
    encoded = mixed_table(["continuous", "integer", "5 levels"], 500)
    values = np.array([[0.5, 0.0, 2.0], [0.5, 0.0, 1.0]])
    made = make_rows(hand_made_forest(), encoded, "middle", values=values)
    np.testing.assert_allclose(made[:, :2], [[0.5, -1.0]] * 2)
    counts = np.bincount(encoded.values[:, 2].astype(int))
    assert made[0, 2] == 2 * counts[[0, 2, 4]].argmax()
    assert made[1, 2] == [1, 3][counts[[1, 3]].argmax()]


def test_seed_decides_and_threads_do_not():
    encoded = mixed_table(MIXED, 2 * ROW_BLOCK + 5, missing=0.1)
    forest = grow("completely random", encoded, min_samples_leaf=20).forest
    one = make_rows(forest, encoded, "draw", seed=1)
    two = make_rows(forest, encoded, "draw", seed=1, n_jobs=2)
    np.testing.assert_array_equal(one, two)
    other = make_rows(forest, encoded, "draw", seed=2)
    assert not np.array_equal(one, other, equal_nan=True)
    same = compatible_regions(forest, encoded.values, n_jobs=2)
    np.testing.assert_array_equal(
        same.levels, compatible_regions(forest, encoded.values, n_jobs=1).levels
    )


@given(tables())
@QUICK
def test_facts_are_those_of_the_column(encoded):
    facts = facts_of(encoded)
    for column, codes in enumerate(encoded.values.T):
        seen = codes[~np.isnan(codes)]
        n_levels = encoded.schema.split_levels[column]
        before = encoded.schema.split_levels[:column].sum()
        level_counts = facts.level_counts[before : before + n_levels]
        assert len(level_counts) == n_levels
        if len(seen) == 0:
            assert np.isnan([facts.lower[column], facts.centre[column]]).all()
            continue
        assert facts.lower[column] == seen.min() <= facts.centre[column]
        assert facts.upper[column] == seen.max() >= facts.centre[column]
        if n_levels:
            counts = [np.sum(seen == level) for level in range(n_levels)]
            np.testing.assert_array_equal(level_counts, counts)
            assert facts.centre[column] == np.argmax(counts)
