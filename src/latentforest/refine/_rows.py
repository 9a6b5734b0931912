"""Refine the rows of a table, and place others among them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes, Coords
from latentforest._base._values import damaged
from latentforest.refine._cells import CellSpace
from latentforest.refine._map import RefinedMap
from latentforest.refine._settings import Refinement
from latentforest.refine._start import LinearStart
from latentforest.table import EncodedTable, TableSchema


@dataclass(frozen=True, slots=True)
class RefinedRows:
    """Rows that were refined together, and what it takes to place another one."""

    rows: NDArray[np.int64]  # (n_refined,) which rows of the table, where it is known
    codes: Codes  # (n_refined, n_columns) the rows themselves
    space: CellSpace
    linear: LinearStart | None  # where rows begin, unless the forest says
    map: RefinedMap

    @property
    def needs_forest(self) -> bool:
        """Whether rows begin at the forest's coordinates."""
        return self.linear is None

    def place(self, codes: Codes, start: Coords | None = None) -> Coords:
        """Move rows to where they decode best.

        ``start`` are the forest's coordinates; they are asked for only if
        `needs_forest`.
        """
        cells = self.space.cells(codes)
        if self.linear is not None:
            start = self.linear.place(cells)
        assert start is not None, "the forest says where rows begin"
        return self.map.place(start, cells)

    def place_all(self, table: EncodedTable, start: Callable[[], Coords]) -> Coords:
        """Coordinates of all rows of the table that the refined rows come from.

        Copies of a row lie where it lies. ``start`` gives what `place` may need.
        """
        number = table.distinct_rows()
        refined = np.full(number.max() + 1, -1)
        refined[number[self.rows]] = np.arange(len(self.rows))
        at = refined[number]
        coords = self.map.coords_[at]
        others = np.flatnonzero(at < 0)
        if len(others):
            begin = start()[others] if self.needs_forest else None
            coords[others] = self.place(table.values[others], begin)
        return coords

    def put(self, new: NewSection, *, with_codes: bool) -> None:
        """Write the refinement to a model file; codes only if no table is in it."""
        if with_codes:
            new.array("codes", self.codes)
        else:
            new.array("rows", self.rows.astype(np.int64))
        self.space.put(new)
        self.map.put(new)
        new.put("linear", self.linear is not None)
        if self.linear is not None:
            self.linear.put(new)

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
        refined = RefinedMap.take(section, coords, space.cells(codes), n_jobs=n_jobs)
        linear = None
        if section.flag("linear"):
            linear = LinearStart.take(section, n_components, refined.cells_.n_cells)
        return cls(rows, codes, space, linear, refined)


def refine_rows(
    settings: Refinement,
    table: EncodedTable,
    start: Coords,
    rng: np.random.Generator,
    *,
    n_jobs: int | None = None,
) -> RefinedRows:
    """Refine the distinct rows of a table, or as many as ``settings.max_rows``.

    ``start`` are the forest's coordinates of all rows, each as if it were new.
    """
    _, rows = np.unique(table.distinct_rows(), return_index=True)
    if len(rows) > settings.max_rows:
        rows = rng.choice(rows, settings.max_rows, replace=False)
    rows = np.sort(rows)
    space = CellSpace.of_table(table)
    cells = space.cells(table.values[rows])
    begin, linear = start[rows], None
    if settings.start == "linear":
        linear = LinearStart.fit(cells, start.shape[1])
        begin = linear.place(cells)
    refined = RefinedMap(settings, n_jobs=n_jobs).fit(begin, cells)
    return RefinedRows(rows, table.values[rows], space, linear, refined)
