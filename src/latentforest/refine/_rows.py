"""Refine the rows of a table, and place others among them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_option
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes, Coords, Floats
from latentforest._base._values import damaged
from latentforest.neighbours import NeighbourSearch
from latentforest.refine._cells import Cells, CellSpace
from latentforest.refine._linear_start import LinearStart
from latentforest.refine._map import MOST_STARTS, RefinedMap
from latentforest.refine._settings import Refinement
from latentforest.refine._start import Hints, Near, RowMap, RowsToRefine, Start
from latentforest.refine._starts import RELATIVES, STARTS, nearest_by_cells
from latentforest.table import EncodedTable, TableSchema

PROJECTED = 32  # rows near a projection, among which the nearest are found
FEW_WILD = 0.25  # share of rows with wild cells that are placed and not refined


@dataclass(frozen=True)
class RefinedRows:
    """Rows that were refined together, and what it takes to place another one."""

    rows: NDArray[np.int64]  # (n_refined,) which rows of the table, where it is known
    codes: Codes  # (n_refined, n_columns) the rows themselves
    space: CellSpace
    start: Start
    map: RowMap

    def place(self, codes: Codes, hints: Hints, *, fill: bool = False) -> Coords:
        """Move rows to where they, or the cells that they have, decode best."""
        codes = self.space.schema.at_edges(codes)
        return self._place(self.space.cells(codes, fill=fill), hints)

    def place_again(self, rows: NDArray[np.integer], hints: Hints) -> Coords:
        """Place some of the refined rows as new ones: each as if the others were all.

        The others lie where they lay, also those that this row has drawn near. Rows
        begin in one place each: others seldom change whether cells are missing.
        """
        return self._place(self.map.cells_.take(rows), hints, own=rows)

    def _place(
        self, cells: Cells, hints: Hints, own: NDArray[np.integer] | None = None
    ) -> Coords:
        if not isinstance(self.map, RefinedMap):
            return self.map.place(
                self.start.places(cells, hints, self.map, None), cells
            )
        near = nearest_by_cells(
            self.map.cells_,
            cells,
            self._likely(cells, hints, own),
            MOST_STARTS,
            n_jobs=self.map.n_jobs,
        )
        starts = self.start.places(cells, hints, self.map, near)
        starts = starts if own is None else starts[:1]
        nearest, share = self.map.coords_[near.rows[:, 0]], _share_of_way(near)[:, None]
        is_like = share < 1.0
        starts = [np.where(is_like, nearest, start) for start in starts]
        ends = self.map.place(starts, cells, own)
        return np.where(is_like, nearest + share * (ends - nearest), ends)

    def _likely(
        self, cells: Cells, hints: Hints, own: NDArray[np.integer] | None
    ) -> NDArray[np.int64]:
        """Refined rows among which the nearest of each row are looked for; −1: none.

        The forest's relatives; with a linear start those projected near by, so that no
        tree is asked.
        """
        if not isinstance(self.start, LinearStart):
            return hints.relatives(RELATIVES)
        wanted = min(PROJECTED + (own is not None), len(self._projected.points))
        found = self._projected.nearest(
            self.start.place(cells), wanted, n_jobs=self.map.n_jobs
        )
        return found.rows if own is None else found.without(own).rows

    @cached_property
    def _projected(self) -> NeighbourSearch:
        """Where a linear start places the refined rows."""
        assert isinstance(self.start, LinearStart), "others do not ask"
        return NeighbourSearch(self.start.place(self.map.cells_))

    def without(
        self, known: NDArray[np.integer], hints: Hints, *, rounds: int | None = None
    ) -> "RefinedRows":
        """Make the map again of some of its rows, ``known``.

        With ``rounds``, from where they lie: the others have drawn their neighbours
        near, and without them these move on. The new map lies on the old one, but for
        what so many rounds of a layout change. ``hints`` gives what the forest says of
        the known rows.
        """
        cells, coords = self.map.cells_.take(known), self.map.coords_[known]
        n_jobs = self.map.n_jobs
        rng = np.random.default_rng(0)
        rows = RowsToRefine(cells, hints, coords.shape[1], rng, n_jobs)
        if rounds is None:
            start, begin = type(self.start).begin(rows)
        else:
            start, begin = self.start, self.start.begin_again(rows, coords, rounds)
        moved = start.refine(self.map.settings, begin, cells, n_jobs=n_jobs)
        rows_left, codes = self.rows[known], self.codes[known]
        return replace(self, rows=rows_left, codes=codes, start=start, map=moved)

    def place_all(
        self, table: EncodedTable, own: Coords, place: Callable[[Codes], Coords]
    ) -> Coords:
        """Coordinates of all rows of the table that the refined rows come from.

        Refined rows, and copies of them, lie where ``own`` says; ``place`` places the
        others, as new rows.
        """
        number = table.distinct_rows()
        refined = np.full(number.max() + 1, -1)
        refined[number[self.rows]] = np.arange(len(self.rows))
        at = refined[number]
        coords = own[at]
        others = np.flatnonzero(at < 0)
        if len(others):
            coords[others] = place(table.values[others])
        return coords

    def put(self, new: NewSection, *, with_codes: bool) -> None:
        """Write the refinement to a model file; codes only if no table is in it."""
        if with_codes:
            new.array("codes", self.codes)
        else:
            new.array("rows", self.rows.astype(np.int64))
        self.space.put(new)
        self.map.put(new)
        new.put("start", self.start.name)
        self.start.put(new)

    @classmethod
    def take(
        cls,
        section: Section,
        schema: TableSchema,
        table: EncodedTable | None,
        n_components: int,
        *,
        n_jobs: int | None,
    ) -> "RefinedRows":
        """Rebuild a refinement from a model file, with or without the table."""
        coords = section.coords("coords", (None, n_components))
        if len(coords) == 0:
            raise damaged("there are no refined rows")
        if table is None:
            rows = np.empty(0, np.int64)
            codes = schema.take_codes(section, "codes", len(coords))
        else:
            rows = section.rows("rows", len(coords), table.n_rows)
            codes = table.values[rows]
        space = CellSpace.take(section, schema)
        if section.has("start"):
            name = check_option("start", section.text("start"), tuple(STARTS))
        else:  # older files
            name = "linear" if section.flag("linear") else "forest"
        cells = space.cells(schema.at_edges(codes))
        start = STARTS[name].take(section, n_components, cells)
        refined = start.take_map(section, coords, cells, n_jobs=n_jobs)
        return cls(rows, codes, space, start, refined)


def _share_of_way(near: Near) -> Floats:
    """Tell which share of its way a row goes, (n_rows,): all of it but near a copy.

    A row less than half as far from the nearest refined row as from the second one
    begins there. It stays the closer the more it is a copy, so that a small change of a
    row moves it a little.
    """
    first, second = near.squares[:, 0], near.squares[:, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = 2.0 * np.sqrt(first / second)
    share = np.where(first == 0.0, 0.0, share)
    return np.where(np.isfinite(second), np.minimum(share, 1.0), 1.0)


def _without_wild(table: EncodedTable, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Leave out rows with wild cells, unless they are many.

    Rows near by would be decoded by cells that lie at an edge and belong nowhere.
    """
    is_wild = table.schema.is_wild(table.values[rows]).any(axis=1)
    return rows if is_wild.sum() > FEW_WILD * len(rows) else rows[~is_wild]


