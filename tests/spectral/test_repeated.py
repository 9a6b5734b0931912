"""Repeated eigenvalues get one basis, whatever rotation of it a solver returns."""

import itertools

import numpy as np
import pytest
from scipy.stats import ortho_group

from latentforest.kernel import LeafIndex, LeafKernel
from latentforest.spectral import leading_spectrum
from latentforest.spectral._repeated import first_of_equals, settle_repeated

VALUES = np.array([0.9, 0.5, 0.5, 0.5, 0.3, 0.3, 0.0, 0.0])


def orthonormal(n_rows, n_vectors, seed):
    rng = np.random.default_rng(seed)
    return np.linalg.qr(rng.normal(size=(n_rows, n_vectors)))[0]


def rotated(vectors, seed):
    """Turn the vectors of each repeated eigenvalue at random."""
    turned = vectors.copy()
    for begin, end in ((1, 4), (4, 6)):
        turn = ortho_group.rvs(end - begin, random_state=seed)
        turned[:, begin:end] = vectors[:, begin:end] @ turn
    return turned


@pytest.mark.parametrize("seed", range(5))
def test_every_rotation_ends_in_the_same_basis(seed):
    vectors = orthonormal(30, 8, seed)
    noise = 1e-14 * np.random.default_rng(seed).normal(size=8)
    _, one = settle_repeated(VALUES, vectors)
    values, two = settle_repeated(VALUES + noise, rotated(vectors, seed))
    np.testing.assert_allclose(one[:, :6], two[:, :6], atol=1e-12)
    np.testing.assert_allclose(one.T @ one, np.eye(8), atol=1e-12)
    assert len(set(values[1:4])) == len(set(values[4:6])) == 1
    # Both span the same space, and single vectors are left alone.
    for begin, end in ((0, 1), (1, 4), (4, 6), (6, 8)):
        old, new = vectors[:, begin:end], one[:, begin:end]
        np.testing.assert_allclose(old @ old.T, new @ new.T, atol=1e-12)
    np.testing.assert_array_equal(one[:, [0, 6, 7]], vectors[:, [0, 6, 7]])


def test_pairs_beyond_the_cut_that_are_equal_to_it_are_wanted_too():
    rising = VALUES[::-1]
    assert [first_of_equals(rising, n) for n in range(1, 9)] == [7, 4, 4, 4, 2, 2, 0, 0]


def test_more_components_never_turn_the_first_ones():
    # Four groups of rows that are alike: in each, any contrast of its parts will do.
    parts = np.repeat(np.arange(12), 3)
    kernel = LeafKernel(
        LeafIndex(np.column_stack([0 * parts, 1 + parts // 3, 5 + parts]), 17)
    )
    spectra = [
        leading_spectrum(
            kernel.as_linear_operator(),
            n,
            constant=np.sqrt(kernel.row_mass),
            labels=kernel.components(),
            rng=np.random.default_rng(n),
        )
        for n in range(1, 12)
    ]
    for fewer, more in itertools.pairwise(spectra):
        n = fewer.n_components
        np.testing.assert_allclose(fewer.vectors, more.vectors[:, :n], atol=1e-10)
    assert len(set(spectra[-1].eigenvalues.round(10))) == 2
