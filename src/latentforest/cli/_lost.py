"""Distortion of a table that is never in memory as a whole."""

from typing import Any

import numpy as np

from latentforest._base._types import Floats
from latentforest.metrics import ColumnDistortion, Distortion
from latentforest.table import (
    ColumnSpec,
    NumberColumn,
    RawColumn,
    TableSchema,
    open_table,
)

_EQUAL = 1e-12  # as in latentforest.metrics


class Spread:
    """Count, mean and squared deviations of numbers that come in blocks."""

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, numbers: Floats) -> None:
        """Take in more numbers."""
        if not len(numbers):
            return
        count, mean = len(numbers), float(numbers.mean())
        squares = float(((numbers - mean) ** 2).sum())
        total, gap = self.count + count, mean - self.mean
        self.squares += squares + gap**2 * self.count * count / total
        self.mean += gap * count / total
        self.count = total

    def around(self, centre: float) -> float:
        """Sum of squared deviations from any number."""
        return self.squares + self.count * (self.mean - centre) ** 2


class NumberLoss:
    """``1 - max(R², 0)`` of a column of numbers."""

    def __init__(self, spec: ColumnSpec) -> None:
        # Squares of tiny numbers vanish: measure in units of the fitted spread.
        spread = spec.upper - spec.lower
        size = spread if spread > 0 else abs(spec.upper)
        self._unit = size if np.isfinite(size) and size > 0 else 1.0
        self._all, self._absent = Spread(), Spread()
        self._lost, self._changed = 0.0, False
        self._lowest, self._highest = np.inf, -np.inf

    def add(self, original: RawColumn, reconstructed: RawColumn) -> None:
        """Take in a block of rows."""
        truth, guess = _numbers(original), _numbers(reconstructed)
        present = ~np.isnan(truth)
        truth, guess = truth[present], guess[present]
        if not len(truth):
            return
        self._lowest = min(self._lowest, float(truth.min()))
        self._highest = max(self._highest, float(truth.max()))
        known = ~np.isnan(guess)
        gap = (guess - truth)[known]
        self._changed |= bool(np.any(np.abs(gap) > _EQUAL * np.abs(truth[known])))
        self._lost += float(np.sum((gap / self._unit) ** 2))
        self._all.add(truth / self._unit)
        self._absent.add(truth[~known] / self._unit)

    def value(self) -> float:
        """Return the distortion; NaN if there was no original number."""
        if self._all.count == 0:
            return float("nan")
        if self._lowest == self._highest:
            return float(self._changed)
        lost = self._lost + self._absent.around(self._all.mean)
        return min(lost / self._all.squares, 1.0)


class LabelLoss:
    """Share of rows that came back with another value."""

    def __init__(self) -> None:
        self._rows, self._present, self._wrong = 0, 0, 0

    def add(self, original: RawColumn, reconstructed: RawColumn) -> None:
        """Take in a block of rows."""
        index, values = original.labels()
        other, other_values = reconstructed.labels()
        number_of = {value: i for i, value in enumerate(values)}
        numbers = [number_of.get(value, len(values)) for value in other_values]
        matched = np.array([*numbers, -1])[other]
        self._rows += len(index)
        self._present += int((index >= 0).sum())
        self._wrong += int((matched != index).sum())

    def value(self) -> float:
        """Return the distortion; NaN if all originals were missing."""
        return self._wrong / self._rows if self._present else float("nan")


class RunningDistortion:
    """`latentforest.metrics.distortion` of rows that come in blocks.

    Parameters
    ----------
    schema : TableSchema
        What the columns mean.
    """

    def __init__(self, schema: TableSchema) -> None:
        self._schema = schema
        self._losses: list[NumberLoss | LabelLoss] = [
            NumberLoss(spec) if spec.is_number else LabelLoss()
            for spec in schema.columns
        ]

    def add(self, original: Any, reconstructed: Any) -> None:
        """Take in the same rows before and after."""
        before, after = open_table(original), open_table(reconstructed)
        for j, loss in enumerate(self._losses):
            loss.add(before.column(j), after.column(j))

    def result(self) -> Distortion:
        """Return the distortion of all rows so far."""
        pairs = zip(self._schema.columns, self._losses, strict=True)
        return Distortion(
            tuple(ColumnDistortion(c.name, c.kind, loss.value()) for c, loss in pairs)
        )


def _numbers(column: RawColumn) -> Floats:
    if isinstance(column, NumberColumn):
        return column.numbers
    return np.full(len(column.index), np.nan)
