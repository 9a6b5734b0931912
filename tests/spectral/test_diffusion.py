import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel_oracles import leaf_indices, random_index, random_weights
from latentforest._base._errors import SpectrumWarning
from latentforest.encoder import make_leaf_table
from latentforest.kernel import LeafKernel, connected_components
from latentforest.spectral import (
    Spectrum,
    diffusion_coords,
    leading_spectrum,
)

seeds = st.integers(0, 2**32 - 1)
kinds = st.sampled_from(["rf", "scornet"])
laws = settings(max_examples=25, deadline=None)


def embed(kernel, n_components, time):
    labels, _ = connected_components(kernel.index)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpectrumWarning)
        spectrum = leading_spectrum(
            kernel.as_linear_operator(),
            n_components,
            constant=np.sqrt(kernel.row_mass),
            labels=labels,
            rng=np.random.default_rng(0),
        )
        return diffusion_coords(spectrum, kernel.row_mass, time=time), spectrum


def squared_distances(points):
    return ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)


@laws
@given(leaf_indices(), st.integers(1, 3))
def test_distance_is_diffusion_distance(index, steps):
    kernel = LeafKernel(index)
    coords, _ = embed(kernel, index.n_rows - 1, steps)
    walk = np.linalg.matrix_power(kernel.gram(index.ids, index.ids), steps)
    expected = index.n_rows * squared_distances(walk)
    np.testing.assert_allclose(squared_distances(coords), expected, atol=1e-9)


@laws
@given(leaf_indices(), kinds, seeds, st.integers(1, 3))
def test_distance_is_diffusion_distance_with_weights(index, kind, seed, steps):
    """Walks P = D⁻¹ K W, compared with weights 1 / (share of the stationary mass)."""
    weights = random_weights(index.n_rows, seed)
    kernel = LeafKernel(index, kind, weights=weights)
    coords, _ = embed(kernel, index.n_rows - 1, steps)
    gram = kernel.gram(index.ids, index.ids)
    walk = gram * weights / (gram @ weights)[:, None]
    walk = np.linalg.matrix_power(walk, steps)
    share = kernel.row_mass / kernel.row_mass.sum()
    expected = squared_distances(walk / np.sqrt(share))
    np.testing.assert_allclose(squared_distances(coords), expected, atol=1e-8)


@laws
@given(leaf_indices(), kinds, seeds, st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_leaf_table_returns_training_coordinates(index, kind, seed, time):
    weights = random_weights(index.n_rows, seed)
    kernel = LeafKernel(index, kind, weights=weights)
    coords, spectrum = embed(kernel, index.n_rows - 1, time)
    table = make_leaf_table(kernel, coords, spectrum.eigenvalues)
    # Rounding of the eigenvectors is divided by the eigenvalue.
    solid = spectrum.eigenvalues > 1e-6
    np.testing.assert_allclose(
        table.encode(index.ids)[:, solid], coords[:, solid], atol=1e-7
    )


def test_leaf_table_after_lanczos():
    kernel = LeafKernel(random_index(600, [12] * 40, seed=1))
    coords, spectrum = embed(kernel, 10, 1.0)
    assert spectrum.solver == "lanczos"
    encoded = make_leaf_table(kernel, coords, spectrum.eigenvalues).encode(
        kernel.index.ids
    )
    np.testing.assert_allclose(encoded, coords, atol=1e-6)


@laws
@given(leaf_indices(), kinds, seeds)
def test_repeated_rows_are_weights(index, kind, seed):
    repeats = np.random.default_rng(seed).integers(1, 4, size=index.n_rows)
    rows = np.repeat(np.arange(index.n_rows), repeats)
    weighted, _ = embed(LeafKernel(index, kind, weights=repeats), index.n_rows - 1, 1)
    repeated, _ = embed(LeafKernel(index.take(rows), kind), rows.size - 1, 1)
    np.testing.assert_allclose(
        squared_distances(weighted)[np.ix_(rows, rows)],
        squared_distances(repeated),
        atol=1e-8,
    )


def test_time_scales_by_the_eigenvalues():
    kernel = LeafKernel(random_index(30, [4] * 6, seed=2))
    start, spectrum = embed(kernel, 4, 0)
    np.testing.assert_allclose(start, np.sqrt(30) * spectrum.vectors)
    later, _ = embed(kernel, 4, 2.5)
    np.testing.assert_allclose(later, start * spectrum.eigenvalues**2.5)


@pytest.mark.parametrize("time", [0.0, 1.0])
def test_components_without_eigenvalue_are_zero_and_told(time):
    spectrum = Spectrum(np.array([0.5, 1e-12, 0.0]), np.eye(4)[:, :3])
    with pytest.warns(
        SpectrumWarning, match="2 of 3 .* Lower the number of components to 1"
    ):
        coords = diffusion_coords(spectrum, np.ones(4), time=time)
    np.testing.assert_array_equal(coords[:, 1:], 0.0)
    assert coords[0, 0] == 2.0 * 0.5**time


def test_where_no_component_is_left_fewer_would_not_help():
    spectrum = Spectrum(np.zeros(2), np.eye(4)[:, :2])
    with pytest.warns(SpectrumWarning, match=r"2 of 2 .* are 0\. Grow more trees"):
        coords = diffusion_coords(spectrum, np.ones(4))
    assert not coords.any()


@pytest.mark.parametrize(
    ("mass", "time", "error", "match"),
    [
        (np.ones(2), -1.0, ValueError, "time=-1.0"),
        (np.ones(2), np.nan, ValueError, "time=nan"),
        (np.ones(2), np.inf, ValueError, "finite"),
        (np.ones(2), "1", TypeError, "str"),
        (np.ones(3), 1.0, ValueError, "2 rows"),
        (np.zeros(2), 1.0, ValueError, "positive"),
    ],
)
def test_wrong_arguments_are_refused(mass, time, error, match):
    with pytest.raises(error, match=match):
        diffusion_coords(Spectrum(np.array([0.5]), np.eye(2)[:, :1]), mass, time=time)
