"""Rows as points in a space where squared distance measures distortion."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
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
        width = np.where(schema.is_number, 1, schema.n_levels)
        start = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
        return cls(schema, mean, scale, start)

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


def without_gaps(cells: Floats) -> Floats:
    """Fill the gaps of each cell with its mean."""
    known = ~np.isnan(cells)
    total = np.where(known, cells, 0.0).sum(axis=0)
    mean = total / np.maximum(known.sum(axis=0), 1)
    return np.ascontiguousarray(np.where(known, cells, mean))
