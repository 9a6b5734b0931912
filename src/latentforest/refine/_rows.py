"""Refine the rows of a table, and place others among them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_option
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes, Coords
from latentforest._base._values import damaged
from latentforest.refine._cells import CellSpace
from latentforest.refine._map import RefinedMap
from latentforest.refine._settings import Refinement
from latentforest.refine._start import Hints, RowMap, RowsToRefine, Start
from latentforest.refine._starts import STARTS
from latentforest.table import EncodedTable, TableSchema


@dataclass(frozen=True, slots=True)
class RefinedRows:
    """Rows that were refined together, and what it takes to place another one."""

    rows: NDArray[np.int64]  # (n_refined,) which rows of the table, where it is known
    codes: Codes  # (n_refined, n_columns) the rows themselves
    space: CellSpace
    start: Start
    map: RowMap

    def place(self, codes: Codes, hints: Hints, *, fill: bool = False) -> Coords:
        """Move rows to where they, or the cells that they have, decode best."""
        cells = self.space.cells(codes, fill=fill)
        return self.map.place(self.start.places(cells, hints, self.map), cells)

    def place_anew(self, rows: NDArray[np.integer], hints: Hints) -> Coords:
        """Place some of the refined rows again, each as if the others were all.

        They begin in one place each: others seldom change whether cells are missing.
        """
        assert isinstance(self.map, RefinedMap), "rows of other maps are not moved"
        cells = self.map.cells_.take(rows)
        starts = self.start.places(cells, hints, self.map)[:1]
        return self.map.place(starts, cells, rows)

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
        cells = space.cells(codes)
        start = STARTS[name].take(section, n_components, cells)
        refined = start.take_map(section, coords, cells, n_jobs=n_jobs)
        return cls(rows, codes, space, start, refined)


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

    ``hints`` gives, for the rows that are refined, what the forest says of each as if
    it were new.
    """
    _, rows = np.unique(table.distinct_rows(), return_index=True)
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
    cells = space.cells(table.values[rows])
    given = RowsToRefine(cells, hints(rows), n_components, rng, n_jobs)
    settings = settings.resolved(n_components)
    start, begin = STARTS[settings.start].begin(given)
    refined = start.refine(settings, begin, cells, n_jobs=n_jobs)
    return RefinedRows(rows, table.values[rows], space, start, refined)
