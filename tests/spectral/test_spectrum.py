import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest.spectral import Spectrum, ordered_spectrum


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_pairs_stay_together_whatever_the_order_and_sign(seed, size):
    rng = np.random.default_rng(seed)
    vectors = np.linalg.qr(rng.normal(size=(size, size)))[0]
    values = np.sort(rng.uniform(size=size))
    matrix = (vectors * values) @ vectors.T
    order, signs = rng.permutation(size), rng.choice([-1.0, 1.0], size=size)
    spectrum = ordered_spectrum(values[order], (vectors * signs)[:, order])
    np.testing.assert_array_equal(spectrum.eigenvalues, values[::-1])
    np.testing.assert_allclose(
        matrix @ spectrum.vectors, spectrum.vectors * spectrum.eigenvalues, atol=1e-12
    )
    plain = ordered_spectrum(values, vectors)
    np.testing.assert_array_equal(spectrum.vectors, plain.vectors)
    largest = np.abs(plain.vectors).argmax(axis=0)
    assert (plain.vectors[largest, np.arange(size)] > 0).all()


@pytest.mark.parametrize("noise", [1e-12, -1e-12])
def test_near_ties_do_not_flip_the_sign(noise):
    vector = np.array([[0.5], [-0.5 - noise], [0.1]])
    for sign in (1, -1):
        assert ordered_spectrum(np.ones(1), sign * vector).vectors[0, 0] == 0.5


def test_negative_eigenvalues_carry_nothing():
    spectrum = ordered_spectrum(np.array([-0.7, 0.4]), np.eye(2))
    np.testing.assert_array_equal(spectrum.eigenvalues, [0.4, 0.0])
    np.testing.assert_array_equal(spectrum.vectors, np.eye(2)[:, ::-1])


def test_rounding_is_put_back_into_the_unit_interval():
    spectrum = ordered_spectrum(np.array([-1e-15, 1 + 1e-14]), np.eye(2))
    np.testing.assert_array_equal(spectrum.eigenvalues, [1.0, 0.0])


@pytest.mark.parametrize("values", [[1.5, 0.2], [0.5, -1.1]])
def test_operators_that_are_not_normalised_are_refused(values):
    with pytest.raises(ValueError, match="leading eigenvalue 1"):
        ordered_spectrum(np.array(values), np.eye(2))


@pytest.mark.parametrize(
    ("values", "vectors", "match"),
    [
        ([0.5], np.eye(2), "n_components"),
        ([0.2, 0.5], np.eye(2), "ordered_spectrum"),
        ([0.5, np.nan], np.eye(2), "NaN"),
    ],
)
def test_wrong_records_are_refused(values, vectors, match):
    with pytest.raises(ValueError, match=match):
        Spectrum(np.array(values), vectors)
