"""How far from points one still is among them."""

import numpy as np

from latentforest._base._types import Bools, Coords, Floats
from latentforest.neighbours._approximate import ApproximateSearch
from latentforest.neighbours._search import NeighbourSearch


class Reach:
    """The largest distance from a point to its nearest other one, and who is beyond.

    A new point from where the others come from lies beyond it once in n + 1 times.

    Parameters
    ----------
    search : NeighbourSearch or ApproximateSearch
        The search among the points.
    n_jobs : int or None, default=None
        Threads.
    """

    def __init__(
        self,
        search: NeighbourSearch | ApproximateSearch,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self._search, self._n_jobs = search, n_jobs
        n_nearest = min(2, len(search.points))
        found = search.nearest(search.points, n_nearest, n_jobs=n_jobs)
        self.limit = float(found.distances[:, -1].max())

    def is_far(self, coords: Coords) -> Bools:
        """Tell who is farther from all points than any of them is from the others."""
        return self._distances(coords) > self.limit

    def stretch(self, coords: Coords) -> Floats:
        """Distance to the nearest point in units of the limit; 1 up to there."""
        distances = self._distances(coords)
        if self.limit == 0:
            return np.ones(len(coords))
        return np.maximum(distances / self.limit, 1.0)

    def _distances(self, coords: Coords) -> Floats:
        nearest = self._search.nearest(coords, 1, n_jobs=self._n_jobs)
        return nearest.distances[:, 0]
