"""What one column lost, from arrays whose rows may come in blocks."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Floats
from latentforest.table import ColumnSpec

_EQUAL = 1e-12  # relative; a constant column has no variance to compare with
_HUGE = 2.0**960  # a sum of 2⁶⁴ smaller numbers is finite
_SHRINK = 2.0**-128  # a power of two: nothing is rounded
NO_MODE: Any = object()  # nobody says which value is the commonest
_FAR = 2.0**200  # squares of what is farther from the unit may overflow or vanish


class Squares:
    """A sum of squares, unit² · total, that neither overflows nor vanishes.

    Parameters
    ----------
    unit : float
        What numbers are measured in; another is taken where they are far from it.
    total : float, default=0.0
        The sum so far.
    """

    def __init__(self, unit: float, total: float = 0.0) -> None:
        self.unit, self.total = unit, total

    def add(self, numbers: Floats, weight: float = 1.0) -> None:
        """Take in more numbers, none above 2⁹⁶⁰ but infinity."""
        largest = float(np.abs(numbers).max(initial=0.0))
        if largest == 0:
            return
        vanishes = self.total == 0 and largest * _FAR < self.unit
        if (vanishes or largest > self.unit * _FAR) and np.isfinite(largest):
            ratio = self.unit / largest
            self.unit, self.total = largest, self.total and self.total * ratio * ratio
        with np.errstate(over="ignore"):  # beside infinity only
            self.total += weight * float(np.sum((numbers / self.unit) ** 2))

    def plus(self, other: "Squares") -> "Squares":
        """Return the sum of both."""
        if self.total == 0 or other.total == 0:
            return other if self.total == 0 else self
        unit = max(self.unit, other.unit)
        one, two = self.unit / unit, other.unit / unit
        return Squares(unit, self.total * one * one + other.total * two * two)

    def share_of(self, whole: "Squares") -> float:
        """Return this sum divided by another, at most 1."""
        if self.total == 0:
            return 0.0
        if self.unit == whole.unit and whole.total > 0:
            return min(self.total / whole.total, 1.0)
        all_of_it = whole.unit * math.sqrt(whole.total)
        root = self.unit * math.sqrt(self.total)
        return (root / all_of_it) ** 2 if root < all_of_it else 1.0


class Moments:
    """Count, mean, and squared deviations from it, of numbers in blocks."""

    def __init__(self, unit: float) -> None:
        self.count, self.mean, self.squares = 0, 0.0, Squares(unit)

    def add(self, numbers: Floats) -> None:
        """Take in more numbers."""
        count = len(numbers)
        if not count:
            return
        mean = float(numbers.mean())
        self.squares.add(numbers - mean)
        if self.count:
            gap, total = mean - self.mean, self.count + count
            self.squares.add(np.array([gap]), self.count * count / total)
            self.mean += gap * count / total
        else:
            self.mean = mean
        self.count += count

    def around(self, centre: float) -> Squares:
        """Sum of squared deviations from any number."""
        moved = Squares(self.squares.unit)
        moved.add(np.array([self.mean - centre]), self.count)
        return self.squares.plus(moved)


class NumberLoss:
    """``1 - max(R², 0)`` of numbers, over the rows with an original.

    Parameters
    ----------
    unit : float or None, default=None
        What differences are measured in, since squares of tiny numbers vanish; None
        takes the spread of the first block.
    mean, std : float, default=nan
        Of the training rows, which R² is then measured by instead of the originals.
    """

    def __init__(
        self, unit: float | None = None, mean: float = math.nan, std: float = math.nan
    ) -> None:
        self._unit, self._shrink = unit, 1.0
        self._mean, self._std = mean, std
        self._changed, self.n_wild = False, 0
        self._lowest, self._highest = np.inf, -np.inf

    def without_wild(self, truth: Floats, spec: ColumnSpec) -> Floats:
        """Count the wild cells of a block of rows, and return it without them."""
        wild = spec.is_wild(truth)
        self.n_wild += int(wild.sum())
        return np.where(wild, np.nan, truth) if wild.any() else truth

    def add(self, truth: Floats, guess: Floats) -> None:
        """Take in a block of rows; NaN is missing."""
        present = ~np.isnan(truth)
        if not present.any():
            return
        truth, guess = truth[present], guess[present]
        lowest, highest = float(truth.min()), float(truth.max())
        if self._highest < self._lowest:
            unit = self._unit or spread_unit(lowest, highest)
            self._all, self._absent = Moments(unit), Moments(unit)
            self._lost = Squares(unit)
        self._lowest = min(self._lowest, lowest)
        self._highest = max(self._highest, highest)
        known = ~np.isnan(guess)
        sizes = np.abs(truth).max(), np.abs(guess[known]).max(initial=0.0)
        if self._shrink == 1 and max(sizes) > _HUGE:
            self._shrink_all()
        truth, guess = truth * self._shrink, guess * self._shrink
        gap = (guess - truth)[known]
        self._changed |= bool(np.any(np.abs(gap) > _EQUAL * np.abs(truth[known])))
        self._lost.add(gap)
        self._all.add(truth)
        self._absent.add(truth[~known])

    def value(self) -> float:
        """Return the distortion; NaN if there was no original number."""
        if self._highest < self._lowest:
            return float("nan")
        if self._is_constant:
            return float(self._changed)
        # A missing reconstruction counts as the mean.
        lost = self._lost.plus(self._absent.around(self._centre))
        return lost.share_of(self._whole)

    def guess(self) -> float:
        """Return the distortion if the mean stood in every row."""
        if self._highest < self._lowest:
            return float("nan")
        if self._is_constant:
            return float(self._highest > self._lowest or self._moved)
        return self._all.around(self._centre).share_of(self._whole)

    @property
    def _is_constant(self) -> bool:
        """Whether there is no spread to measure by."""
        if math.isnan(self._std):
            return self._lowest == self._highest
        return self._std == 0

    @property
    def _moved(self) -> bool:
        """Whether a constant is another one than that of the training rows."""
        return self._highest != self._mean and not math.isnan(self._mean)

    @property
    def _centre(self) -> float:
        known = not math.isnan(self._std)
        return self._mean * self._shrink if known else self._all.mean

    @property
    def _whole(self) -> Squares:
        """Sum of squares if the rows had the spread that is measured by."""
        if math.isnan(self._std):
            return self._all.squares
        return Squares(self._std * self._shrink, float(self._all.count))

    def _shrink_all(self) -> None:
        """Measure everything, from now on, in numbers whose sums are finite."""
        self._shrink = _SHRINK
        for sums in (self._all, self._absent):
            sums.mean *= _SHRINK
        for squares in (self._lost, self._all.squares, self._absent.squares):
            squares.unit *= _SHRINK


class LabelLoss:
    """Share of rows that came back with another value; missing is a value.

    Parameters
    ----------
    mode : str, int, float, bool or None, default=NO_MODE
        Commonest value of the training rows, which guessing takes; None is missing.
        Without it guessing knows the commonest of the originals.
    """

    def __init__(self, mode: Any = NO_MODE) -> None:
        self._rows, self._present, self._wrong, self.n_wild = 0, 0, 0, 0
        self._mode, self._counts = mode, Counter[Any]()

    def add(
        self, index: NDArray[Any], other: NDArray[Any], values: Sequence[Any]
    ) -> None:
        """Take in a block of rows: numbers of values, -1 for missing; the values."""
        self._rows += len(index)
        self._present += int((index >= 0).sum())
        self._wrong += int((index != other).sum())
        numbers, counts = np.unique(index, return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            self._counts[None if number < 0 else values[int(number)]] += count

    def value(self) -> float:
        """Return the distortion; NaN if all originals were missing."""
        return self._wrong / self._rows if self._present else float("nan")

    def guess(self) -> float:
        """Return the distortion if the commonest value stood in every row."""
        if not self._present:
            return float("nan")
        known = self._mode is not NO_MODE
        right = self._counts[self._mode] if known else max(self._counts.values())
        return 1.0 - right / self._rows


def spread_unit(lowest: float, highest: float) -> float:
    """Return the unit for numbers in a range: its width, else their size, else 1."""
    for unit in (highest - lowest, abs(highest)):
        if unit > 0 and np.isfinite(unit):
            return unit
    return 1.0


def schema_unit(spec: ColumnSpec) -> float:
    """Return the unit for a column that was fitted."""
    return spread_unit(spec.lower, spec.upper)


def mean_distortion(columns: Any) -> float:
    """Mean over columns; those without a distortion (NaN) are left out."""
    lost = np.asarray(columns, np.float64)
    known: Bools = ~np.isnan(lost)
    return float(np.nansum(lost) / known.sum()) if known.any() else float("nan")
