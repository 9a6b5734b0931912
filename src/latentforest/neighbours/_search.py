"""Exact nearest neighbours in coordinate space, the same for any batch of queries."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from latentforest._base._parallel import blocks_of, n_workers, run_blocks
from latentforest._base._room import Demand
from latentforest._base._types import Coords, Floats
from latentforest.neighbours._search_loops import GROUP, farthest, search

BOXES_FROM = 3  # coordinates; below, the tree needs no help by known neighbours
TREE_UP_TO = 8  # coordinates; SciPy's KD-tree below, boxes above
BOX = 32  # points
QUERY_BLOCK = 256
USUAL_HALVINGS = 32  # of one coordinate
LARGEST = 1e150


class Neighbours(NamedTuple):
    """The nearest rows of each query, nearest first."""

    rows: NDArray[np.int64]  # (n_queries, n_neighbors)
    distances: Floats  # (n_queries, n_neighbors)

    def first(self, n_neighbors: int) -> "Neighbours":
        """Return the nearest ones only."""
        return Neighbours(self.rows[:, :n_neighbors], self.distances[:, :n_neighbors])

    def without(self, own: NDArray[np.integer]) -> "Neighbours":
        """Take each query's own row away, or the farthest if it is not there."""
        drop = self.rows == own[:, None]
        drop[~drop.any(axis=1), -1] = True
        shape = (len(self.rows), self.rows.shape[1] - 1)
        rows: NDArray[np.int64] = self.rows[~drop].reshape(shape)
        return Neighbours(rows, self.distances[~drop].reshape(shape))


class Boxes(NamedTuple):
    """Points in boxes, box after box."""

    order: NDArray[np.int64]  # (n_points,) which point comes where
    columns: Floats  # (n_components, n_points) coordinates in this order
    starts: NDArray[np.int64]  # (n_boxes + 1,) where each box begins
    lows: Floats  # (n_components, n_boxes) least coordinates of each box
    highs: Floats  # (n_components, n_boxes) largest ones

    def groups(self) -> tuple[Floats, Floats]:
        """Least and largest coordinates of the boxes that are passed over together."""
        first = np.arange(0, self.lows.shape[1], GROUP)
        lows = np.minimum.reduceat(self.lows, first, axis=1)
        return lows, np.maximum.reduceat(self.highs, first, axis=1)

    @classmethod
    def halved(cls, points: Coords) -> "Boxes":
        """Halve the points across their widest side until boxes are small."""
        boxes: list[NDArray[np.int64]] = []
        rest = [np.arange(len(points))]
        while rest:
            rows = rest.pop()
            if len(rows) <= BOX:
                boxes.append(rows)
                continue
            widest = np.ptp(points[rows], axis=0).argmax()
            half = len(rows) // 2
            parts = np.argpartition(points[rows, widest], half)
            rest += [rows[parts[half:]], rows[parts[:half]]]
        order, starts = np.concatenate(boxes), np.cumsum([0, *map(len, boxes)])
        columns = np.ascontiguousarray(points[order].T)
        lows = np.minimum.reduceat(columns, starts[:-1], axis=1)
        return cls(
            order, columns, starts, lows, np.maximum.reduceat(columns, starts[:-1], 1)
        )


