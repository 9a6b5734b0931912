"""Neighbours are exact, in any batch; their weights are always finite."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest.neighbours._search import (
    BOX,
    QUERY_BLOCK,
    TREE_UP_TO,
    Boxes,
    NeighbourSearch,
    Tree,
    inverse_distance_weights,
)
from latentforest.neighbours._tree_loops import LEAF

law = settings(max_examples=25, deadline=None)


def nearest_by_hand(points, queries, n_neighbors):
    """Sort all points by their distance, in exact-as-possible arithmetic."""
    distances = np.array([np.sqrt(((points - q) ** 2).sum(axis=1)) for q in queries])
    rows = np.argsort(distances, axis=1, kind="stable")[:, :n_neighbors]
    return rows, np.take_along_axis(distances, rows, axis=1)


@st.composite
def searches(draw):
    rng = np.random.default_rng(draw(st.integers(0, 9_999)))
    n_points, n_dims = draw(st.integers(1, 40)), draw(st.integers(1, 12))
    points = rng.normal(size=(n_points, n_dims))
    queries = rng.normal(size=(draw(st.integers(1, 6)), n_dims))
    return points, queries, draw(st.integers(1, n_points))


@pytest.mark.parametrize("n_dims", range(1, 13))
def test_neighbours_equal_a_full_sort(n_dims):
    rng = np.random.default_rng(n_dims)
    points, queries = rng.normal(size=(700, n_dims)), rng.normal(size=(30, n_dims))
    rows, distances = nearest_by_hand(points, queries, 9)
    found = NeighbourSearch(points).nearest(queries, 9)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-12)


@law
@given(searches())
def test_neighbours_of_small_sets_equal_a_full_sort(search):
    points, queries, n_neighbors = search
    rows, distances = nearest_by_hand(points, queries, n_neighbors)
    found = NeighbourSearch(points).nearest(queries, n_neighbors)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-12)


@pytest.mark.parametrize("n_dims", [2, TREE_UP_TO, TREE_UP_TO + 1])
def test_batch_and_order_of_queries_change_no_bit(n_dims):
    rng = np.random.default_rng(0)
    # A coarse grid: distances tie, and which point wins must not change.
    points = rng.integers(4, size=(300, n_dims)) / 2.0
    queries = rng.integers(4, size=(2 * QUERY_BLOCK + 3, n_dims)) / 2.0
    search = NeighbourSearch(points)
    together = search.nearest(queries, 7, n_jobs=2)
    order = rng.permutation(len(queries))
    mixed = search.nearest(queries[order], 7, n_jobs=1)
    np.testing.assert_array_equal(mixed.rows, together.rows[order])
    np.testing.assert_array_equal(mixed.distances, together.distances[order])
    for q in range(0, len(queries), 40):
        alone = search.nearest(queries[q : q + 1], 7)
        np.testing.assert_array_equal(alone.rows[0], together.rows[q])
        np.testing.assert_array_equal(alone.distances[0], together.distances[q])


@pytest.mark.parametrize("n_dims", [1, 2, 5, 8, 9, 12, 15])
@pytest.mark.parametrize("n_points", [40, 5_000])
def test_of_points_at_the_same_distance_the_first_is_nearest(n_dims, n_points):
    # On a coarse grid squares are whole, and many tie: within a leaf or a box, between
    # them, and between groups of boxes.
    rng = np.random.default_rng(n_dims)
    points = rng.integers(3, size=(n_points, n_dims)).astype(float)
    queries = rng.integers(3, size=(20, n_dims)).astype(float)
    rows, distances = nearest_by_hand(points, queries, 30)
    found = NeighbourSearch(points).nearest(queries, 30)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_array_equal(found.distances, distances)


def test_crowds_of_points_are_passed_over_without_a_loss():
    # Clusters far apart: most groups of boxes are never opened.
    rng = np.random.default_rng(0)
    places = 50 * rng.normal(size=(12, 10))
    points = places[rng.integers(12, size=9_000)] + rng.normal(size=(9_000, 10))
    queries = np.concatenate([points[:20] + 0.1, 30 * rng.normal(size=(20, 10))])
    rows, distances = nearest_by_hand(points, queries, 15)
    found = NeighbourSearch(points).nearest(queries, 15)
    np.testing.assert_array_equal(found.rows, rows)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-12)


@pytest.mark.parametrize("n_dims", [3, 10])
def test_duplicates_are_separate_neighbours(n_dims):
    points = np.repeat(np.random.default_rng(0).normal(size=(4, n_dims)), 5, axis=0)
    found = NeighbourSearch(points).nearest(points[:1], 7)
    assert set(found.rows[0, :5]) == {0, 1, 2, 3, 4}
    np.testing.assert_array_equal(found.distances[0, :5], 0.0)
    assert (found.distances[0, 5:] > 0).all()
    assert len(set(found.rows[0])) == 7


@pytest.mark.parametrize("n_dims", [2, 11])
def test_all_points_can_be_asked_for(n_dims):
    points = np.random.default_rng(0).normal(size=(600, n_dims))
    found = NeighbourSearch(points).nearest(points[:3], 600)
    for rows, distances in zip(*found, strict=True):
        np.testing.assert_array_equal(np.sort(rows), np.arange(600))
        assert (np.diff(distances) >= 0).all()


@pytest.mark.parametrize("n_dims", [2, 11])
def test_points_are_kept_as_they_were(n_dims):
    # What is searched is made at the first search: a caller who scales the coordinates
    # in place after fitting must not move them.
    points = np.random.default_rng(0).normal(size=(50, n_dims))
    queries = points[:5].copy()
    search = NeighbourSearch(points)
    points *= -3
    np.testing.assert_array_equal(search.nearest(queries, 1).rows[:, 0], np.arange(5))


@pytest.mark.parametrize("n_dims", [2, 11])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_coordinates_without_distances_are_refused(n_dims, value):
    # The square of 1e200 is infinite; no point is then nearer than infinity, and a
    # search that goes on returns rows that do not exist.
    points = np.random.default_rng(0).normal(size=(50, n_dims))
    broken = points[:2].copy()
    broken[1, 1] = value
    with pytest.raises(ValueError, match="too large or not a number"):
        NeighbourSearch(points).nearest(broken, 3)
    with pytest.raises(ValueError, match="too large or not a number"):
        NeighbourSearch(broken)


@law
@given(
    st.lists(
        st.lists(st.floats(0, 1e300), min_size=3, max_size=3), min_size=1, max_size=4
    )
)
def test_weights_sum_to_one_and_fall_with_distance(rows):
    distances = np.sort(np.array(rows), axis=1)
    weights = inverse_distance_weights(distances)
    assert np.isfinite(weights).all()
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-12)
    assert (np.diff(weights, axis=1) <= 0).all()


def test_weights_are_inverse_distances():
    weights = inverse_distance_weights(np.array([[1.0, 2.0, 4.0]]))
    np.testing.assert_allclose(weights, [[4 / 7, 2 / 7, 1 / 7]], rtol=1e-15)


def test_exact_hits_share_all_the_weight_in_their_own_row_only():
    distances = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 2.0], [0.0, 1.0, 2.0]])
    np.testing.assert_array_equal(
        inverse_distance_weights(distances),
        [[0.5, 0.5, 0.0], [0.4, 0.4, 0.2], [1.0, 0.0, 0.0]],
    )


@pytest.mark.parametrize("tiny", [5e-324, 1e-310, np.finfo(float).tiny, 3e-308])
def test_subnormal_distances_give_finite_weights(tiny):
    weights = inverse_distance_weights(np.array([[tiny, tiny, 1.0]]))
    np.testing.assert_allclose(weights, [[0.5, 0.5, 0.0]], atol=1e-300)


@pytest.mark.parametrize("n_components", [1, 2, 5, 8, 9])
@pytest.mark.parametrize("n_points", [30, 1500])
def test_known_points_change_no_bit(n_components, n_points):
    rng = np.random.default_rng(n_components)
    points = rng.normal(size=(n_points, n_components))
    points[: n_points // 5] = np.round(points[: n_points // 5])  # some coincide
    queries = np.concatenate([points[:20], rng.normal(size=(40, n_components)) * 3])
    search = NeighbourSearch(points)
    near = search.nearest(queries, 12).rows
    far = np.array([rng.choice(n_points, 12, replace=False) for _ in queries])
    moved = queries + 0.3 * rng.normal(size=queries.shape)
    for places, known in ((queries, near), (moved, near), (moved, far)):
        found = search.nearest(places, 12, known=known)
        free = search.nearest(places, 12)
        np.testing.assert_array_equal(found.rows, free.rows)
        np.testing.assert_array_equal(found.distances, free.distances)


@pytest.mark.parametrize("n_points", [1, 32, 33, 1000])
def test_every_point_lies_in_one_box(n_points):
    points = np.random.default_rng(n_points).normal(size=(n_points, 3)).round(1)
    boxes = Boxes.halved(points)
    np.testing.assert_array_equal(np.sort(boxes.order), np.arange(n_points))
    np.testing.assert_array_equal(boxes.columns, points[boxes.order].T)
    box = np.searchsorted(boxes.starts, np.arange(n_points), side="right") - 1
    assert (boxes.lows[:, box] <= boxes.columns).all()
    assert (boxes.columns <= boxes.highs[:, box]).all()
    assert np.diff(boxes.starts).min() >= 1
    assert np.diff(boxes.starts).max() <= BOX


@pytest.mark.parametrize("crowd", ["spread", "halving", "one place"])
@pytest.mark.parametrize("n_points", [1, 32, 33, 1000])
def test_every_point_lies_in_one_leaf(n_points, crowd):
    points = np.random.default_rng(n_points).normal(size=(n_points, 3)).round(1)
    if crowd == "halving":  # each halving of the space would part few from the rest
        points[:, 0] = 2.0 ** -np.arange(n_points)
    if crowd == "one place":
        points[:] = 1.5
    tree = Tree.planted(points)
    np.testing.assert_array_equal(np.sort(tree.order), np.arange(n_points))
    np.testing.assert_array_equal(tree.columns, points[tree.order].T)
    sizes = np.diff(tree.starts)
    assert sizes.sum() == n_points
    assert 1 <= sizes.min() <= sizes.max() <= min(LEAF, sizes.min() + 1)
    # Each node bounds its points: the root all of them, a leaf its own.
    leaf = np.searchsorted(tree.starts, np.arange(n_points), side="right") - 1
    node = leaf + len(sizes) - 1
    while True:
        low, high = tree.bounds[node, ::2], tree.bounds[node, 1::2]
        assert (tree.columns >= low.T).all()
        assert (tree.columns <= high.T).all()
        if not node.any():
            break
        node = (node - 1) // 2
