"""Cut trees are the same trees, stopped earlier."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

from forest_oracles import QUICK, grow, tables
from latentforest.forest import from_sklearn
from latentforest.trees import cut_at_depth, node_depths


def grown(encoded, seed=0):
    return grow(
        "completely random", encoded, seed=seed, n_estimators=3, min_samples_leaf=1
    ).forest


def walk(forest, tree, node=0, depth=0):
    """Yield node and depth of one tree, by plain recursion."""
    first = forest.start[tree]
    yield first + node, depth
    if forest.left[first + node] >= 0:
        for child in (forest.left[first + node], forest.right[first + node]):
            yield from walk(forest, tree, child, depth + 1)


def same_parts(a, b):
    """Whether two columns of leaf numbers put the same rows together."""
    pairs = len(set(zip(a.tolist(), b.tolist(), strict=True)))
    return pairs == len(set(a.tolist())) == len(set(b.tolist()))


@given(tables(), st.integers(0, 99))
@QUICK
def test_depths_are_counted_from_the_roots(encoded, seed):
    forest = grown(encoded, seed)
    wanted = dict(pair for tree in range(forest.n_trees) for pair in walk(forest, tree))
    found = node_depths(forest)
    assert found.tolist() == [wanted[node] for node in range(len(found))]


@given(tables(), st.integers(0, 4), st.integers(0, 99))
@QUICK
def test_no_tree_is_deeper_and_nodes_above_stay(encoded, depth, seed):
    forest = grown(encoded, seed)
    cut = cut_at_depth(forest, depth)
    full = node_depths(forest)
    assert node_depths(cut).max() == min(depth, full.max())
    assert len(cut.left) == np.count_nonzero(full <= depth)
    kept = full <= depth
    inner = cut.left >= 0
    for name in ("feature", "threshold", "missing_left", "category"):
        before = getattr(forest, name)[kept][inner]
        np.testing.assert_array_equal(getattr(cut, name)[inner], before)
    leaves = cut.leaf[~inner]
    np.testing.assert_array_equal(leaves, np.arange(cut.n_leaves))
    assert (cut.leaf[inner] == -1).all()
    for tree in range(cut.n_trees):  # every node is reached, none twice
        reached = sorted(node for node, _ in walk(cut, tree))
        assert reached == list(range(cut.start[tree], cut.start[tree + 1]))


@given(tables(), st.integers(0, 99))
@QUICK
def test_cuts_are_nested(encoded, seed):
    forest = grown(encoded, seed)
    full = int(node_depths(forest).max())
    before = cut_at_depth(forest, 0).leaves(encoded.values, n_jobs=1)
    assert (before == np.arange(forest.n_trees)).all()  # one leaf per tree
    for depth in range(1, full + 2):
        ids = cut_at_depth(forest, depth).leaves(encoded.values, n_jobs=1)
        for tree in range(forest.n_trees):
            pairs = set(zip(ids[:, tree], before[:, tree], strict=True))
            assert len(pairs) == len(set(ids[:, tree]))  # each leaf lies in one
        before = ids
    own = forest.leaves(encoded.values, n_jobs=1)
    assert all(same_parts(a, b) for a, b in zip(before.T, own.T, strict=True))


def test_cut_forest_equals_one_grown_to_that_depth():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.integers(3, size=200)
    # A tree that tries all columns on all rows does not depend on random numbers.
    deep, flat = (
        RandomForestClassifier(
            1, max_depth=depth, max_features=None, bootstrap=False, random_state=0
        ).fit(X, y)
        for depth in (None, 3)
    )
    cut = cut_at_depth(from_sklearn(deep), 3)
    assert same_parts(cut.leaves(X, n_jobs=1)[:, 0], flat.apply(X)[:, 0])


@pytest.mark.parametrize("depth", [-1, 1.5, True, None])
def test_bad_depths_are_refused(depth):
    rng = np.random.default_rng(0)
    forest = RandomForestClassifier(2, max_depth=2, random_state=0)
    forest.fit(rng.normal(size=(20, 2)), rng.integers(2, size=20))
    with pytest.raises((TypeError, ValueError), match=r"depth=.*at least 0"):
        cut_at_depth(from_sklearn(forest), depth)
