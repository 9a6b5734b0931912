"""Rows as points in a space where squared distance measures distortion."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from latentforest._base._moments import mean_of, std_of
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Bools, Codes, Floats
from latentforest._base._values import damaged
from latentforest.table import EncodedTable, TableSchema

GAP = np.sqrt(2.0)  # from a gap to a value: as far as from one level to another


@dataclass(frozen=True, slots=True)
class Cells:
    """Points of a `CellSpace`, kept as one value per column.

    A number is one cell. A category has one cell per level: 1 at its own, 0 elsewhere.
    Behind the columns of the table stand those that tell gaps from values, as numbers.
    """

    values: Floats  # (n_rows, n_columns) the number's cell, or the level; NaN: a gap
    is_number: Bools  # (n_columns,)
    start: NDArray[np.int64]  # (n_columns + 1,) first cell of each column
    step: Floats  # (n_columns,) between next levels where they have an order; else 0

    @property
    def n_cells(self) -> int:
        """Cells of a row."""
        return int(self.start[-1])

    def take(self, rows: NDArray[np.integer] | slice) -> "Cells":
        """Return some of the rows."""
        return replace(self, values=self.values[rows])

    def dense(self) -> Floats:
        """All cells of each row, (n_rows, n_cells); NaN where the row has a gap."""
        cells = np.empty((len(self.values), self.n_cells))
        for column, is_number in enumerate(self.is_number):
            first, last = self.start[column], self.start[column + 1]
            given = self.values[:, column, None]
            part = given if is_number else (given == np.arange(last - first)) * 1.0
            cells[:, first:last] = np.where(np.isnan(given), np.nan, part)
        return cells

    def mean(self) -> Floats:
        """Mean of each cell over the rows that have it, (n_cells,); 0 if none has."""
        width = np.diff(self.start)
        # Columns without cells change how numpy adds up a single one.
        values = np.ascontiguousarray(self.values[:, width > 0])
        known = ~np.isnan(values)
        total = np.repeat(np.where(known, values, 0.0).sum(axis=0), width[width > 0])
        for column in np.flatnonzero(~self.is_number):
            first, last = self.start[column], self.start[column + 1]
            levels = self.values[~np.isnan(self.values[:, column]), column]
            total[first:last] = np.bincount(
                levels.astype(np.int64), minlength=last - first
            )
        return total / np.maximum(np.repeat(known.sum(axis=0), width[width > 0]), 1)


@dataclass(frozen=True, slots=True)
class CellSpace:
    """Numbers in units of their standard deviation, categories as indicators.

    Summed over the cells of a column, the mean squared error is 1 − R² for a number
    (if not all numbers have one unit, which is then their root mean square deviation),
    and about twice the share of wrong cells for a category that is told with
    certainty. Whether a cell is missing is one more cell, if gaps shall be told apart.
    """

    schema: TableSchema
    mean: Floats  # (n_columns,) of a number; 0 for categories
    scale: Floats  # (n_columns,) unit of a number; 1 for categories
    step: Floats  # (n_columns,) 1 / standard deviation of ordered levels; else 0
    gaps: NDArray[np.int64]  # columns whose gaps are told from values

    @classmethod
    def of_table(
        cls, table: EncodedTable, *, tell_gaps: bool = True, common_unit: bool = False
    ) -> "CellSpace":
        """Read means and scales off a table, without its wild cells."""
        schema, values = table.schema, table.values
        mean, scale = np.zeros(schema.n_columns), np.ones(schema.n_columns)
        step, spreads = np.zeros(schema.n_columns), np.zeros(schema.n_columns)
        is_number = schema.is_number
        left_out = np.isnan(values) | schema.is_wild(values)
        for column in np.flatnonzero(is_number | schema.is_ordered):
            seen = values[~left_out[:, column], column]
            if not len(seen):
                continue
            # Rounding gives a constant column a spread of its own.
            spread = 0.0 if seen.min() == seen.max() else std_of(seen)
            if is_number[column]:
                mean[column], scale[column] = mean_of(seen), spread or 1.0
                spreads[column] = spread
            elif spread:
                step[column] = 1.0 / spread
        largest = spreads.max(initial=0.0)
        if common_unit and largest:
            share = np.sqrt(np.mean((spreads[is_number] / largest) ** 2))
            scale[is_number] = largest * share
        missing = np.isnan(values)
        some = missing.any(axis=0) & ~missing.all(axis=0) & tell_gaps
        return cls(schema, mean, scale, step, np.flatnonzero(some))

    def put(self, new: NewSection) -> None:
        """Write means, scales, steps and columns with gaps to a model file."""
        new.array("mean", self.mean)
        new.array("scale", self.scale)
        if self.step.any():
            new.data["steps"] = self.step.tolist()
        if len(self.gaps):
            new.data["gaps"] = self.gaps.tolist()

    @classmethod
    def take(cls, section: Section, schema: TableSchema) -> "CellSpace":
        """Read means, scales, steps and columns with gaps from a model file."""
        shape = (schema.n_columns,)
        mean = section.array("mean", np.float64, shape)
        scale = section.array("scale", np.float64, shape)
        step = np.zeros(shape)
        if section.has("steps"):  # there are ordered levels, and the file is not old
            steps = section.values("steps")
            known = [s for s in steps if isinstance(s, float) and 0 <= s < np.inf]
            if len(known) != schema.n_columns or known != steps:
                raise damaged(f"{section.path('steps')} does not fit the columns")
            step = np.array(known)
        gaps = _columns(section, schema) if section.has("gaps") else []
        usable = np.isfinite(mean) & np.isfinite(scale) & (scale > 0)
        # Levels are places in compiled loops, and must stay what they are.
        untouched = schema.is_number | ((mean == 0) & (scale == 1))
        if not (usable & untouched).all():
            names = section.path("mean"), section.path("scale")
            raise damaged(f"{names[0]} or {names[1]} holds numbers that cannot be")
        return cls(schema, mean, scale, step, np.array(gaps, np.int64))

    def cells(self, codes: Codes, *, fill: bool = False) -> Cells:
        """Place rows in this space; a gap of the row is a gap there.

        A gap that shall be filled is not told from a value either.
        """
        width = np.where(self.schema.is_number, 1, self.schema.n_levels)
        start = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
        with np.errstate(over="ignore"):
            values = (codes - self.mean) / self.scale
            # Half of a difference is finite where the whole is not.
            halves = (codes / 2 - self.mean / 2) / self.scale
        values = np.where(np.isinf(values), 2 * halves, values)
        # Nobody knows what a value means in a column that had none.
        values[:, np.isnan(self.schema.lower)] = np.nan
        missing = np.isnan(codes[:, self.gaps])
        told = np.where(missing & fill, np.nan, GAP * missing)
        n_told = len(self.gaps)
        return Cells(
            np.column_stack([values, told]),
            np.append(self.schema.is_number, np.ones(n_told, np.bool_)),
            np.append(start, start[-1] + 1 + np.arange(n_told)),
            np.append(self.step, np.zeros(n_told)),
        )


def _columns(section: Section, schema: TableSchema) -> list[int]:
    """Read the numbers of some columns, in order, from a model file."""
    columns = section.values("gaps")
    known = [c for c in range(schema.n_columns) if c in columns]
    if columns != known or any(type(c) is not int for c in columns):
        raise damaged(f"{section.path('gaps')} does not fit the columns")
    return known
