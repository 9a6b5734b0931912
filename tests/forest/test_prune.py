"""Pruning takes out small leaves, and nothing but them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import QUICK, grow, tables
from latentforest.forest._growing._bins import bin_table
from latentforest.forest._growing._prune import prune_tree
from latentforest.trees import Tree, join_trees


def grow_one(encoded, seed=0):
    """Tree of an adversarial forest before it is pruned, and its table."""
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "latentforest.forest._adversarial.prune_tree",
            lambda tree, table, min_rows: seen.append((tree, table)) or tree,
        )
        grow(
            "adversarial",
            encoded,
            seed=seed,
            n_estimators=1,
            min_samples_leaf=1,
            max_features=None,
            max_rounds=0,
        )
    return seen[0]


@given(tables(), st.integers(1, 10), st.integers(0, 99))
@QUICK
def test_small_leaves_give_way(encoded, min_rows, seed):
    tree, table = grow_one(encoded, seed)
    before = tree.leaf_of.copy()
    pruned = prune_tree(tree, table, min_rows)
    np.testing.assert_array_equal(tree.leaf_of, before)
    leaves = np.flatnonzero(pruned.left < 0)
    sizes = np.bincount(pruned.leaf_of, minlength=len(pruned.left))
    assert sizes[leaves].min() >= min(min_rows, encoded.n_rows)
    assert sizes[pruned.left >= 0].sum() == 0
    # The leaves that are left are where the pruned tree takes the rows.
    forest = join_trees([pruned], table.split_levels)
    routed = forest.route(encoded.values, n_jobs=1)[:, 0]
    np.testing.assert_array_equal(routed, pruned.leaf_of)
    # Rows of a leaf that was large enough stay together, and apart from others.
    large = np.flatnonzero(np.bincount(before) >= min_rows)
    stayed = [np.unique(pruned.leaf_of[before == leaf]) for leaf in large]
    assert all(len(nodes) == 1 for nodes in stayed)
    assert len(np.unique(stayed)) == len(large)


@given(tables())
@QUICK
def test_trees_without_small_leaves_stay(encoded):
    tree, table = grow_one(encoded)
    least = np.bincount(tree.leaf_of, minlength=len(tree.left))[tree.left < 0].min()
    pruned = prune_tree(tree, table, least)
    assert len(pruned.left) == len(tree.left)
    # Nodes may be numbered anew: same parts, same splits.
    pairs = set(zip(pruned.leaf_of, tree.leaf_of, strict=True))
    assert len(pairs) == len(np.unique(tree.leaf_of)) == len(np.unique(pruned.leaf_of))
    np.testing.assert_array_equal(np.sort(pruned.feature), np.sort(tree.feature))


@pytest.mark.parametrize(
    ("cuts", "leaf_of", "kept", "wanted"),
    [
        # A small leaf: its sibling's branch takes the root's place, and its row.
        ((0, 2), [1, 3, 3, 4, 4], [2, 3, 4], [1, 1, 1, 2, 2]),
        # A small leaf below: its sibling takes its parent's place.
        ((1, 2), [1, 1, 3, 4, 4], [0, 1, 4], [1, 1, 2, 2, 2]),
        # Two small leaves that together are large enough.
        ((2, 3), [1, 1, 1, 3, 4], [0, 1, 4], [1, 1, 1, 2, 2]),
        # A small leaf beside a node with a small leaf: both splits go.
        ((0, 1), [1, 3, 4, 4, 4], [4], [0, 0, 0, 0, 0]),
        # A small branch: no split is left.
        ((3, 4), [1, 1, 1, 1, 3], [1], [0, 0, 0, 0, 0]),
    ],
)
def test_pruning_by_hand(cuts, leaf_of, kept, wanted):
    # Root 0 with the leaf 1 and node 2; node 2 with the leaves 3 and 4.
    tree = Tree(
        left=np.array([1, -1, 3, -1, -1], np.int32),
        right=np.array([2, -1, 4, -1, -1], np.int32),
        feature=np.array([0, -1, 0, -1, -1], np.int32),
        threshold=np.array([cuts[0], np.nan, cuts[1], np.nan, np.nan]),
        cut=np.array([cuts[0], -1, cuts[1], -1, -1], np.int32),
        missing_left=np.zeros(5, bool),
        category=np.full(5, -1),
        words=np.empty(0, np.uint32),
        sums=np.arange(5.0)[:, None],  # names the nodes
        leaf_of=np.array(leaf_of, np.int32),
    )
    table = bin_table(np.arange(5.0)[:, None], np.zeros(1, np.int32))
    pruned = prune_tree(tree, table, 2)
    np.testing.assert_array_equal(pruned.sums[:, 0], kept)
    np.testing.assert_array_equal(pruned.leaf_of, wanted)
