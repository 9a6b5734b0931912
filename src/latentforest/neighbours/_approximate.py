"""Neighbours that are found fast, though not all of them: an index of voyager's."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._optional import require
from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._room import Demand
from latentforest._base._types import Bools, Coords, Floats
from latentforest.neighbours._search import (
    QUERY_BLOCK,
    Neighbours,
    NeighbourSearch,
    check_coords_size,
    search_demand,
)
from latentforest.neighbours._search_loops import nearest_of

EXTRA, ENTRY, MOST = "ann", 2, 16  # what to install; least and largest effort
SPARE = 16  # candidates beyond those wanted: single precision may swap near ties
LINKS, BREADTH = 16, 200  # of each point in the index; candidates when it is linked
ROWS_AT_ONCE = 4_096  # that are added; Ctrl-C is heard in between
OUTSIDE = 2.0  # points lie within 1 of their middle
GOOD = 0.98  # share of neighbours found that is worth no more effort
LINK_BYTES, LINK_STEPS = 8 * LINKS + 128, 16_000  # of each point; at most


class ApproximateSearch:
    """Find most of the nearest of some fixed points.

    A graph of the points (HNSW, by the package `voyager`) proposes candidates in single
    precision; distances to them, and their order, are exact. The graph is built by one
    thread from a fixed seed, so that the same points give the same neighbours whatever
    the number of threads, the batch or its order. It is built when first asked, and
    never stored.

    Queries far outside the points, where single precision cannot tell them apart, and
    those for which the graph proposes too few are searched exactly; so are all if the
    search would look at as many candidates as there are points.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_components)
        The points to search among.
    effort : int, default=2
        Candidates that are looked at, for each that is wanted.
    """

    def __init__(self, points: Coords, effort: int = ENTRY) -> None:
        self.exact, self.effort = NeighbourSearch(points), effort
        self._middle = np.median(points, axis=0)
        size = np.abs(self.points - self._middle).max()
        self._size = size if size > 0 else 1.0

    @property
    def points(self) -> Coords:
        """The points to search among."""
        return self.exact.points

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "_index"}

    @cached_property
    def _index(self) -> Any:
        voyager = require("voyager", extra=EXTRA)
        index = voyager.Index(
            voyager.Space.Euclidean,
            num_dimensions=self.points.shape[1],
            M=LINKS,
            ef_construction=BREADTH,
            random_seed=0,
            max_elements=len(self.points),
        )
        for begin, end in blocks_of(len(self.points), ROWS_AT_ONCE):
            rows = np.arange(begin, end)
            index.add_items(self._single(self.points[rows]), rows, num_threads=1)
        return index

    def _single(self, coords: Coords) -> NDArray[np.float32]:
        return ((coords - self._middle) / self._size).astype(np.float32)

    def nearest(
        self, queries: Coords, n_neighbors: int, *, n_jobs: int | None = None
    ) -> Neighbours:
        """Return ``n_neighbors`` points near each query, mostly the nearest ones."""
        check_coords_size(queries)
        wanted = n_neighbors + SPARE
        if self.effort * wanted >= len(self.points):
            return self.exact.nearest(queries, n_neighbors, n_jobs=n_jobs)
        queries = np.ascontiguousarray(queries, np.float64)
        rows = np.empty((len(queries), n_neighbors), np.int64)
        distances = np.empty((len(queries), n_neighbors))
        far = np.abs(queries - self._middle) > OUTSIDE * self._size
        missed: Bools = np.asarray(far.any(axis=1))
        inside = np.flatnonzero(~missed)
        _ = self._index  # once, before there are threads

        def work(block: tuple[int, int]) -> None:
            at = inside[slice(*block)]
            candidates, short = self._propose(self._single(queries[at]), wanted)
            here, missed[at] = at[~short], short
            found = np.empty((len(here), n_neighbors), np.int64)
            away = np.empty((len(here), n_neighbors))
            nearest_of(self.points, queries[here], candidates[~short], found, away)
            rows[here], distances[here] = found, np.sqrt(away)

        run_blocks(work, list(blocks_of(len(inside), QUERY_BLOCK)), n_jobs=n_jobs)
        if missed.any():
            rows[missed], distances[missed] = self.exact.nearest(
                queries[missed], n_neighbors, n_jobs=n_jobs
            )
        return Neighbours(rows, distances)

    def _propose(
        self, queries: NDArray[np.float32], wanted: int
    ) -> tuple[NDArray[np.uint64], Bools]:
        """Return candidates for each query, and where there are too few of them."""
        too_few = require("voyager", extra=EXTRA).RecallError
        try:
            rows, _ = self._index.query(
                queries, wanted, num_threads=1, query_ef=self.effort * wanted
            )
        except too_few:
            if len(queries) == 1:
                return np.zeros((1, wanted), np.uint64), np.array([True])
            # The package does not say which query it was.
            half = len(queries) // 2
            parts = [
                self._propose(part, wanted) for part in (queries[:half], queries[half:])
            ]
            rows, short = (np.concatenate(pair) for pair in zip(*parts, strict=True))
            return rows, short
        return rows, np.zeros(len(queries), np.bool_)

    def learn_effort(
        self,
        queries: Coords,
        own: NDArray[np.int64],
        n_neighbors: int,
        *,
        n_jobs: int | None = None,
    ) -> float:
        """Double the effort until nearly all neighbours are found; return their share.

        Each query belongs to a point, whose number is in ``own``: it does not count.
        """
        n_nearest = min(n_neighbors + 1, len(self.points))
        true = self.exact.nearest(queries, n_nearest, n_jobs=n_jobs).without(own)
        self.effort = ENTRY
        while True:
            found = self.nearest(queries, n_nearest, n_jobs=n_jobs).without(own)
            recall = share_found(found.distances, true.distances)
            if recall >= GOOD or self.effort >= MOST:
                return recall
            self.effort *= 2


def share_found(found: Floats, true: Floats) -> float:
    """Share of neighbours no farther away than the last true one, of all wanted.

    Of neighbours at the same distance one is as good as another.
    """
    if not true.size:
        return 1.0
    return float((found <= true[:, -1:] * (1 + 1e-9)).mean())


def approximate_demand(points: Coords) -> Demand:
    """Tell what it takes, at most, to make an `ApproximateSearch` and its graph."""
    graph = points.nbytes // 2 + LINK_BYTES * len(points)
    return search_demand(points) + Demand(graph, LINK_STEPS * len(points))
