"""Coordinates that are moved until the decoder loses least."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._room import Demand
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Coords, Floats
from latentforest._base._values import damaged
from latentforest.neighbours import (
    Neighbours,
    NeighbourSearch,
    near_order,
    plane_demand,
    search_demand,
)
from latentforest.refine._cells import Cells
from latentforest.refine._cells_loops import MANY_LEVELS
from latentforest.refine._settings import Refinement
from latentforest.refine._steps_loops import step_rows

QUERY_BLOCK = 256
FAR = 1e6  # standard deviations from the mean; √n_rows is the most there is
MOST_CELLS = 2**24  # written out for all rows; reading them is faster
MOST_STARTS = 3  # that a new row is moved from
GAIN = 1e-3  # a step that gains less than this share is the last


class RefinedMap:
    """Refined coordinates of training rows, and the search that places new ones.

    Parameters
    ----------
    settings : Refinement
        Rounds, neighbours, ridge and steps.
    n_jobs : int or None, default=None
        Threads; results are the same for any number.

    Attributes
    ----------
    coords_ : ndarray of shape (n_rows, n_components)
        Coordinates of the training rows.
    objective_ : list of float
        What is lost per row, before the first round and after each; it never rises.
    """

    columns = None

    def __init__(self, settings: Refinement, *, n_jobs: int | None = None) -> None:
        self.settings = settings
        self.n_jobs = n_jobs

    def fit(self, start: Coords, cells: Cells) -> "RefinedMap":
        """Move distinct rows, given by their start and their cells, round by round.

        All rows move at once. If that makes things worse, the round is taken back and
        the next one goes half as far.
        """
        self.keep(cells, cells.mean())
        coords = np.ascontiguousarray(start)
        wanted = self.settings.neighbors_for(coords)
        n_neighbors = min(wanted, len(coords) - 1)
        self.objective_: list[float] = []
        move, pace = np.zeros_like(coords), 1.0
        for _ in range(self.settings.rounds + 1):
            moved = coords + pace * move
            loss, step = self._steps(moved, cells, n_neighbors)
            if self.objective_ and loss.mean() >= self.objective_[-1]:
                self.objective_.append(self.objective_[-1])
                pace /= 2
                continue
            coords, move = moved, step
            self.objective_.append(float(loss.mean()))
        self.coords_, self.search_ = coords, NeighbourSearch(coords)
        return self

    def keep(self, cells: Cells, fill: Floats) -> None:
        """Keep the rows' cells, and what gaps count as; all written out if few."""
        self.cells_, self.fill_ = cells, fill
        self.dense_ = np.empty((0, 0))
        if n_written_out(cells):
            dense = cells.dense()
            self.dense_ = np.where(np.isnan(dense), fill, dense)

    def place(
        self,
        starts: Sequence[Coords],
        cells: Cells,
        own: NDArray[np.integer] | None = None,
    ) -> Coords:
        """Move rows from their starts to where the decoder comes closest to them.

        Of the places where a row may start the one that ends best is kept, the first
        of equals. No row ends where the decoder does worse than at a start. Each row
        is moved on its own: the others change nothing. ``own`` says which refined rows
        they are, if they are: each is placed as if the map did not know it.
        """
        coords = np.empty_like(starts[0])
        own = np.full(len(coords), -1) if own is None else own

        order = near_order(starts[0])

        def work(block: tuple[int, int]) -> None:
            rows = order[slice(*block)]
            ends, lost = self._place_block(
                np.concatenate([start[rows] for start in starts]),
                cells.take(np.tile(rows, len(starts))),
                np.tile(own[rows], len(starts)),
            )
            best = lost.reshape(len(starts), -1).argmin(axis=0)
            coords[rows] = ends[best * len(rows) + np.arange(len(rows))]

        blocks = list(blocks_of(len(coords), QUERY_BLOCK))
        run_blocks(work, blocks, n_jobs=self.n_jobs)
        return coords

    def _place_block(
        self, start: Coords, cells: Cells, own: NDArray[np.integer]
    ) -> tuple[Coords, Floats]:
        coords, lost = np.array(start, np.float64, order="C"), np.empty(len(start))
        active = np.arange(len(coords))
        loss, move, known = self._look(coords, cells, own=own)
        lost[:] = loss
        pace = np.ones(len(coords))
        for _ in range(self.settings.steps):
            tried = coords[active] + pace[:, None] * move
            new_loss, new_move, near = self._look(
                tried, cells.take(active), known, own[active]
            )
            better = new_loss < loss
            gained = loss - new_loss > GAIN * loss
            coords[active[better]] = tried[better]
            move[better], loss[better] = new_move[better], new_loss[better]
            known[better], lost[active] = near[better], loss
            pace = np.where(better, np.minimum(1.0, 1.5 * pace), 0.4 * pace)
            going = np.where(better, gained, pace > 0.05) & (loss > 0)
            active, pace = active[going], pace[going]
            move, loss, known = move[going], loss[going], known[going]
            if not len(active):
                break
        return coords, lost

    def _look(
        self,
        queries: Coords,
        cells: Cells,
        known: NDArray[np.int64] | None = None,
        own: NDArray[np.integer] | None = None,
    ) -> tuple[Floats, Coords, NDArray[np.int64]]:
        """Find loss and step at each query, and its neighbours."""
        wanted = self.settings.neighbors_for(self.coords_)
        some_are_own = own is not None and bool((own >= 0).any())
        n_neighbors = min(wanted + some_are_own, len(self.coords_))
        found = self.search_.nearest(queries, n_neighbors, known=known, n_jobs=1)
        others = found if own is None or not some_are_own else found.without(own)
        return *self._step(self.coords_, queries, cells, others), found.rows

    def _steps(
        self, points: Coords, cells: Cells, n_neighbors: int
    ) -> tuple[Floats, Coords]:
        """Find loss and step at each of the points, among the others."""
        loss, move = np.empty(len(points)), np.empty_like(points)
        search = NeighbourSearch(points)
        order = search.order

        def work(block: tuple[int, int]) -> None:
            rows = order[slice(*block)]
            found = search.nearest(points[rows], n_neighbors + 1, n_jobs=1)
            loss[rows], move[rows] = self._step(
                points, points[rows], cells.take(rows), found.without(rows)
            )

        blocks = list(blocks_of(len(points), QUERY_BLOCK))
        run_blocks(work, blocks, n_jobs=self.n_jobs)
        return loss, move

    def _step(
        self, points: Coords, queries: Coords, cells: Cells, found: Neighbours
    ) -> tuple[Floats, Coords]:
        loss, move = np.empty(len(queries)), np.empty_like(queries)
        step_rows(
            points,
            self.dense_,
            self.cells_.values,
            self.fill_,
            cells.is_number,
            cells.start,
            queries,
            cells.values,
            *found,
            float(self.settings.ridge),
            loss,
            move,
        )
        return loss, move

    def put(self, new: NewSection) -> None:
        """Write settings, objective, coordinates and fill to a model file."""
        new.section("settings").object(self.settings, (Refinement,), "the refinement")
        new.data["objective"] = [float(loss) for loss in self.objective_]
        new.array("coords", self.coords_)
        new.need(_demand(self.settings, self.coords_, self.cells_))
        # 0 for cells that have no gap to fill.
        gaps = np.isnan(self.cells_.values).any(axis=0)
        filled = np.repeat(gaps, np.diff(self.cells_.start))
        new.array("fill", np.where(filled, self.fill_, 0.0))

    @classmethod
    def take(
        cls, section: Section, coords: Coords, cells: Cells, *, n_jobs: int | None
    ) -> "RefinedMap":
        """Rebuild the map of rows at known coordinates, with known cells."""
        refined = cls(section.section("settings").object((Refinement,)), n_jobs=n_jobs)
        fill = section.coords("fill", (cells.n_cells,))
        numbers = cells.values[:, cells.is_number]
        if max(np.nanmax(np.abs(part), initial=0) for part in (numbers, fill)) > FAR:
            mean, scale = section.path("mean"), section.path("scale")
            raise damaged(f"{mean} and {scale} do not fit the rows")
        section.need(_demand(refined.settings, coords, cells))
        refined.keep(cells, fill)
        refined.objective_ = section.values("objective")
        refined.coords_ = np.ascontiguousarray(coords)
        refined.search_ = NeighbourSearch(refined.coords_)
        return refined


def n_written_out(cells: Cells) -> int:
    """Count the cells that are written out for all rows: all of them, if few."""
    n_cells = len(cells.values) * cells.n_cells
    few = np.diff(cells.start).max() <= MANY_LEVELS and n_cells <= MOST_CELLS
    return n_cells if few else 0


def _demand(settings: Refinement, coords: Coords, cells: Cells) -> Demand:
    """Tell what it takes to write cells out, index the rows, and place a few others."""
    n_cells = n_written_out(cells)
    plane = plane_demand(settings.neighbors_for(coords), coords)
    n_starts = MOST_STARTS if settings.start == "neighbours" else 1
    moves = Demand(steps=plane.steps * (settings.steps + 1) * n_starts)
    return Demand(24 * n_cells, 8 * n_cells) + search_demand(coords) + moves