def refine_rows(
    settings: Refinement,
    table: EncodedTable,
    hints: Callable[[NDArray[np.int64]], Hints],
    n_components: int,
    rng: np.random.Generator,
    *,
    n_jobs: int | None = None,
) -> RefinedRows:
    """Refine the distinct rows of a table, or as many as the settings allow.

    Rows with wild cells are left out, and placed later.

    ``hints`` gives, for the rows that are refined, what the forest says of each as if
    it were new.
    """
    _, rows = np.unique(table.distinct_rows(), return_index=True)
    rows = _without_wild(table, rows)
    most = settings.most_rows(n_components)
    if len(rows) > most:
        rows = rng.choice(rows, most, replace=False)
    rows = np.sort(rows)
    # What packed coordinates carry is a whole column, gaps and all.
    space = CellSpace.of_table(
        table,
        tell_gaps=settings.start != "packed",
        common_unit=settings.units == "common",
    )
    cells = space.cells(table.schema.at_edges(table.values[rows]))
    given = RowsToRefine(cells, hints(rows), n_components, rng, n_jobs)
    settings = settings.resolved(n_components)
    start, begin = STARTS[settings.start].begin(given)
    refined = start.refine(settings, begin, cells, n_jobs=n_jobs)
    return RefinedRows(rows, table.values[rows], space, start, refined)
