"""Rows as points in a space where squared distance measures distortion."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes, Floats
from latentforest._base._values import damaged
from latentforest.table import EncodedTable, TableSchema


@dataclass(frozen=True, slots=True)
class Targets:
    """Numbers in units of their standard deviation, categories as indicators.

    Summed over the cells of a column, the mean squared error is 1 − R² for a number,
    and about twice the share of wrong cells for a category that is told with
    certainty.
    """

    schema: TableSchema
    mean: Floats  # (n_columns,) of a number; 0 for categories
    scale: Floats  # (n_columns,) standard deviation of a number; 1 for categories
    start: NDArray[np.int64]  # (n_columns + 1,) first cell of each column

    @classmethod
    def of_table(cls, table: EncodedTable) -> "Targets":
        """Read means and scales off a table."""
        schema, values = table.schema, table.values
        mean, scale = np.zeros(schema.n_columns), np.ones(schema.n_columns)
        for column in np.flatnonzero(schema.is_number):
            seen = values[~np.isnan(values[:, column]), column]
            if len(seen):
                mean[column] = seen.mean()
                # Rounding gives a constant column a spread of its own.
                constant = seen.min() == seen.max() or seen.std() == 0
                scale[column] = 1.0 if constant else seen.std()
        return cls(schema, mean, scale, _first_cells(schema))

    def put(self, new: NewSection) -> None:
        """Write means and scales to a model file."""
        new.array("mean", self.mean)
        new.array("scale", self.scale)

    @classmethod
    def take(cls, section: Section, schema: TableSchema) -> "Targets":
        """Read means and scales from a model file."""
        mean = section.array("mean", np.float64, (schema.n_columns,))
        scale = section.array("scale", np.float64, (schema.n_columns,))
        if not (np.isfinite(mean) & np.isfinite(scale) & (scale > 0)).all():
            raise damaged(
                f"{section.path('mean')} or {section.path('scale')} holds numbers that "
                "cannot be"
            )
        return cls(schema, mean, scale, _first_cells(schema))

    def cells(self, codes: Codes) -> Floats:
        """Cells of each row, (n_rows, n_cells); NaN where the row has a gap."""
        cells = np.empty((len(codes), self.start[-1]))
        for column, is_number in enumerate(self.schema.is_number):
            first, last = self.start[column], self.start[column + 1]
            given = codes[:, column, None]
            if is_number:
                part = (given - self.mean[column]) / self.scale[column]
            else:
                part = (given == np.arange(last - first)).astype(np.float64)
            cells[:, first:last] = np.where(np.isnan(given), np.nan, part)
        return cells


def _first_cells(schema: TableSchema) -> NDArray[np.int64]:
    width = np.where(schema.is_number, 1, schema.n_levels)
    return np.concatenate([[0], np.cumsum(width)]).astype(np.int64)


def without_gaps(cells: Floats) -> Floats:
    """Fill the gaps of each cell with its mean."""
    known = ~np.isnan(cells)
    total = np.where(known, cells, 0.0).sum(axis=0)
    mean = total / np.maximum(known.sum(axis=0), 1)
    return np.ascontiguousarray(np.where(known, cells, mean))
