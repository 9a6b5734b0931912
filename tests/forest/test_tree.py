"""One split is the best of all splits, and trees stop where they must."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from forest_oracles import (
    COLUMNS,
    NUMBERS,
    QUICK,
    best_impurity,
    impurity,
    make_target,
    mixed_table,
    tables,
)
from latentforest.forest import SupervisedForest
from latentforest.table import EncodedTable

# Brute force over all sets of levels: few levels only.
MANY_LEVELS = {name for name in COLUMNS if name.endswith("levels")} - {
    "5 levels",
    "rare levels",
}
FEW_LEVELS = tuple(name for name in COLUMNS if name not in MANY_LEVELS)


def grow_one(encoded, y, **params):
    """One tree that may use every column; the forest, its trees and its leaves."""
    forest = SupervisedForest(1, max_features=None, n_jobs=1, **params)
    grown = forest.grow(encoded, y, np.random.default_rng(0))
    return forest, grown.forest, grown.leaf_ids[:, 0]


def check_best_split(encoded, y, *, classify, min_leaf, bootstrap):
    task = "classification" if classify else "regression"
    forest, trees, leaves = grow_one(
        encoded,
        y,
        task=task,
        max_depth=1,
        min_samples_leaf=min_leaf,
        bootstrap=bootstrap,
    )
    # A row that is drawn twice counts as two rows.
    drawn = np.repeat(np.arange(len(y)), forest.in_bag_[:, 0])
    values, y, leaves = encoded.values[drawn], y[drawn], leaves[drawn]
    split_levels = encoded.schema.split_levels
    wanted = best_impurity(
        values, split_levels, y, classify=classify, min_leaf=min_leaf
    )
    if wanted is None or len(np.unique(y)) == 1:
        assert trees.n_leaves == 1
        return
    assert trees.n_leaves == 2
    assert np.bincount(leaves - leaves.min()).min() >= min_leaf
    assert impurity(y, leaves, classify=classify) == pytest.approx(wanted, abs=1e-9)


@given(
    tables(names=FEW_LEVELS, min_rows=2, max_rows=50),
    st.sampled_from(["two classes", "regression"]),
    st.integers(1, 4),
    st.booleans(),
    st.integers(0, 99),
)
@QUICK
def test_split_is_the_best_of_all(encoded, sort, min_leaf, bootstrap, seed):
    y = make_target(sort, encoded.n_rows, seed)
    # Levels ordered by their response contain the best of all splits, but not the
    # best of those that leave several rows on both sides.
    has_category = encoded.schema.split_levels.any()
    check_best_split(
        encoded,
        y,
        classify=sort != "regression",
        min_leaf=1 if has_category else min_leaf,
        bootstrap=bootstrap,
    )


@given(tables(names=NUMBERS, min_rows=2, max_rows=50), st.integers(0, 99))
@QUICK
def test_split_of_three_classes_is_the_best_of_all(encoded, seed):
    y = make_target("three classes", encoded.n_rows, seed)
    check_best_split(encoded, y, classify=True, min_leaf=1, bootstrap=False)


def test_large_mean_does_not_drown_the_gain():
    encoded = mixed_table(["continuous", "continuous"], 40)
    y = (encoded.values[:, 1] > 0) + 1e9
    leaves = grow_one(encoded, y, task="regression", bootstrap=False, max_depth=1)[2]
    assert impurity(y, leaves, classify=False) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("n_rows", [10, 30])
@pytest.mark.parametrize("known", [[1, 1], [0.5, 0.5], [1, 2]])
def test_missing_cells_alone_make_a_side(n_rows, known):
    encoded = mixed_table(["ties"], n_rows, missing=0.5)
    missing = np.isnan(encoded.values[:, 0])
    y = np.where(missing, 0, np.resize(known, n_rows))
    _, trees, leaves = grow_one(encoded, y, bootstrap=False, max_depth=1)
    np.testing.assert_array_equal(leaves == leaves[missing][0], missing)
    # Values beyond those seen stay with the known cells.
    new = trees.leaves(np.array([[np.nan], [1e9], [-1e9]]), n_jobs=1)[:, 0]
    np.testing.assert_array_equal(
        new, [leaves[missing][0], leaves[~missing][0], leaves[~missing][0]]
    )


def test_threshold_is_halfway_between_the_values_in_the_node():
    encoded = mixed_table(["continuous"], 20)
    encoded.values[:, 0] = [*range(10), *range(30, 40)]
    _, trees, _ = grow_one(encoded, np.repeat([0, 1], 10), bootstrap=False)
    assert trees.threshold[0] == 19.5


@pytest.mark.parametrize("first", [2, 6])
@pytest.mark.parametrize("name", ["5 levels", "continuous"])
def test_cells_that_no_row_of_the_node_has_follow_the_larger_side(name, first):
    encoded = mixed_table([name], 8)
    y = np.repeat([0, 1], [first, 8 - first])
    encoded.values[:, 0] = y
    _, trees, leaves = grow_one(encoded, y, bootstrap=False)
    absent = [[np.nan], [3.0]] if name == "5 levels" else [[np.nan]]
    np.testing.assert_array_equal(
        trees.leaves(np.array(absent), n_jobs=1)[:, 0], leaves[4]
    )


@pytest.mark.parametrize("names", [["constant"], ["all missing"], ["1 level"]])
@pytest.mark.parametrize("n_rows", [1, 2, 20])
def test_nothing_to_split_on_leaves_one_leaf(names, n_rows):
    y = np.arange(n_rows) % 2
    trees = grow_one(mixed_table(names, n_rows), y, bootstrap=False)[1]
    assert (trees.n_leaves, len(trees.left)) == (1, 1)


def test_pure_nodes_are_left_alone():
    encoded = mixed_table(["continuous"], 30)
    assert grow_one(encoded, np.full(30, 1.5), bootstrap=False)[1].n_leaves == 1
    assert grow_one(encoded, np.full(30, "a"), bootstrap=False)[1].n_leaves == 1


@given(
    tables(names=("continuous", "ties", "integer"), min_rows=2, max_rows=60),
    st.integers(0, 99),
)
@QUICK
def test_full_trees_are_as_pure_as_those_of_scikit_learn(encoded, seed):
    # Single precision, as scikit-learn splits in it.
    values = encoded.values.astype(np.float32).astype(np.float64)
    encoded = EncodedTable(encoded.schema, values)
    for sort, kind in (
        ("three classes", DecisionTreeClassifier),
        ("regression", DecisionTreeRegressor),
    ):
        classify = sort != "regression"
        y = make_target(sort, encoded.n_rows, seed)
        assume(len(np.unique(y)) > 1)
        ours = grow_one(encoded, y, bootstrap=False)[2]
        theirs = kind(random_state=0).fit(values, y).apply(values)
        # Theirs may be less pure: scikit-learn before 1.8 overlooks some splits by
        # what is missing.
        pure = impurity(y, theirs, classify=classify)
        assert impurity(y, ours, classify=classify) <= pure + 1e-9


def test_large_nodes_are_cut_near_the_best_place_and_to_the_end():
    encoded = mixed_table(["continuous"], 3_000)
    y = np.sort(encoded.values[:, 0]).searchsorted(encoded.values[:, 0]) > 1_234
    leaves = grow_one(encoded, y, bootstrap=False, max_depth=1)[2]
    wrong = impurity(y, leaves, classify=True)
    assert wrong < 3_000 / 256  # within a group of neighbouring values
    assert impurity(y, grow_one(encoded, y, bootstrap=False)[2], classify=True) == 0
    response = np.random.default_rng(0).normal(size=3_000)
    _, trees, leaves = grow_one(encoded, response, bootstrap=False)
    assert trees.n_leaves == 3_000
    assert len(np.unique(leaves)) == 3_000
