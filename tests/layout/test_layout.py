"""Layouts bring neighbours together; nothing depends on threads or on the scale."""

import numpy as np
import pytest
from scipy.spatial import KDTree

from latentforest.layout import lay_out, neighbour_graph
from latentforest.layout._layout import STILL_HARDER


def neighbours_of(points, n_neighbors):
    distances, rows = KDTree(points).query(points, n_neighbors + 1)
    return rows[:, 1:], distances[:, 1:] ** 2


def as_matrix(graph):
    n_rows = len(graph.starts) - 1
    matrix = np.zeros((n_rows, n_rows))
    row = np.repeat(np.arange(n_rows), np.diff(graph.starts))
    matrix[row, graph.rows] = graph.weights
    return matrix


def objective(graph, coords):
    """Divergence of t-SNE, but for a constant, in which neighbours count twice."""
    p = as_matrix(graph)
    closeness = 1 / (1 + np.square(coords[:, None] - coords).sum(axis=2))
    np.fill_diagonal(closeness, 0.0)
    there = p > 0
    pull = -(p[there] * np.log(closeness[there])).sum() / p.sum()
    return float(STILL_HARDER * pull + np.log(closeness.sum()))


def rolled(n_rows, seed=0):
    """A sheet that is rolled up: its neighbours are not those of a projection."""
    rng = np.random.default_rng(seed)
    t, height = 3 + 9 * rng.random(n_rows), 10 * rng.random(n_rows)
    return np.column_stack([t * np.cos(t), t * np.sin(t), height])


def test_weights_are_symmetric_and_sum_to_one_on_average():
    points = rolled(120)
    matrix = as_matrix(neighbour_graph(*neighbours_of(points, 9)))
    np.testing.assert_allclose(matrix, matrix.T)
    assert matrix.sum(axis=1).mean() == pytest.approx(1.0)
    # Nearer neighbours weigh more.
    gaps = np.linalg.norm(points[:, None] - points, axis=2)
    assert np.corrcoef(gaps[matrix > 0], matrix[matrix > 0])[0, 1] < -0.5


def test_rows_that_coincide_and_rows_without_neighbours_have_finite_weights():
    rows = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, -1, -1], [-1, -1, -1]])
    squares = np.where(rows < 0, np.inf, 0.0)
    squares[3, 0] = 1e30
    graph = neighbour_graph(rows, squares)
    assert np.isfinite(graph.weights).all()
    assert (graph.weights > 0).all()
    assert graph.starts[4] == graph.starts[5]  # nothing is near the last row
    coords = lay_out(graph, np.eye(5, 2), np.random.default_rng(0))
    assert np.isfinite(coords).all()


@pytest.mark.parametrize("n_components", [1, 2, 3, 5])
def test_the_objective_falls(n_components):
    points = rolled(300)
    graph = neighbour_graph(*neighbours_of(points, 15))
    start = np.pad(points, ((0, 0), (0, 2)))[:, :n_components]
    start = start + 1e-3 * np.random.default_rng(0).normal(size=start.shape)
    coords = lay_out(graph, start, np.random.default_rng(0))
    begin = min(objective(graph, start * s) for s in np.geomspace(0.01, 10.0, 13))
    end = objective(graph, coords)
    assert end < begin - 0.4
    assert end < min(objective(graph, coords * scale) for scale in (0.9, 1.1))


def test_neighbours_stay_together():
    points = rolled(600)
    rows, squares = neighbours_of(points, 15)
    start = points[:, :2]
    coords = lay_out(neighbour_graph(rows, squares), start, np.random.default_rng(0))

    def kept(places):
        found = KDTree(places).query(places, 16)[1][:, 1:]
        shared = [len(set(a) & set(b)) for a, b in zip(found, rows, strict=True)]
        return np.mean(shared) / 15

    assert kept(coords) > 0.6
    assert kept(coords) > 1.5 * kept(start)


def test_threads_and_the_scale_of_the_start_change_no_bit():
    points = rolled(5000)  # several blocks
    graph = neighbour_graph(*neighbours_of(points, 8))
    one, two, scaled = (
        lay_out(graph, points[:, :2] * scale, np.random.default_rng(3), n_jobs=n_jobs)
        for scale, n_jobs in ((1, 1), (1, 2), (1024, 2))
    )
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(one, scaled)
    other = lay_out(graph, points[:, :2], np.random.default_rng(4))
    assert (other != one).any()


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_tiny_graphs_are_laid_out(n_rows):
    rows = (np.arange(n_rows)[:, None] + np.arange(1, n_rows)) % n_rows
    rows = rows if n_rows > 1 else np.full((1, 1), -1)
    graph = neighbour_graph(rows, np.where(rows < 0, np.inf, 1.0))
    coords = lay_out(graph, np.zeros((n_rows, 2)), np.random.default_rng(0))
    assert coords.shape == (n_rows, 2)
    assert np.isfinite(coords).all()
