"""Rows of a table on their way through the steps of a pipeline."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest.table import ColumnKind, ColumnSpec, TableSchema

MOST_PROBES = 2_000  # numbers whose order is looked at
PROBES = 12  # rows in which columns are changed, one after the other


class StepTable:
    """Rows of a table on their way through the steps, without being rounded."""

    def __init__(
        self,
        schema: TableSchema,
        values: Codes,
        transform: Callable[[Any], Floats],
        sample: Any = None,
    ) -> None:
        self.schema, self.values, self._transform = schema, values, transform
        self._gap = [_gap_of(sample, name) for name in schema.names]
        self.levels = {
            number: _as_array(column.levels)
            for number, column in enumerate(schema.columns)
            if column.levels and not column.is_scale
        }
        self.row = values[:1].copy()
        for number in range(schema.n_columns):
            known = values[~np.isnan(values[:, number]), number]
            self.row[0, number] = known[0] if len(known) else np.nan
        self.never_missing = frozenset(
            number
            for number in range(schema.n_columns)
            if self.makes(number, np.array([np.nan])) is None
        )

    @classmethod
    def of_schema(
        cls,
        schema: TableSchema,
        transform: Callable[[Any], Floats],
        sample: Any = None,
    ) -> "StepTable":
        """Make up rows, within the ranges of the columns, before the table is read."""
        rng = np.random.default_rng(0)
        values = np.empty((PROBES, schema.n_columns))
        for number, column in enumerate(schema.columns):
            cells = rng.uniform(*_range(column), PROBES)
            is_whole = column.kind is not ColumnKind.continuous
            values[:, number] = np.round(cells) if is_whole else cells
        return cls(schema, values, transform, sample)

    def whole_numbers(self, column: int) -> Floats:
        """Return integers in the range of a column, and what lies between them."""
        low, high = _range(self.schema.columns[column])
        whole = np.unique(np.linspace(low, high, MOST_PROBES).round())
        return np.sort([*whole, *(whole[1:] + whole[:-1]) / 2])

    def known(self, column: int, most: int = MOST_PROBES) -> Floats:
        """Return values of a column, the lowest and the highest among them."""
        own = np.unique(self.values[:, column])
        own = own[~np.isnan(own)]
        return own[np.linspace(0, len(own) - 1, min(most, len(own))).astype(int)]

    def keeps_order(
        self, column: int, cells: Floats, numbers: Any = slice(None)
    ) -> bool:
        """Whether what is made of a column rises or falls with its cells.

        ``numbers`` are those of what is made that are looked at. Steps that refuse a
        cell know some numbers only, and so no order.
        """
        made = self.makes(column, cells)
        if made is None:
            return False
        moved = np.diff(made[:, numbers], axis=0)
        return bool(((moved >= 0).all(axis=0) | (moved <= 0).all(axis=0)).all())

    def made_of_levels(self, column: int) -> Floats:
        """Return what the steps make of each level, (n_levels, n_made)."""
        cells = np.arange(len(self.levels[column]), dtype=np.float64)
        return self.make(self.with_cells(column, cells))

    def makes(self, column: int, cells: Codes) -> Floats | None:
        """Return what is made of cells of a column; None: the steps refuse them."""
        try:
            return self.make(self.with_cells(column, cells))
        except Exception:  # steps raise what they like
            return None

    def make(self, codes: Codes) -> Floats:
        """Send rows through the steps."""
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return self._transform(self._frame(codes))

    def with_cells(self, column: int, cells: Codes) -> Codes:
        """Return a row as often as there are cells, which it gets in one column."""
        rows = np.repeat(self.row, len(cells), axis=0)
        rows[:, column] = cells
        return rows

    def _frame(self, codes: Codes) -> Any:
        columns: list[Any] = []
        for number in range(codes.shape[1]):
            cells = codes[:, number]
            if number in self.levels:
                levels, known = self.levels[number], ~np.isnan(cells)
                is_flag = levels.dtype == bool and known.all()
                dtype = object if levels.dtype == object else np.float64
                own = np.full(len(cells), np.nan, bool if is_flag else dtype)
                own[~known] = self._gap[number] if dtype is object else np.nan
                own[known] = levels[cells[known].astype(int)]
                cells = own
            columns.append(cells)
        if self.schema.container == "numpy":
            dtype = object if self.levels else np.float64
            return np.stack([np.asarray(c, dtype) for c in columns], axis=1)
        import pandas as pd  # noqa: PLC0415

        table = dict(zip(self.schema.names, columns, strict=True))
        return pd.DataFrame(
            {name: pd.Series(cells, dtype=cells.dtype) for name, cells in table.items()}
        )


def _gap_of(sample: Any, name: Any) -> Any:
    """Return what a table has in place of a missing cell of a column: NaN, or None."""
    if hasattr(sample, "iloc"):
        cells = sample[name]
        missing = cells[cells.isna()]
        return missing.iloc[0] if len(missing) and cells.dtype == object else np.nan
    return None if hasattr(sample, "columns") else np.nan  # others have null


def _as_array(levels: tuple[Any, ...]) -> NDArray[Any]:
    """Return levels as numbers, flags, or objects."""
    found = np.array(levels)
    return found if found.dtype.kind in "bif" else np.array(levels, object)


def _range(column: ColumnSpec) -> tuple[float, float]:
    """Return the lowest and the highest code; of integers in order, themselves."""
    ends: tuple[Any, Any] = (column.lower, column.upper)
    if column.is_scale:
        ends = (column.levels[0], column.levels[-1])
    low, high = np.nan_to_num(np.array(ends, np.float64))
    return float(low), float(high)
