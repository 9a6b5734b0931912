"""Rows as points in a space where squared distance measures distortion."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from latentforest._base._moments import mean_of, std_of
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Bools, Codes, Floats
from latentforest._base._values import damaged
from latentforest.table import EncodedTable, TableSchema


@dataclass(frozen=True, slots=True)
class Cells:
    """Points of a `CellSpace`, kept as one value per column.

    A number is one cell. A category has one cell per level: 1 at its own, 0 elsewhere.
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

    Summed over the cells of a column, the mean squared error is 1 − R² for a number,
    and about twice the share of wrong cells for a category that is told with
    certainty.
    """

    schema: TableSchema
    mean: Floats  # (n_columns,) of a number; 0 for categories
    scale: Floats  # (n_columns,) standard deviation of a number; 1 for categories
    step: Floats  # (n_columns,) 1 / standard deviation of ordered levels; else 0

    @classmethod
    def of_table(cls, table: EncodedTable) -> "CellSpace":
        """Read means and scales off a table."""
        schema, values = table.schema, table.values
        mean, scale = np.zeros(schema.n_columns), np.ones(schema.n_columns)
        step = np.zeros(schema.n_columns)
        for column in np.flatnonzero(schema.is_number | schema.is_ordered):
            seen = values[~np.isnan(values[:, column]), column]
            if not len(seen):
                continue
            # Rounding gives a constant column a spread of its own.
            spread = 0.0 if seen.min() == seen.max() else std_of(seen)
            if schema.is_number[column]:
                mean[column], scale[column] = mean_of(seen), spread or 1.0
            elif spread:
                step[column] = 1.0 / spread
        return cls(schema, mean, scale, step)

    def put(self, new: NewSection) -> None:
        """Write means, scales and steps to a model file."""
        new.array("mean", self.mean)
        new.array("scale", self.scale)
        if self.step.any():
            new.data["steps"] = self.step.tolist()

    @classmethod
    def take(cls, section: Section, schema: TableSchema) -> "CellSpace":
        """Read means, scales and steps from a model file."""
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
        usable = np.isfinite(mean) & np.isfinite(scale) & (scale > 0)
        # Levels are places in compiled loops, and must stay what they are.
        untouched = schema.is_number | ((mean == 0) & (scale == 1))
        if not (usable & untouched).all():
            names = section.path("mean"), section.path("scale")
            raise damaged(f"{names[0]} or {names[1]} holds numbers that cannot be")
        return cls(schema, mean, scale, step)

    def cells(self, codes: Codes) -> Cells:
        """Place rows in this space; a gap of the row is a gap there."""
        width = np.where(self.schema.is_number, 1, self.schema.n_levels)
        start = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
        with np.errstate(over="ignore"):
            values = (codes - self.mean) / self.scale
            # Half of a difference is finite where the whole is not.
            halves = (codes / 2 - self.mean / 2) / self.scale
        values = np.where(np.isinf(values), 2 * halves, values)
        return Cells(
            np.ascontiguousarray(values), self.schema.is_number, start, self.step
        )
