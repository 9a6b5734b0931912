"""Exact nearest neighbours in coordinate space, the same for any batch of queries."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from latentforest._base._parallel import blocks_of, n_workers, run_blocks
from latentforest._base._types import Coords, Floats
from latentforest.neighbours._search_loops import search

TREE_UP_TO = 8  # coordinates; a KD-tree wins below, blocked brute force above
LIST_FROM, LIST_UP_TO = 3, 20_000  # coordinates, points: a bounded list wins
QUERY_BLOCK = 256
LARGEST = 1e150


class Neighbours(NamedTuple):
    """The nearest rows of each query, nearest first."""

    rows: NDArray[np.int64]  # (n_queries, n_neighbors)
    distances: Floats  # (n_queries, n_neighbors)

    def first(self, n_neighbors: int) -> "Neighbours":
        """Return the nearest ones only."""
        return Neighbours(self.rows[:, :n_neighbors], self.distances[:, :n_neighbors])


class NeighbourSearch:
    """Find the nearest of some fixed points.

    Few coordinates are searched by SciPy's KD-tree, many by brute force in compiled
    blocks: a matrix product would be no faster here, and its rounding, hence the
    choice among near ties, would depend on the other queries.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
        The points to search among.
    """

    def __init__(self, points: Coords) -> None:
        check_coords_size(points)
        # A copy: the tree reads the points again at every search.
        self.points = np.array(points, np.float64, order="C")
        few = points.shape[1] <= TREE_UP_TO
        # Sliding midpoints keep the tree shallow where many points coincide.
        self.tree = KDTree(self.points, balanced_tree=False) if few else None

    @cached_property
    def _by_first(self) -> tuple[NDArray[np.int64], Floats]:
        """Order of the points by their first coordinate, and all of these so ordered.

        Without a tree they stay as they are: ties go by the order of the points.
        """
        order = np.arange(len(self.points))
        if self.tree is not None:
            order = np.argsort(self.points[:, 0], kind="stable")
        return order, np.ascontiguousarray(self.points[order].T)

    def nearest(
        self,
        queries: Coords,
        n_neighbors: int,
        *,
        within: Floats | None = None,
        n_jobs: int | None = None,
    ) -> Neighbours:
        """Return the ``n_neighbors`` points nearest to each query.

        ``within`` are distances in which so many points are known to lie: a list of
        these is filled faster than a tree is searched. Where distances tie, the tree
        has the say, with or without a bound.
        """
        check_coords_size(queries)
        if self.tree is None:
            return self._fill_list(queries, n_neighbors, within, n_jobs)
        n_points, n_components = self.points.shape
        if within is None or n_components < LIST_FROM or n_points > LIST_UP_TO:
            return self._search_tree(queries, n_neighbors, n_jobs)
        # One more than wanted shows whether the last one ties.
        more = min(n_neighbors + 1, n_points)
        found = self._fill_list(queries, more, within, n_jobs)
        tied = (np.diff(found.distances, axis=1) == 0).any(axis=1)
        rows = np.ascontiguousarray(found.rows[:, :n_neighbors])
        distances = np.ascontiguousarray(found.distances[:, :n_neighbors])
        if tied.any():
            again = self._search_tree(queries[tied], n_neighbors, n_jobs)
            rows[tied], distances[tied] = again
        return Neighbours(rows, distances)

    def _search_tree(
        self, queries: Coords, n_neighbors: int, n_jobs: int | None
    ) -> Neighbours:
        assert self.tree is not None, "asked where there is one"
        distances, rows = self.tree.query(
            queries, k=range(1, n_neighbors + 1), workers=n_workers(n_jobs)
        )
        return Neighbours(rows.astype(np.int64, copy=False), distances)

    def _fill_list(
        self,
        queries: Coords,
        n_neighbors: int,
        within: Floats | None,
        n_jobs: int | None,
    ) -> Neighbours:
        queries = np.ascontiguousarray(queries, np.float64)
        order, columns = self._by_first
        rows = np.zeros((len(queries), n_neighbors), np.int64)
        squares = np.empty((len(queries), n_neighbors))
        limits, rises = np.full(len(queries), np.inf), self.tree is not None
        if within is not None:  # with room for rounding
            limits = within**2 * (1 + 1e-9) + np.finfo(np.float64).tiny

        def work(block: tuple[int, int]) -> None:
            search(columns, rises, queries, limits, *block, rows, squares)

        run_blocks(work, list(blocks_of(len(queries), QUERY_BLOCK)), n_jobs=n_jobs)
        return Neighbours(order[rows], np.sqrt(squares))


def check_coords_size(coords: Coords) -> None:
    """Refuse coordinates whose squares are infinite: no point is nearest to them."""
    # NaN compares false.
    if not (np.abs(coords) < LARGEST).all():
        message = (
            "coordinates are too large or not a number: distances between them cannot "
            f"be computed. Give finite coordinates below {LARGEST}."
        )
        raise ValueError(message)


def inverse_distance_weights(distances: Floats) -> Floats:
    """Weights 1/distance that sum to 1; exact hits share the whole weight."""
    nearest = distances.min(axis=1, keepdims=True)
    hit = distances == 0
    # Relative to the nearest, no weight is above 1, however small the distances.
    weights = np.where(nearest == 0, hit, nearest / np.where(hit, 1.0, distances))
    return weights / weights.sum(axis=1, keepdims=True)
