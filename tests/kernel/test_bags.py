"""Kernels that know who is in bag, and trees that count differently."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

import latentforest.kernel._products as products
from kernel_oracles import (
    gap_by_hand,
    kernel_by_hand,
    leaf_indices,
    oob_by_hand,
    random_bags,
    random_index,
    random_tree_weights,
    random_weights,
    scale_by_hand,
    symmetric_by_hand,
)
from latentforest.kernel import LeafIndex, LeafKernel

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(["rf", "scornet", "oob", "gap"])
laws = settings(max_examples=40, deadline=None)


def by_hand(index, kind, draws, weights, tree_weights):
    """K of any kind, from its formula."""
    if kind == "oob":
        return oob_by_hand(index.ids, draws, weights, tree_weights)
    if kind == "gap":
        P = gap_by_hand(index.ids, draws, weights, tree_weights)
        return (P + P.T) / 2
    share = tree_weights / tree_weights.sum() * index.n_trees
    scale = scale_by_hand(index.ids, weights, index.n_leaves, kind)
    return sum(
        share[t] * kernel_by_hand(index.ids[:, [t]], index.ids[:, [t]], scale)
        for t in range(index.n_trees)
    ) / len(share)


def make(index, kind, seed, **more):
    """Return a kernel with random weights of rows and trees, and its formula."""
    weights = random_weights(index.n_rows, seed)
    draws = random_bags(index, seed)
    trees = random_tree_weights(index.n_trees, seed)
    K = by_hand(index, kind, draws, weights, trees)
    assume((K @ weights > 0).all())  # the others are refused, see below
    more = {"weights": weights, "tree_weights": trees, "in_bag": draws} | more
    return LeafKernel(index, kind, **more), K


@laws
@given(leaf_indices(), kinds, seeds, st.integers(1, 11))
def test_products_equal_the_formula(index, kind, seed, n_columns):
    kernel, K = make(index, kind, seed)
    vectors = np.random.default_rng(seed).normal(size=(index.n_rows, n_columns))
    np.testing.assert_allclose(kernel.dot(vectors), K @ vectors, atol=1e-12)
    np.testing.assert_allclose(kernel.dot(vectors[:, 0]), K @ vectors[:, 0], atol=1e-12)
    np.testing.assert_allclose(kernel.degrees, K @ kernel.weights, atol=1e-12)
    np.testing.assert_allclose(
        kernel.symmetric_dot(vectors),
        symmetric_by_hand(K, kernel.weights) @ vectors,
        atol=1e-12,
    )


@laws
@given(leaf_indices(), kinds, seeds)
def test_rows_of_the_walk_sum_to_one(index, kind, seed):
    kernel, _ = make(index, kind, seed)
    K = kernel.dot(np.eye(index.n_rows))
    np.testing.assert_allclose(K, K.T, atol=1e-14)
    assert K.min() >= 0
    walk = K * kernel.weights / kernel.degrees[:, None]
    np.testing.assert_allclose(walk.sum(axis=1), 1.0, rtol=1e-12)
    assert np.abs(np.linalg.eigvals(walk)).max() < 1 + 1e-12
    if kind == "rf":
        np.testing.assert_array_equal(kernel.degrees, 1.0)


@laws
@given(leaf_indices(), seeds)
def test_proximities_sum_to_one_and_predict_out_of_bag(index, seed):
    draws, trees = random_bags(index, seed), random_tree_weights(index.n_trees, seed)
    P = gap_by_hand(index.ids, draws, np.ones(index.n_rows), trees)
    assume((P + P.T).sum(axis=1).all())
    kernel = LeafKernel(index, "gap", tree_weights=trees, in_bag=draws)
    known = P.sum(axis=1) > 0  # else all draws in its leaves are of trees of weight 0
    np.testing.assert_allclose(P[known].sum(axis=1), 1.0)
    # Others are in bag in all trees that count, and their own partners.
    honest = P.diagonal() == 0
    y = np.random.default_rng(seed).normal(size=(index.n_rows, 2))
    predicted = kernel.out_of_bag(y)
    np.testing.assert_allclose(predicted[honest], (P @ y)[honest], atol=1e-12)
    np.testing.assert_allclose(kernel.out_of_bag(y[:, 0]), predicted[:, 0], atol=1e-15)


def test_a_row_in_bag_in_all_trees_is_taken_as_out_of_bag_in_all():
    index = LeafIndex(np.array([[0, 2], [0, 2], [0, 3], [1, 3]]), 4)
    draws = np.array([[2, 1], [1, 0], [1, 1], [0, 2]])  # rows 0 and 2 are never out
    kernel = LeafKernel(index, "gap", in_bag=draws)
    P = gap_by_hand(index.ids, draws, np.ones(4), np.ones(2))
    # By hand: 2/4 and 1/1 of row 0 itself, 1/4 and 0 of row 1, 1/4 and 0 of row 2.
    np.testing.assert_allclose(P[0], [0.75, 0.125, 0.125, 0])
    np.testing.assert_allclose(kernel.dot(np.eye(4)), (P + P.T) / 2)
    # Predictions leave it out: the second tree has nothing else to say.
    y = np.array([5.0, 1.0, 3.0, 0.0])
    np.testing.assert_allclose(kernel.out_of_bag(y)[0], 2.0)
    oob = LeafKernel(index, "oob", in_bag=draws)
    np.testing.assert_allclose(
        oob.dot(np.eye(4))[0], [1 / 3 / 2 + 1 / 4, 1 / 6 + 1 / 4, 1 / 6, 0]
    )


@laws
@given(leaf_indices(), kinds, seeds)
def test_a_tree_of_weight_0_is_as_if_it_were_not_there(index, kind, seed):
    draws, weights = random_bags(index, seed), random_weights(index.n_rows, seed)
    trees = random_tree_weights(index.n_trees, seed)
    kept = trees > 0
    assume((draws[:, kept] == 0).any())
    K = by_hand(index, kind, draws, weights, trees)
    assume((K @ weights > 0).all())
    every = LeafKernel(index, kind, weights=weights, tree_weights=trees, in_bag=draws)
    fewer = LeafKernel(
        LeafIndex(index.ids[:, kept], index.n_leaves),
        kind,
        weights=weights,
        tree_weights=trees[kept],
        in_bag=draws[:, kept],
    )
    vectors = np.random.default_rng(seed).normal(size=(index.n_rows, 3))
    np.testing.assert_allclose(every.dot(vectors), fewer.dot(vectors), atol=1e-12)
    np.testing.assert_allclose(every.degrees, fewer.degrees, atol=1e-12)
    np.testing.assert_array_equal(every.components(), fewer.components())
    np.testing.assert_allclose(
        every.smooth(index.ids, vectors),
        fewer.smooth(index.ids[:, kept], vectors),
        atol=1e-12,
    )
    np.testing.assert_allclose(
        every.gram(index.ids, index.ids),
        fewer.gram(index.ids[:, kept], index.ids[:, kept]),
        atol=1e-12,
    )


@laws
@given(leaf_indices(), kinds, seeds)
def test_pieces_are_those_of_the_kernel(index, kind, seed):
    kernel, K = make(index, kind, seed)
    n_pieces, labels = connected_components(K > 0, directed=False)
    found = kernel.components()
    assert found.max() + 1 == n_pieces
    assert len(set(zip(found, labels, strict=True))) == n_pieces


@laws
@given(leaf_indices(), kinds, st.floats(0.1, 7.0), seeds)
def test_equal_weights_change_no_bit(index, kind, weight, seed):
    draws = random_bags(index, seed)
    K = by_hand(index, kind, draws, np.ones(index.n_rows), np.ones(index.n_trees))
    assume((K.sum(axis=1) > 0).all())
    plain = LeafKernel(index, kind, in_bag=draws)
    equal = LeafKernel(
        index, kind, tree_weights=np.full(index.n_trees, weight), in_bag=draws
    )
    vectors = np.random.default_rng(seed).normal(size=(index.n_rows, 5))
    np.testing.assert_array_equal(equal.dot(vectors), plain.dot(vectors))
    np.testing.assert_array_equal(equal.scale, plain.scale)


@pytest.mark.parametrize("kind", ["oob", "gap"])
def test_threads_change_no_bit(monkeypatch, kind):
    monkeypatch.setattr(products, "SERIAL_SIZE", 0)
    index = random_index(300, [9] * 17, seed=0)
    draws, vectors = (
        random_bags(index, 1),
        np.random.default_rng(1).normal(size=(300, 11)),
    )
    one, two = (LeafKernel(index, kind, in_bag=draws, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.dot(vectors), two.dot(vectors))
    np.testing.assert_array_equal(one.dot(vectors[:, 0]), two.dot(vectors[:, 0]))
    np.testing.assert_array_equal(one.out_of_bag(vectors), two.out_of_bag(vectors))


def test_new_rows_of_leaves_without_a_row_know_their_tree():
    # Leaf 2 is the first of the second tree, and no row reaches it.
    index = LeafIndex(np.array([[0, 3], [1, 3]]), 4, np.array([0, 2, 4]))
    kernel = LeafKernel(index, "scornet", tree_weights=[1, 3])
    np.testing.assert_allclose(kernel.gram([[0, 2]], [[1, 2]]), [[0.75]])


INDEX = LeafIndex(np.array([[0, 2], [0, 3], [1, 3]]), 4)
DRAWS = np.array([[0, 1], [2, 0], [1, 2]])


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"kind": "gap"}, "kind='gap' needs to know which rows each tree was grown on"),
        ({"kind": "oob", "in_bag": DRAWS[:2]}, r"one integer for each row and tree"),
        ({"kind": "oob", "in_bag": DRAWS / 2}, "dtype float64"),
        ({"kind": "oob", "in_bag": -DRAWS}, "runs from -2 to 0"),
        ({"kind": "gap", "in_bag": DRAWS + 1}, "grown on all rows.*bootstrap=True"),
        ({"tree_weights": [1.0]}, r"one per tree: \(2,\)"),
        ({"tree_weights": [1.0, -1.0]}, "at least 0"),
        ({"tree_weights": [0.0, 0.0]}, "not all of them 0"),
        ({"tree_weights": [1.0, np.inf]}, "finite"),
    ],
)
def test_wrong_settings_are_refused(settings, match):
    with pytest.raises(ValueError, match=match):
        LeafKernel(INDEX, **settings)


def test_a_row_without_a_partner_in_bag_is_refused():
    # Row 0 is out of bag everywhere and alone: no tree was grown on what it is like.
    index = LeafIndex(np.array([[0], [1], [1]]), 2)
    with pytest.raises(ValueError, match="1 of 3 rows, row 0 first"):
        LeafKernel(index, "gap", in_bag=np.array([[0], [1], [0]]))


def test_kernels_without_bags_have_no_out_of_bag_rows():
    with pytest.raises(ValueError, match=r"kind='rf' does not know.*'oob', 'gap'"):
        LeafKernel(INDEX).out_of_bag(np.ones(3))


def test_huge_weights_of_trees_do_not_overflow():
    kernel = LeafKernel(INDEX, tree_weights=[1.5e308, 1.5e308 / 3])
    np.testing.assert_allclose(kernel.factors, [1.5, 0.5])
