"""A plane fitted to the neighbours of each query, as weights of the neighbours."""

from collections.abc import Sequence

import numpy as np

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._room import Demand
from latentforest._base._types import Coords
from latentforest.neighbours._blend import Weights
from latentforest.neighbours._plane_loops import plane_as_weights
from latentforest.neighbours._search import Neighbours

QUERY_BLOCK = 128
A_FEW = 8  # queries


def plane_weights(
    points: Coords,
    queries: Coords,
    found: Neighbours,
    ridges: Sequence[float],
    *,
    follow: bool,
    n_jobs: int | None = None,
) -> list[Weights]:
    """Weights of the neighbours' average, and of the plane's value at each query.

    One for each ridge; several cost little more than one. A plane is followed no
    further than the neighbour that lies farthest in the direction of the query, or,
    with ``follow``, to four times the neighbours' mean distance from their middle.
    """
    average = np.empty(found.rows.shape)
    linear = np.empty((len(ridges), *found.rows.shape))
    queries = np.ascontiguousarray(queries)

    def work(block: tuple[int, int]) -> None:
        plane_as_weights(
            points,
            queries,
            found.rows,
            found.distances,
            np.array(ridges, np.float64),
            follow,
            *block,
            average,
            linear,
        )

    run_blocks(work, list(blocks_of(len(queries), QUERY_BLOCK)), n_jobs=n_jobs)
    return [Weights(average, planes) for planes in linear]


def plane_demand(n_neighbors: int, points: Coords) -> Demand:
    """Tell what it takes to fit planes for a handful of queries.

    Nothing of it is done for the file, but no file needs more for a few rows than for
    all that it holds.
    """
    n_points, n_components = points.shape
    n_rows = min(n_neighbors, n_points) + n_components
    return Demand(steps=A_FEW * n_rows * n_components**2)
