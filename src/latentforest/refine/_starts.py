"""The starts there are, by their names."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Coords
from latentforest._base._values import damaged
from latentforest.layout import NeighbourGraph, lay_out, neighbour_graph
from latentforest.refine._cells import Cells
from latentforest.refine._linear_start import LinearStart
from latentforest.refine._near_loops import nearest_of
from latentforest.refine._packed import PackedStart
from latentforest.refine._start import Hints, Near, RowMap, RowsToRefine, Start

ROW_BLOCK = 512
RELATIVES = 64  # rows that share most leaves, among which the nearest are found
ROWS_FOR_AXES = 10_000  # that a layout begins with
TYPICAL_SCALE = 4.0  # of layouts of some thousand rows


class ForestStart(Start):
    """The diffusion map of the forest."""

    name: ClassVar[str] = "forest"
    asks_map: ClassVar[bool] = True

    @classmethod
    def begin(cls, rows: RowsToRefine) -> tuple[Self, Coords]:
        """Take the forest's coordinates."""
        return cls(), rows.hints.coords()

    def begin_again(self, rows: RowsToRefine, coords: Coords, rounds: int) -> Coords:
        """Take the forest's coordinates."""
        return rows.hints.coords()

    def places(
        self, cells: Cells, hints: Hints, refined: RowMap, near: Near | None
    ) -> list[Coords]:
        """Take the forest's coordinates."""
        return [hints.coords()]


@dataclass(frozen=True, slots=True)
class NeighbourStart(Start):
    """A layout in which neighbours stay together, whatever becomes of the rest.

    The forest proposes relatives of each row, those that share most leaves with it; of
    these the nearest by their cells are its neighbours. Their graph is laid out from
    principal components. New rows begin where their nearest refined rows lie.
    """

    name: ClassVar[str] = "neighbours"
    neighbours: ClassVar[int] = 15

    scale: float  # of the layout, in units of the coordinates that rows begin with

    @classmethod
    def begin(cls, rows: RowsToRefine) -> tuple[Self, Coords]:
        """Lay out the graph of neighbours."""
        some = slice(None, None, max(1, len(rows.cells.values) // ROWS_FOR_AXES))
        start = LinearStart.fit(rows.cells.take(some), rows.n_components)
        graph = cls._graph(rows)
        coords = lay_out(graph, start.place(rows.cells), rows.rng, n_jobs=rows.n_jobs)
        scale = float(np.sqrt(np.square(coords).mean())) or 1.0
        return cls(scale), coords / scale

    def begin_again(self, rows: RowsToRefine, coords: Coords, rounds: int) -> Coords:
        """Let the layout relax without the other rows."""
        graph, laid_out = self._graph(rows), coords * self.scale
        relaxed = lay_out(graph, laid_out, rows.rng, relax=rounds, n_jobs=rows.n_jobs)
        return relaxed / self.scale

    @classmethod
    def _graph(cls, rows: RowsToRefine) -> NeighbourGraph:
        cells, related = rows.cells, rows.hints.relatives(RELATIVES)
        near = nearest_by_cells(
            cells, cells, related, cls.neighbours, n_jobs=rows.n_jobs
        )
        return neighbour_graph(*near)

    def places(
        self, cells: Cells, hints: Hints, refined: RowMap, near: Near | None
    ) -> list[Coords]:
        """Take the places of the nearest refined rows; the middle if there are none."""
        assert near is not None, "rows are moved from here"
        middle = refined.coords_.mean(axis=0)
        return [
            np.where(column[:, None] < 0, middle, refined.coords_[column])
            for column in near.rows.T
        ]

    def put(self, new: NewSection) -> None:
        """Write the scale to a model file."""
        new.put("layout_scale", self.scale)

    @classmethod
    def take(cls, section: Section, n_components: int, cells: Cells) -> Self:
        """Read the scale from a model file."""
        if not section.has("layout_scale"):  # older files
            return cls(TYPICAL_SCALE)
        scale = section.number("layout_scale")
        if not 0 < scale < np.inf:
            raise damaged(f"{section.path('layout_scale')} is {scale}")
        return cls(scale)


_ALL: tuple[type[Start], ...] = (ForestStart, LinearStart, NeighbourStart, PackedStart)
STARTS = {start.name: start for start in _ALL}


def nearest_by_cells(
    known: Cells,
    wanted: Cells,
    candidates: NDArray[np.int64],
    n_neighbors: int,
    *,
    n_jobs: int | None,
) -> Near:
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
    return Near(rows, squares)
