import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel_oracles import (
    kernel_by_hand,
    leaf_indices,
    random_index,
    random_weights,
    scale_by_hand,
)
from latentforest.kernel import LeafIndex, LeafKernel

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(["rf", "scornet"])
laws = settings(max_examples=25, deadline=None)


def split(index, seed):
    """Split rows into those that define the kernel and others."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(index.n_rows)
    n_train = rng.integers(1, index.n_rows)
    return index.take(order[:n_train]), index.ids[order[n_train:]]


@laws
@given(leaf_indices(), kinds, seeds)
def test_gram_and_features_equal_the_double_loop(index, kind, seed):
    train, new = split(index, seed)
    weights = random_weights(train.n_rows, seed)
    kernel = LeafKernel(train, kind, weights=weights)
    scale = scale_by_hand(train.ids, weights, index.n_leaves, kind)
    expected = kernel_by_hand(new, train.ids, scale)
    np.testing.assert_allclose(kernel.gram(new, train.ids), expected, atol=1e-13)
    product = kernel.features(new) @ kernel.features(train.ids).T
    np.testing.assert_allclose(product.toarray(), expected, atol=1e-13)
    np.testing.assert_allclose(
        kernel.gram(train.ids, train.ids), kernel.dot(np.eye(train.n_rows)), atol=1e-13
    )


def test_blocks_make_up_the_gram_bit_for_bit():
    index = random_index(150, [6] * 9, seed=2)
    kernel = LeafKernel(index, n_jobs=2)
    blocks = list(kernel.gram_blocks(index.ids, index.ids[:40], block=64))
    assert [(start, stop) for start, stop, _ in blocks] == [
        (0, 64),
        (64, 128),
        (128, 150),
    ]
    whole = LeafKernel(index, n_jobs=1).gram(index.ids, index.ids[:40])
    np.testing.assert_array_equal(np.vstack([part for *_, part in blocks]), whole)


def test_empty_and_absurd_blocks():
    kernel = LeafKernel(LeafIndex(np.array([[0], [1]]), 2))
    nothing = np.zeros((0, 1), dtype=int)
    assert kernel.gram(nothing, kernel.index.ids).shape == (0, 2)
    assert kernel.gram(kernel.index.ids, nothing).shape == (2, 0)
    many = np.zeros((30_000, 1), dtype=int)
    with pytest.raises(ValueError, match="gram_blocks"):
        kernel.gram(many, many)
    with pytest.raises(ValueError, match="block=0"):
        kernel.gram_blocks(many, many, block=0)


@laws
@given(leaf_indices(min_rows=4), kinds, seeds)
def test_mmd_equals_the_gram_formula(index, kind, seed):
    train, new = split(index, seed)
    kernel = LeafKernel(train, kind)
    squared = (
        kernel.gram(train.ids, train.ids).mean()
        - 2 * kernel.gram(train.ids, new).mean()
        + kernel.gram(new, new).mean()
    )
    assert kernel.mmd(train.ids, new) ** 2 == pytest.approx(squared, abs=1e-12)
    assert kernel.mmd(new, train.ids) == kernel.mmd(train.ids, new)
    assert kernel.mmd(new, new[::-1]) == 0.0
    assert kernel.mmd(new, np.vstack([new, new])) == pytest.approx(0.0, abs=1e-12)
