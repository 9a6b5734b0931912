"""Flat arrays check themselves and what is routed through them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from forest_oracles import QUICK, grow, mixed_table, slow_leaves, tables
from latentforest.regions import compatible_regions
from latentforest.trees import ROW_BLOCK

MIXED = ["continuous", "70 levels"]


@pytest.fixture(scope="module")
def forest():
    return grow("completely random", mixed_table(MIXED, 60, missing=0.1)).forest


@given(tables(max_rows=10))
@QUICK
def test_new_rows_follow_the_nodes(encoded):
    forest = grow("two classes", encoded).forest
    new = encoded.values[np.random.default_rng(1).permutation(encoded.n_rows)]
    numbers = encoded.schema.split_levels == 0
    new[:, numbers] += 0.25
    new[0] = np.nan
    np.testing.assert_array_equal(
        forest.leaves(new, n_jobs=1), slow_leaves(forest, new)
    )


def test_route_counts_nodes_within_trees(forest):
    values = mixed_table(MIXED, 30, seed=3).values
    nodes = forest.route(values) + forest.start[:-1]
    assert (forest.left[nodes] == -1).all()
    np.testing.assert_array_equal(forest.leaf[nodes], forest.leaves(values))


def test_blocks_and_memory_order_change_nothing(forest):
    values = mixed_table(MIXED, 2 * ROW_BLOCK + 7, missing=0.1, seed=4).values
    leaves = forest.leaves(values, n_jobs=2)
    assert leaves.dtype == np.int32
    assert leaves.flags.f_contiguous
    np.testing.assert_array_equal(forest.leaves(values, n_jobs=1), leaves)
    np.testing.assert_array_equal(forest.leaves(np.asfortranarray(values)), leaves)
    some = np.arange(0, len(values), 50)
    np.testing.assert_array_equal(forest.leaves(values[some]), leaves[some])
    assert forest.leaves(values[:0]).shape == (0, 3)


@pytest.mark.parametrize("walk", [lambda f, v: f.leaves(v), compatible_regions])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((4, 3)), r"grown on 2 columns, got an array of shape \(4, 3\)"),
        (np.zeros(2), r"got an array of shape \(2,\)"),
        (np.array([[0.0, 70.0]]), r"column 1 holds the level 70.0, but .* 0 to 69"),
        (np.array([[0.0, -1.0]]), r"column 1 holds the level -1.0"),
    ],
)
def test_values_that_do_not_fit_are_refused(forest, walk, values, message):
    with pytest.raises(ValueError, match=message):
        walk(forest, values)


def test_arrays_that_do_not_fit_are_refused(forest):
    with pytest.raises(ValueError, match=r"threshold has \d+ of \d+ nodes"):
        replace(forest, threshold=forest.threshold[:-1])
    with pytest.raises(ValueError, match=r"category has \d+ of \d+ nodes"):
        replace(forest, category=forest.category[:-1])
    with pytest.raises(ValueError, match="either by a threshold or by a set"):
        replace(forest, threshold=np.zeros_like(forest.threshold))
    with pytest.raises(ValueError, match=r"splits on column 1, but .* 1 columns"):
        replace(forest, split_levels=forest.split_levels[:1])
