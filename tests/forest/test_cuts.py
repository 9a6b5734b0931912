"""Cuts at random: uniform where they may be, never where they may not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from scipy.stats import kstest

from forest_oracles import QUICK, grow, mixed_table, tables
from latentforest.forest import CompletelyRandomForest
from latentforest.forest._growing._bins import bin_table
from latentforest.forest._growing._random_cuts_loops import random_cut


@njit
def cut_at_random(*args):  # which Python cannot call
    return random_cut(*args)


@pytest.mark.parametrize("n_rows", [6, 40])
def test_random_cuts_are_uniform_between_the_outer_values(n_rows):
    encoded = mixed_table(["continuous"], n_rows, seed=5)
    grown = grow(
        "completely random",
        encoded,
        n_estimators=800,
        max_depth=1,
        min_samples_leaf=2,
    )
    forest = grown.forest
    codes = np.sort(encoded.values[:, 0])
    low, high = codes[1], codes[-2]  # two rows stay on either side
    cuts = forest.threshold[forest.start[:-1]]
    assert kstest((cuts - low) / (high - low), "uniform").pvalue > 0.01


def test_columns_are_drawn_evenly_and_those_without_a_cut_are_passed_over():
    encoded = mixed_table(["continuous", "constant", "5 levels", "all missing"], 50)
    forest = grow(
        "completely random", encoded, n_estimators=600, max_depth=1, n_jobs=1
    ).forest
    counts = np.bincount(forest.feature[forest.start[:-1]], minlength=4)
    np.testing.assert_array_equal(counts[[1, 3]], 0)
    assert counts.sum() == 600
    assert abs(counts[0] - 300) < 75  # three standard deviations


def test_levels_and_missing_cells_fall_on_random_sides():
    encoded = mixed_table(["5 levels", "continuous"], 200, missing=0.2)
    forest = grow("completely random", encoded, n_estimators=400, max_depth=1).forest
    roots = forest.start[:-1]
    assert abs(forest.missing_left[roots].mean() - 0.5) < 0.1
    by_level = roots[forest.category[roots] >= 0]
    sets = forest.words[forest.category[by_level]]
    assert set(sets) == set(range(0, 32)) - {0, 31} | (set(sets) & {0, 31})
    shares = [np.mean(sets >> k & 1) for k in range(5)]
    np.testing.assert_allclose(shares, 0.5, atol=0.15)


@given(tables(min_rows=2), st.integers(1, 6), st.integers(0, 99))
@QUICK
def test_leaves_keep_enough_rows(encoded, min_leaf, seed):
    grown = grow("completely random", encoded, seed=seed, min_samples_leaf=min_leaf)
    sizes = np.bincount(grown.leaf_ids.ravel(), minlength=grown.forest.n_leaves)
    assert sizes.min() >= min(min_leaf, encoded.n_rows)


def test_full_trees_part_all_rows_that_differ():
    encoded = mixed_table(["continuous", "70 levels"], 60, missing=0.2)
    grown = grow("completely random", encoded)
    same_known = np.isnan(encoded.values[:, 0])  # only these can be alike
    sizes = np.bincount(grown.leaf_ids[~same_known].ravel())
    assert sizes.max() == 1


@pytest.mark.parametrize("values", [[1.0, 1 + 2**-52], [-1.7e308, 1.7e308]])
def test_cuts_between_values_too_near_or_too_far_to_average(values):
    """Rounding once put the cut on the upper value: one side stayed empty."""
    encoded = mixed_table(["continuous"], 12)
    encoded.values[:, 0] = np.repeat(values, 6)
    grown = grow("completely random", encoded, n_estimators=20)
    np.testing.assert_array_equal(np.bincount(grown.leaf_ids.ravel()), 6)


def test_huge_leaves_cost_nothing():
    encoded = mixed_table(["continuous"], 10)
    forest = CompletelyRandomForest(1, min_samples_leaf=10**15)
    assert forest.grow(encoded, None, np.random.default_rng(0)).forest.n_leaves == 1


@given(
    tables(names=("continuous", "ties", "integer"), min_rows=40, max_rows=90),
    st.integers(1, 45),
    st.integers(0, 99),
)
@QUICK
def test_rows_of_a_side_are_counted_as_they_are_sorted(encoded, min_leaf, seed):
    table = bin_table(encoded.values, encoded.schema.split_levels)
    state = np.array([seed], np.uint64)
    ends = (np.empty(256, np.int64), np.empty(256, np.int64))
    value = cut_at_random(
        table.bins[0],
        table.n_bins[0],
        table.lower,
        table.upper,
        0,
        min_leaf,
        ends,
        state,
    )
    codes = np.sort(encoded.values[:, 0])
    codes = codes[~np.isnan(codes)]
    if len(codes) < min_leaf or codes[min_leaf - 1] >= codes[-min_leaf]:
        assert np.isnan(value)
    else:
        assert codes[min_leaf - 1] <= value < codes[-min_leaf]


@pytest.mark.parametrize("depth", [33, 1_000, 2_500])
def test_sides_of_many_rows_are_found_among_many_bins(depth):
    codes = np.random.default_rng(0).standard_cauchy((5_000, 1))
    table = bin_table(codes, np.zeros(1, np.int32))
    lowest = np.sort(codes[:, 0])
    ends = (np.empty(256, np.int64), np.empty(256, np.int64))
    cuts = [
        cut_at_random(
            table.bins[0],
            table.n_bins[0],
            table.lower,
            table.upper,
            0,
            depth,
            ends,
            np.array([seed], np.uint64),
        )
        for seed in range(200)
    ]
    low, high = lowest[depth - 1], lowest[-depth]
    assert min(cuts) >= low
    assert max(cuts) < high
    share = (np.array(cuts) - low) / (high - low)
    assert kstest(share, "uniform").pvalue > 0.01
