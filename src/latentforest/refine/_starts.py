"""The starts there are, by their names."""

from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Coords, Floats
from latentforest.layout import lay_out, neighbour_graph
from latentforest.refine._cells import Cells
from latentforest.refine._linear_start import LinearStart
from latentforest.refine._map import MOST_STARTS
from latentforest.refine._near_loops import nearest_of
from latentforest.refine._packed import PackedStart
from latentforest.refine._start import Hints, RowMap, RowsToRefine, Start

ROW_BLOCK = 512
ROWS_FOR_AXES = 10_000  # that a layout begins with


class ForestStart(Start):
    """The diffusion map of the forest."""

    name: ClassVar[str] = "forest"
    asks_map: ClassVar[bool] = True

    @classmethod
    def begin(cls, rows: RowsToRefine) -> tuple[Self, Coords]:
        """Take the forest's coordinates."""
        return cls(), rows.hints.coords()

    def places(self, cells: Cells, hints: Hints, refined: RowMap) -> list[Coords]:
        """Take the forest's coordinates."""
        return [hints.coords()]


class NeighbourStart(Start):
    """A layout in which neighbours stay together, whatever becomes of the rest.

    The forest proposes relatives of each row, those that share most leaves with it; of
    these the nearest by their cells are its neighbours. Their graph is laid out from
    principal components. New rows begin where their nearest refined rows lie.
    """

    name: ClassVar[str] = "neighbours"
    relatives = 64
    neighbours = 15
    tries = MOST_STARTS

    @classmethod
    def begin(cls, rows: RowsToRefine) -> tuple[Self, Coords]:
        """Lay out the graph of neighbours."""
        cells, n_jobs = rows.cells, rows.n_jobs
        related = rows.hints.relatives(cls.relatives)
        near = nearest_by_cells(cells, cells, related, cls.neighbours, n_jobs=n_jobs)
        some = cells.take(slice(None, None, max(1, len(related) // ROWS_FOR_AXES)))
        begin = LinearStart.fit(some, rows.n_components).place(cells)
        coords = lay_out(neighbour_graph(*near), begin, rows.rng, n_jobs=n_jobs)
        size = np.sqrt(np.square(coords).mean())
        return cls(), coords / (size or 1.0)

    def places(self, cells: Cells, hints: Hints, refined: RowMap) -> list[Coords]:
        """Take the places of the nearest refined rows; the middle if there are none."""
        related = hints.relatives(self.relatives)
        rows, _ = nearest_by_cells(
            refined.cells_, cells, related, self.tries, n_jobs=refined.n_jobs
        )
        middle = refined.coords_.mean(axis=0)
        return [
            np.where(column[:, None] < 0, middle, refined.coords_[column])
            for column in rows.T
        ]


_ALL: tuple[type[Start], ...] = (ForestStart, LinearStart, NeighbourStart, PackedStart)
STARTS = {start.name: start for start in _ALL}


def nearest_by_cells(
    known: Cells,
    wanted: Cells,
    candidates: NDArray[np.int64],
    n_neighbors: int,
    *,
    n_jobs: int | None,
) -> tuple[NDArray[np.int64], Floats]:
    """Find the nearest of each row's candidates, and how far they are, squared."""
    shape = len(wanted.values), n_neighbors
    rows, squares = np.full(shape, -1), np.full(shape, np.inf)

    def work(block: tuple[int, int]) -> None:
        nearest_of(
            known.values,
            known.is_number,
            known.step,
            wanted.values,
            candidates,
            *block,
            rows,
            squares,
        )

    run_blocks(work, list(blocks_of(shape[0], ROW_BLOCK)), n_jobs=n_jobs)
    return rows, squares