class NeighbourSearch:
    """Find the nearest of some fixed points.

    Few coordinates are searched by SciPy's KD-tree, many in boxes of points, of which
    those too far away are passed over: if the points fill all directions evenly, few
    are, and the search is as good as brute force. A matrix product would be no faster
    there, and its rounding, hence the choice among near ties, would depend on the
    other queries.

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

    @property
    def order(self) -> NDArray[np.int64]:
        """The points as by `near_order`, without a tree of its own if there is one."""
        return near_order(self.points) if self.tree is None else self.tree.indices

    @cached_property
    def _boxes(self) -> Boxes:
        return Boxes.halved(self.points)

    @cached_property
    def _groups(self) -> tuple[Floats, Floats]:
        return self._boxes.groups()

    def nearest(
        self,
        queries: Coords,
        n_neighbors: int,
        *,
        known: NDArray[np.int64] | None = None,
        n_jobs: int | None = None,
    ) -> Neighbours:
        """Return the ``n_neighbors`` points nearest to each query.

        ``known`` are as many points for each query, thought to be near: no farther ones
        are looked for, and most boxes are too far away to be opened. Where distances
        tie, the search without them has the say: the tree, or else the lower number.
        """
        check_coords_size(queries)
        if known is None or self.points.shape[1] < BOXES_FROM:
            return self._search_all(queries, n_neighbors, n_jobs)
        limits = np.empty(len(queries))
        farthest(self.points, queries, known, limits)
        if self.tree is None:
            return self._search_boxes(queries, n_neighbors, limits, n_jobs)
        # One more than wanted shows whether the last one ties.
        more = min(n_neighbors + 1, len(self.points))
        found = self._search_boxes(queries, more, limits, n_jobs)
        tied = (np.diff(found.distances, axis=1) == 0).any(axis=1)
        rows = np.ascontiguousarray(found.rows[:, :n_neighbors])
        distances = np.ascontiguousarray(found.distances[:, :n_neighbors])
        if tied.any():
            again = self._search_all(queries[tied], n_neighbors, n_jobs)
            rows[tied], distances[tied] = again
        return Neighbours(rows, distances)

    def _search_all(
        self, queries: Coords, n_neighbors: int, n_jobs: int | None
    ) -> Neighbours:
        if self.tree is None:
            limits = np.full(len(queries), np.inf)
            return self._search_boxes(queries, n_neighbors, limits, n_jobs)
        distances, rows = self.tree.query(
            queries, k=range(1, n_neighbors + 1), workers=n_workers(n_jobs)
        )
        return Neighbours(rows.astype(np.int64, copy=False), distances)

    def _search_boxes(
        self, queries: Coords, n_neighbors: int, limits: Floats, n_jobs: int | None
    ) -> Neighbours:
        queries = np.ascontiguousarray(queries, np.float64)
        rows = np.empty((len(queries), n_neighbors), np.int64)
        squares = np.empty((len(queries), n_neighbors))
        limits = limits * (1 + 1e-9) + np.finfo(np.float64).tiny  # room for rounding

        boxes, groups = tuple(self._boxes), self._groups

        def work(block: tuple[int, int]) -> None:
            search(boxes, groups, queries, limits, *block, rows, squares)

        run_blocks(work, list(blocks_of(len(queries), QUERY_BLOCK)), n_jobs=n_jobs)
        return Neighbours(rows, np.sqrt(squares))


def check_coords_size(coords: Coords) -> None:
    """Refuse coordinates whose squares are infinite: no point is nearest to them."""
    # NaN compares false.
    if not (np.abs(coords) < LARGEST).all():
        message = (
            "coordinates are too large or not a number: distances between them cannot "
            f"be computed. Give finite coordinates below {LARGEST}."
        )
        raise ValueError(message)


def near_order(points: Coords) -> NDArray[np.int64]:
    """Return points in an order in which most follow one that lies near.

    What is done for one after the other finds what it reads close to the processor.
    """
    some = np.ascontiguousarray(points[:, :TREE_UP_TO])
    order: NDArray[np.int64] = KDTree(some, balanced_tree=False).indices
    return order


def search_demand(points: Coords) -> Demand:
    """Tell what it takes, at most, to make a `NeighbourSearch`.

    A KD-tree halves the space, so that points crowd into one half once for each power
    of two that their coordinates span: far more often than honest ones do, if at zero.
    """
    n_bytes = 4 * points.nbytes
    if points.shape[1] > TREE_UP_TO:
        return Demand(n_bytes, points.size * len(points).bit_length())
    powers = np.frexp(points)[1]
    n_halvings = sum(len(np.unique(column)) + USUAL_HALVINGS for column in powers.T)
    return Demand(n_bytes, len(points) * n_halvings)


def inverse_distance_weights(distances: Floats) -> Floats:
    """Weights 1/distance that sum to 1; exact hits share the whole weight."""
    nearest = distances.min(axis=1, keepdims=True)
    hit = distances == 0
    # Relative to the nearest, no weight is above 1, however small the distances.
    weights = np.where(nearest == 0, hit, nearest / np.where(hit, 1.0, distances))
    return weights / weights.sum(axis=1, keepdims=True)
