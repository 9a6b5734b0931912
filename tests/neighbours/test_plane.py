"""The plane through the neighbours: its two forms are one plane."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from latentforest.neighbours import NeighbourSearch, plane_as_slopes, plane_weights
from mixed_tables import LAW


@njit
def fit_plane(*args):  # which Python cannot call
    return plane_as_slopes(*args)


def value_and_slopes(points, cells, query, found, ridge):
    """Value at one query, slopes and reach, by the form that refinement uses."""
    n_neighbors, n_components = found.rows.shape[1], points.shape[1]
    n_cells = cells.shape[1]
    (mean, rise), slopes = np.empty((2, n_cells)), np.empty((n_components, n_cells))
    farthest = fit_plane(
        points,
        query,
        found.rows[0],
        found.distances[0],
        ridge,
        cells,
        found.rows[0],
        np.empty(n_neighbors),
        *np.empty((2, n_neighbors, n_components)),
        np.empty((n_components + 3, n_components)),
        mean,
        rise,
        slopes,
    )
    assert farthest == found.distances[0, -1]
    return mean + rise, slopes


@LAW
@given(
    st.integers(1, 12),
    st.integers(1, 40),
    st.sampled_from([0.0003, 0.03, 5.0]),
    st.sampled_from([0.1, 1.0, 1e3]),
    st.integers(0, 9_999),
)
def test_weights_and_slopes_are_one_plane(n_components, k, ridge, far, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(40, n_components)).round(rng.integers(0, 3))
    points += 1e-3 * rng.normal(size=points.shape)  # a plane needs some spread
    cells, query = rng.normal(size=(40, 3)), far * rng.normal(size=(1, n_components))
    found = NeighbourSearch(points).nearest(query, k)
    (weights,) = plane_weights(points, query, found, (ridge,), follow=True)
    value, _ = value_and_slopes(points, cells, query[0], found, ridge)
    np.testing.assert_allclose(weights.linear[0] @ cells[found.rows[0]], value, 1e-5)


@pytest.mark.parametrize("n_components", [1, 3])
def test_slopes_are_those_of_the_value(n_components):
    # The neighbours held fixed, the value is linear in the query.
    rng = np.random.default_rng(0)
    points, cells = rng.normal(size=(50, n_components)), rng.normal(size=(50, 4))
    query = np.zeros(n_components)
    found = NeighbourSearch(points).nearest(query[None], 30)
    value, slopes = value_and_slopes(points, cells, query, found, 0.03)
    for c, step in enumerate(1e-3 * np.eye(n_components)):
        moved, _ = value_and_slopes(points, cells, query + step, found, 0.03)
        np.testing.assert_allclose((moved - value) / 1e-3, slopes[c], rtol=1e-6)


def test_several_ridges_equal_each_alone():
    rng = np.random.default_rng(0)
    points, queries = rng.normal(size=(60, 3)), rng.normal(size=(20, 3))
    found, ridges = NeighbourSearch(points).nearest(queries, 25), (0.0, 0.03, 1.0)
    for follow in (False, True):
        settings = {"follow": follow, "n_jobs": 1}
        together = plane_weights(points, queries, found, ridges, **settings)
        for ridge, weights in zip(ridges, together, strict=True):
            (alone,) = plane_weights(points, queries, found, (ridge,), **settings)
            np.testing.assert_array_equal(alone.average, weights.average)
            np.testing.assert_array_equal(alone.linear, weights.linear)
