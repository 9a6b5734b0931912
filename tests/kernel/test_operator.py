import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import LinearOperator

import latentforest.kernel._products as products
from kernel_oracles import (
    kernel_by_hand,
    leaf_indices,
    random_index,
    random_weights,
    scale_by_hand,
    symmetric_by_hand,
)
from latentforest.kernel import LeafIndex, LeafKernel

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(["rf", "scornet"])
laws = settings(max_examples=25, deadline=None)


def dense(index, weights, kind):
    scale = scale_by_hand(index.ids, weights, index.n_leaves, kind)
    return kernel_by_hand(index.ids, index.ids, scale)


@laws
@given(leaf_indices(), kinds, seeds, st.integers(1, 11))
def test_products_equal_the_double_loop(index, kind, seed, n_columns):
    weights = random_weights(index.n_rows, seed)
    kernel = LeafKernel(index, kind, weights=weights)
    expected = dense(index, weights, kind)
    vectors = np.random.default_rng(seed).normal(size=(index.n_rows, n_columns))
    np.testing.assert_allclose(kernel.dot(vectors), expected @ vectors, atol=1e-12)
    np.testing.assert_allclose(
        kernel.dot(vectors[:, 0]), expected @ vectors[:, 0], atol=1e-12
    )
    symmetric = symmetric_by_hand(expected, weights)
    np.testing.assert_allclose(
        kernel.symmetric_dot(vectors), symmetric @ vectors, atol=1e-12
    )
    operator = kernel.as_linear_operator()
    assert isinstance(operator, LinearOperator)
    np.testing.assert_allclose(operator @ vectors, symmetric @ vectors, atol=1e-12)
    np.testing.assert_allclose(
        operator.T @ vectors[:, 0], symmetric @ vectors[:, 0], atol=1e-12
    )


@laws
@given(leaf_indices(), seeds, kinds)
def test_symmetric_positive_and_stochastic(index, seed, kind):
    weights = random_weights(index.n_rows, seed)
    kernel = LeafKernel(index, kind, weights=weights)
    gram = kernel.dot(np.eye(index.n_rows))
    np.testing.assert_allclose(gram, gram.T, atol=1e-14)
    assert np.linalg.eigvalsh(gram).min() > -1e-12
    np.testing.assert_allclose(gram @ weights, kernel.degrees, atol=1e-12)
    if kind == "rf":
        np.testing.assert_array_equal(kernel.degrees, 1.0)
    first = np.sqrt(kernel.row_mass)
    np.testing.assert_allclose(kernel.symmetric_dot(first), first, atol=1e-12)


@laws
@given(leaf_indices(), kinds, seeds)
def test_permuting_rows_permutes(index, kind, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(index.n_rows)
    vector = rng.normal(size=index.n_rows)
    there = LeafKernel(index.take(order), kind).dot(vector[order])
    np.testing.assert_allclose(there, LeafKernel(index, kind).dot(vector)[order])


@laws
@given(leaf_indices(), kinds, seeds)
def test_integer_weights_are_repeated_rows(index, kind, seed):
    rng = np.random.default_rng(seed)
    repeats = rng.integers(1, 4, size=index.n_rows)
    rows = np.repeat(np.arange(index.n_rows), repeats)
    weighted = LeafKernel(index, kind, weights=repeats)
    repeated = LeafKernel(index.take(rows), kind)
    np.testing.assert_allclose(weighted.mass, repeated.mass)
    np.testing.assert_allclose(weighted.degrees[rows], repeated.degrees)
    np.testing.assert_allclose(
        weighted.gram(index.ids, index.ids)[np.ix_(rows, rows)],
        repeated.dot(np.eye(rows.size)),
        atol=1e-12,
    )


def test_empty_leaves_weigh_nothing():
    kernel = LeafKernel(LeafIndex(np.array([[0, 3], [0, 4]]), 6))
    np.testing.assert_array_equal(kernel.scale, [0.5, 0, 0, 1, 1, 0])
    new = np.array([[1, 5], [2, 3]])
    np.testing.assert_array_equal(
        kernel.gram(new, kernel.index.ids), [[0, 0], [0.5, 0]]
    )
    np.testing.assert_array_equal(kernel.smooth(new, [2.0, 4.0]), [0.0, 1.0])


@pytest.mark.parametrize("kind", ["rf", "scornet"])
@pytest.mark.parametrize("n_trees", [1, 7, 16, 37])
def test_threads_change_no_bit(monkeypatch, kind, n_trees):
    monkeypatch.setattr(products, "SERIAL_SIZE", 0)
    index = random_index(300, [9] * n_trees, seed=0)
    vectors = np.random.default_rng(1).normal(size=(300, 11))
    one, two = (LeafKernel(index, kind, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.dot(vectors), two.dot(vectors))
    np.testing.assert_array_equal(one.dot(vectors[:, 0]), two.dot(vectors[:, 0]))
    np.testing.assert_array_equal(one.degrees, two.degrees)


def test_inputs_stay_unchanged():
    index = random_index(20, [4] * 5, seed=0)
    ids, vectors = index.ids.copy(), np.ones((20, 5))
    kernel = LeafKernel(index, weights=np.full(20, 2.0))
    kernel.symmetric_dot(vectors)
    np.testing.assert_array_equal(index.ids, ids)
    np.testing.assert_array_equal(vectors, 1.0)


@pytest.mark.parametrize(
    ("weights", "match"),
    [([1.0, 2.0], "one per row"), ([1, 1, 0], "above 0"), ([1, 1, np.inf], "finite")],
)
def test_wrong_weights_are_refused(weights, match):
    with pytest.raises(ValueError, match=match):
        LeafKernel(LeafIndex(np.array([[0], [0], [1]]), 2), weights=weights)


def test_wrong_shapes_are_refused():
    kernel = LeafKernel(random_index(6, [3, 3], seed=0))
    with pytest.raises(ValueError, match="6 rows"):
        kernel.dot(np.ones(5))
    with pytest.raises(ValueError, match="n_rows = 6"):
        kernel.smooth(kernel.index.ids, np.ones(5))
    with pytest.raises(ValueError, match="one per row and tree"):
        kernel.smooth(kernel.index.ids, np.ones(6), in_bag=np.ones((6, 3)))
    with pytest.raises(ValueError, match="the kernel has 2"):
        kernel.smooth(kernel.index.ids[:, :1], np.ones(6))
    with pytest.raises(ValueError, match="n_jobs=0"):
        LeafKernel(kernel.index, n_jobs=0)
