"""Bins keep the order of the values and lose nothing that a threshold could use."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import NUMBERS, QUICK, mixed_table, tables
from latentforest.forest._growing import _bins
from latentforest.forest._growing._bins import MAX_BINS, bin_table


def edges_of(table, column):
    a, b = table.start[column], table.start[column + 1]
    return table.lower[a:b], table.upper[a:b]


def check_column(table, column, codes):
    """Order, edges and the missing code of one binned column."""
    lower, upper = edges_of(table, column)
    bins, missing = table.bins[column].astype(int), np.isnan(codes)
    assert len(lower) == table.n_bins[column]
    assert (lower <= upper).all()
    assert (upper[:-1] < lower[1:]).all()
    np.testing.assert_array_equal(bins == table.n_bins[column], missing)
    bins, codes = bins[~missing], codes[~missing]
    assert (lower[bins] <= codes).all()
    assert (codes <= upper[bins]).all()


@given(tables())
@QUICK
def test_bins_keep_order_and_mark_missing(encoded):
    split_levels = encoded.schema.split_levels
    table = bin_table(encoded.values, split_levels)
    assert table.start[-1] == len(table.lower) == table.n_bins.sum()
    for column, codes in enumerate(encoded.values.T):
        check_column(table, column, codes)
        if split_levels[column]:  # a level is its own bin, present or not
            assert table.n_bins[column] == split_levels[column]
            known = ~np.isnan(codes)
            np.testing.assert_array_equal(table.bins[column][known], codes[known])
        else:  # as many bins as values: nothing is lost
            n_distinct = len(np.unique(codes[~np.isnan(codes)]))
            assert table.n_bins[column] == max(n_distinct, 1)


@given(tables(names=NUMBERS), st.integers(1, 6))
@QUICK
def test_many_values_share_bins_in_order(encoded, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_bins, "MAX_BINS", most)
        table = bin_table(encoded.values, encoded.schema.split_levels)
    assert table.n_bins.max() <= most
    for column, codes in enumerate(encoded.values.T):
        check_column(table, column, codes)


def test_more_values_than_bins():
    codes = np.random.default_rng(0).permutation(np.arange(70_000.0))[:, None]
    codes[5] = np.nan
    table = bin_table(codes, np.zeros(1, np.int32))
    assert table.n_bins[0] == MAX_BINS
    assert table.bins[0, 5] == MAX_BINS
    check_column(table, 0, codes[:, 0])
    sizes = np.bincount(table.bins[0])[:MAX_BINS]
    assert sizes.min() >= 1
    assert sizes.max() <= 2


def test_columns_without_values_or_with_one():
    encoded = mixed_table(["all missing", "constant", "1 level"], 3)
    table = bin_table(encoded.values, encoded.schema.split_levels)
    np.testing.assert_array_equal(table.n_bins, [1, 1, 1])
    np.testing.assert_array_equal(table.bins, [[1, 1, 1], [0, 0, 0], [0, 0, 0]])


def test_too_many_levels_are_refused():
    split_levels = np.array([0, MAX_BINS + 1], np.int32)
    with pytest.raises(ValueError, match=r"column 1 is a category of 65535 levels"):
        bin_table(np.zeros((2, 2)), split_levels)
