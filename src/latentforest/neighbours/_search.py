"""Exact nearest neighbours in coordinate space, the same for any batch of queries."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._room import Demand
from latentforest._base._types import Coords, Floats
from latentforest.neighbours._search_loops import GROUP, farthest, search
from latentforest.neighbours._tree_loops import LEAF, plant, search_tree

TREE_UP_TO = 8  # coordinates; a tree up to there, boxes in groups above
BOX = 32  # points
QUERY_BLOCK = 256
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


class Tree(NamedTuple):
    """Points in the leaves of a tree that halves them, leaf after leaf."""

    order: NDArray[np.int64]  # (n_points,) which point comes where
    columns: Floats  # (n_components, n_points) coordinates in this order
    starts: NDArray[np.int64]  # (n_leaves + 1,) where each leaf begins
    bounds: Floats  # (n_nodes, 2 n_components) least and largest coordinates

    @classmethod
    def planted(cls, points: Coords) -> "Tree":
        """Halve the points across their widest side until leaves are small."""
        depth = max(0, (len(points) - 1) // LEAF).bit_length()
        order, starts = np.empty(len(points), np.int64), np.empty(2**depth + 1, int)
        bounds = np.empty((2 * 2**depth - 1, 2 * points.shape[1]))
        plant(points, depth, order, starts, bounds)
        return cls(order, np.ascontiguousarray(points[order].T), starts, bounds)


class NeighbourSearch:
    """Find the nearest of some fixed points; of equals the lower number is nearer.

    Few coordinates are searched in a tree, many in boxes of points, of which those too
    far away are passed over in groups: if the points fill all directions evenly, few
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
        # A copy: callers may change theirs.
        self.points = np.array(points, np.float64, order="C")

    @property
    def order(self) -> NDArray[np.int64]:
        """The points as by `near_order`, without a tree of its own if there is one."""
        return self._tree.order if self._few else near_order(self.points)

    @property
    def _few(self) -> bool:
        return self.points.shape[1] <= TREE_UP_TO

    @cached_property
    def _tree(self) -> Tree:
        return Tree.planted(self.points)

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
        are looked for, which changes no bit.
        """
        check_coords_size(queries)
        queries = np.ascontiguousarray(queries, np.float64)
        limits = np.full(len(queries), np.inf)
        if known is not None:
            farthest(self.points, queries, known, limits)
            limits = limits * (1 + 1e-9) + np.finfo(np.float64).tiny  # for rounding
        rows = np.empty((len(queries), n_neighbors), np.int64)
        squares = np.empty((len(queries), n_neighbors))
        work = self._work(queries, limits, rows, squares)
        run_blocks(work, list(blocks_of(len(queries), QUERY_BLOCK)), n_jobs=n_jobs)
        return Neighbours(rows, np.sqrt(squares))

    def _work(self, *given: Any) -> Callable[[tuple[int, int]], None]:
        queries, limits, *found = given
        if self._few:
            tree = tuple(self._tree)
            return lambda block: search_tree(tree, queries, limits, *block, *found)
        boxes, groups = tuple(self._boxes), self._groups
        return lambda block: search(boxes, groups, queries, limits, *block, *found)


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
    return Tree.planted(points[:, :TREE_UP_TO]).order


def search_demand(points: Coords) -> Demand:
    """Tell what it takes, at most, to make a `NeighbourSearch`."""
    return Demand(4 * points.nbytes, points.size * len(points).bit_length())


def inverse_distance_weights(distances: Floats) -> Floats:
    """Weights 1/distance that sum to 1; exact hits share the whole weight."""
    nearest = distances.min(axis=1, keepdims=True)
    hit = distances == 0
    # Relative to the nearest, no weight is above 1, however small the distances.
    weights = np.where(nearest == 0, hit, nearest / np.where(hit, 1.0, distances))
    return weights / weights.sum(axis=1, keepdims=True)
