import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings

from kernel_oracles import components_by_hand, disconnected_index, leaf_indices
from latentforest.kernel import LeafIndex, connected_components

IDS = np.array([[0, 2], [1, 3], [0, 3]])


def test_ids_are_kept_tree_major():
    index = LeafIndex(IDS.astype(np.int64), 4)
    assert index.ids.dtype == np.int32
    assert index.ids.flags.f_contiguous
    assert (index.n_rows, index.n_trees) == (3, 2)
    np.testing.assert_array_equal(index.ids, IDS)


def test_take_keeps_leaf_numbers():
    index = LeafIndex(IDS, 4)
    np.testing.assert_array_equal(index.take([2, 0]).ids, IDS[[2, 0]])
    np.testing.assert_array_equal(
        index.take(np.array([True, False, True])).ids, IDS[::2]
    )
    assert index.take([1]).n_leaves == 4


def test_index_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        LeafIndex(IDS, 4).n_leaves = 5


@pytest.mark.parametrize(
    ("ids", "n_leaves", "error", "match"),
    [
        (IDS, 3, ValueError, "0 … 2"),
        (IDS - 1, 4, ValueError, "run from -1"),
        (IDS[0], 4, ValueError, r"\(n_rows, n_trees\)"),
        (IDS.astype(float), 4, TypeError, "float64"),
        (IDS[:0], 4, ValueError, "at least one row"),
        (np.array([[0, 0], [1, 2]]), 4, ValueError, "tree by tree"),
    ],
)
def test_wrong_ids_are_refused(ids, n_leaves, error, match):
    with pytest.raises(error, match=match):
        LeafIndex(ids, n_leaves)


@settings(max_examples=25, deadline=None)
@given(leaf_indices(min_rows=1))
def test_components_equal_a_graph_walk(index):
    labels, count = connected_components(index)
    expected, expected_count = components_by_hand(index.ids)
    assert labels.dtype == np.int32
    assert count == expected_count
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize("sizes", [(4, 4, 7), (1, 1, 1), (9,), (2, 5, 2, 5)])
def test_components_are_numbered_by_size_then_first_row(sizes):
    index = disconnected_index(sizes, n_trees=4, leaves_each=3, seed=1)
    labels, count = connected_components(index)
    assert count == len(sizes)
    np.testing.assert_array_equal(labels, components_by_hand(index.ids)[0])
