"""Refine the rows of a table, and place others among them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._room import check_memory
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes, Coords, Floats
from latentforest._base._values import damaged
from latentforest.refine._map import RefinedMap
from latentforest.refine._settings import Refinement
from latentforest.refine._start import LinearStart
from latentforest.refine._targets import Targets
from latentforest.table import EncodedTable, TableSchema


@dataclass(frozen=True, slots=True)
class RefinedRows:
    """Rows that were refined together, and what it takes to place another one."""

    rows: NDArray[np.int64]  # (n_refined,) which rows of the table, where it is known
    codes: Codes  # (n_refined, n_columns) the rows themselves
    targets: Targets
    linear: LinearStart | None  # where rows begin, unless the forest says
    map: RefinedMap

    @property
    def needs_forest(self) -> bool:
        """Whether rows begin where the forest places them."""
        return self.linear is None

    def place(self, codes: Codes, start: Coords | None) -> Coords:
        """Move rows to where they decode best, from the forest's coordinates if any."""
        cells = self.targets.cells(codes)
        if self.linear is not None:
            start = self.linear.place(cells)
        assert start is not None, "needs_forest says so"
        return self.map.place(start, cells)

    def place_all(self, table: EncodedTable, start: Callable[[], Coords]) -> Coords:
        """Coordinates of all rows of the table that the refined rows come from.

        Copies of a row lie where it lies.
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
        self.targets.put(new)
        new.array("fill", self._fill())
        if self.linear is not None:
            new.array("centre", self.linear.mean)
            new.array("axes", self.linear.axes)
        new.put("linear", self.linear is not None)
        self.map.put(new)

    def _fill(self) -> Floats:
        """Find what the gaps of each cell were filled with; 0 where there are none."""
        cells = self.targets.cells(self.codes)
        fill = np.zeros(cells.shape[1])
        gaps = np.isnan(cells)
        found = gaps.any(axis=0)
        fill[found] = self.map.cells_[gaps.argmax(axis=0)[found], found]
        return fill

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
        targets = Targets.take(section, schema)
        n_cells = int(targets.start[-1])
        check_memory(len(codes) * n_cells * 8)
        cells, fill = targets.cells(codes), section.coords("fill", (n_cells,))
        linear = None
        if section.flag("linear"):
            linear = LinearStart(
                section.coords("centre", (n_cells,)),
                section.coords("axes", (n_components, n_cells)),
            )
        cells = np.ascontiguousarray(np.where(np.isnan(cells), fill, cells))
        refined = RefinedMap.take(section, coords, cells, n_jobs=n_jobs)
        return cls(rows, codes, targets, linear, refined)


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
    targets = Targets.of_table(table)
    cells = targets.cells(table.values[rows])
    begin, linear = start[rows], None
    if settings.start == "linear":
        linear = LinearStart.fit(cells, start.shape[1])
        begin = linear.place(cells)
    refined = RefinedMap(settings, n_jobs=n_jobs).fit(begin, cells)
    return RefinedRows(rows, table.values[rows], targets, linear, refined)
