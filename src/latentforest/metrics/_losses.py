"""What one column lost, from arrays whose rows may come in blocks."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Floats
from latentforest.table import ColumnSpec, TableSchema

_EQUAL = 1e-12  # relative; a constant column has no variance to compare with


class Moments:
    """Count, mean, and squared deviations in some unit, of numbers in blocks."""

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, numbers: Floats, unit: float) -> None:
        """Take in more numbers."""
        count = len(numbers)
        if not count:
            return
        mean = float(numbers.mean())
        self.squares += float(np.sum(((numbers - mean) / unit) ** 2))
        if self.count:
            gap, total = mean - self.mean, self.count + count
            self.squares += self.count * count / total * _square(gap / unit)
            self.mean += gap * count / total
        else:
            self.mean = mean
        self.count += count

    def around(self, centre: float, unit: float) -> float:
        """Sum of squared deviations from any number."""
        return self.squares + self.count * _square((self.mean - centre) / unit)


class NumberLoss:
    """``1 - max(R², 0)`` of numbers, over the rows with an original.

    Parameters
    ----------
    unit : float or None, default=None
        What differences are measured in, since squares of tiny numbers vanish; None
        takes the spread of the first block.
    """

    def __init__(self, unit: float | None = None) -> None:
        self._unit = unit
        self._all, self._absent = Moments(), Moments()
        self._lost, self._changed = 0.0, False
        self._lowest, self._highest = np.inf, -np.inf

    def add(self, truth: Floats, guess: Floats) -> None:
        """Take in a block of rows; NaN is missing."""
        present = ~np.isnan(truth)
        if not present.any():
            return
        truth, guess = truth[present], guess[present]
        lowest, highest = float(truth.min()), float(truth.max())
        if self._unit is None:
            self._unit = spread_unit(lowest, highest)
        self._lowest = min(self._lowest, lowest)
        self._highest = max(self._highest, highest)
        known = ~np.isnan(guess)
        gap = (guess - truth)[known]
        self._changed |= bool(np.any(np.abs(gap) > _EQUAL * np.abs(truth[known])))
        with np.errstate(over="ignore"):  # what is infinitely wrong counts as 1
            self._lost += float(np.sum((gap / self._unit) ** 2))
        self._all.add(truth, self._unit)
        self._absent.add(truth[~known], self._unit)

    def value(self) -> float:
        """Return the distortion; NaN if there was no original number."""
        if self._unit is None or not self._all.count:
            return float("nan")
        if self._lowest == self._highest:
            return float(self._changed)
        # A missing reconstruction counts as the mean.
        lost = self._lost + self._absent.around(self._all.mean, self._unit)
        return min(lost / self._all.squares, 1.0)


class LabelLoss:
    """Share of rows that came back with another value; missing is a value."""

    def __init__(self) -> None:
        self._rows, self._present, self._wrong = 0, 0, 0

    def add(self, index: NDArray[Any], other: NDArray[Any]) -> None:
        """Take in a block of rows: numbers of values, -1 for missing."""
        self._rows += len(index)
        self._present += int((index >= 0).sum())
        self._wrong += int((index != other).sum())

    def value(self) -> float:
        """Return the distortion; NaN if all originals were missing."""
        return self._wrong / self._rows if self._present else float("nan")


def spread_unit(lowest: float, highest: float) -> float:
    """Return the unit for numbers in a range: its width, else their size, else 1."""
    for unit in (highest - lowest, abs(highest)):
        if unit > 0 and np.isfinite(unit):
            return unit
    return 1.0


def schema_unit(spec: ColumnSpec) -> float:
    """Return the unit for a column that was fitted."""
    return spread_unit(spec.lower, spec.upper)


def code_distortions(schema: TableSchema, original: Floats, decoded: Floats) -> Floats:
    """Distortion of each column of codes, as `distortion` measures tables.

    NaN where all originals are missing; `mean_distortion` leaves these out.
    """
    lost = np.empty(schema.n_columns)
    for column, is_number in enumerate(schema.is_number):
        before, after = original[:, column], decoded[:, column]
        loss: NumberLoss | LabelLoss = NumberLoss() if is_number else LabelLoss()
        if is_number:
            loss.add(before, after)
        else:
            loss.add(_or_missing(before), _or_missing(after))
        lost[column] = loss.value()
    return lost


def _square(number: float) -> float:
    return number * number  # inf where ** would raise an error


def _or_missing(codes: Floats) -> Floats:
    return np.where(np.isnan(codes), -1.0, codes)


def mean_distortion(columns: Any) -> float:
    """Mean over columns; those without a distortion (NaN) are left out."""
    lost = np.asarray(columns, np.float64)
    known: Bools = ~np.isnan(lost)
    return float(np.nansum(lost) / known.sum()) if known.any() else float("nan")
