"""Cells that stand apart from all others of their column: wild ones.

One tree of 42,085 cm beside others of 54 would rule the units and the splits of its
column. A heavy tail is data: only cells beyond a gap far wider than all that the other
cells span are wild, and only if they are few.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools

MOST_CELLS = 1_000  # of a column
MOST_IN, AT_LEAST, FEWEST = 1_000, 3, 20  # one in 1,000, or 3, at most one in 20
# In ranges of the other cells. Beyond a gap of one range, tails go on: of the 205
# columns of numbers of the paper's tables 14 have such a gap, and 3 one of two ranges.
WILD_GAP = 2.0
FEW, GAP_OF_FEW = 10, 10.0  # so few distinct values say little of what a column spans
_HEAD = 10_000


class WildCell(NamedTuple):
    """A wild cell of the fitted table."""

    row: int  # in the table, from 0
    value: float  # the code
    label: int | str | None = None  # what the index calls the row, if it has names


class Rest(NamedTuple):
    """The cells of a column that are not wild."""

    lower: float
    upper: float
    wild: tuple[WildCell, ...] = ()


def stands_apart(values: Any, lower: Any, upper: Any, gap: float = WILD_GAP) -> Any:
    """Tell which values lie beyond a gap at an end of a range; NaN does not.

    A constant says nothing about how far other values may lie.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        room = gap * (upper - lower)
        return (upper > lower) & ((values - upper > room) | (lower - values > room))


def most_wild(n_cells: int) -> int:
    """Return how many cells of a column may be wild."""
    few = min(max(AT_LEAST, n_cells // MOST_IN), n_cells // FEWEST)
    return min(few, MOST_CELLS)


@dataclass(frozen=True, slots=True, eq=False)
class FarCells:
    """The cells of a column, or of a piece of one, that might be wild.

    Of all others their range is known, and a few distinct values. Which cells are
    wild does not depend on how a column was cut: a cell is passed over only if so many
    lie beyond it, or so close to it, that it cannot be wild in any longer column.
    """

    values: NDArray[Any]
    rows: NDArray[np.int64]  # of each, from 0
    lower: float = np.inf  # of the cells that were passed over
    upper: float = -np.inf
    distinct: frozenset[float] = frozenset()  # at most FEW of those

    @classmethod
    def of(cls, cells: NDArray[Any], missing: Bools) -> "FarCells":
        """Look at the cells of a column."""
        rows = np.flatnonzero(~missing)
        return cls(cells[rows], rows)._fewer()

    def merge(self, other: "FarCells", n_rows: int) -> "FarCells":
        """Return what is known of both; the other rows come after so many."""
        if not len(self.values) and not len(other.values):
            values, rows = self.values, self.rows
        else:
            values = np.concatenate([self.values, other.values])
            rows = np.concatenate([self.rows, other.rows + n_rows])
        lower, upper = min(self.lower, other.lower), max(self.upper, other.upper)
        distinct = frozenset(sorted(self.distinct | other.distinct)[:FEW])
        return FarCells(values, rows, lower, upper, distinct)._fewer()

    def rest(self, n_cells: int) -> Rest:
        """Tell the wild cells of a column of so many from the rest."""
        most = most_wild(n_cells)
        found = self._fewer(most) if n_cells else self
        if not len(found.values):
            return Rest(found.lower, found.upper)
        order = np.lexsort((found.rows, found.values))
        values, n_far = found.values[order], len(order)
        best: tuple[float, ...] | None = None
        for n_low, n_high in product(*found._cuts(values, most)):
            if n_low + n_high <= min(most, n_far):
                rest = values[n_low : n_far - n_high]
                ends = found._with(rest)
                if found._is_gap(values, n_low, n_high, ends):
                    with np.errstate(over="ignore"):
                        width = float(ends[1] - ends[0])
                    kept = (-n_low - n_high, width, n_low, n_high)
                    best = kept if best is None else min(best, kept)
        if best is None:
            return Rest(*found._with(values))
        n_low, n_high = int(best[2]), int(best[3])
        chosen = np.r_[order[:n_low], order[n_far - n_high :]]
        wild = sorted(
            WildCell(int(found.rows[i]), float(found.values[i])) for i in chosen
        )
        return Rest(*found._with(values[n_low : n_far - n_high]), tuple(wild))

    def _cuts(self, values: NDArray[Any], most: int) -> tuple[list[int], list[int]]:
        """Return how many sorted cells may be cut off at each end: there are gaps."""
        with np.errstate(over="ignore"):
            width = max(self.upper - self.lower, 0.0)
            cells = values.astype(np.float64)
            up = np.diff(cells, append=self.lower) > WILD_GAP * width
            down = -np.diff(cells[::-1], append=self.upper) > WILD_GAP * width
        most = min(most, len(values))
        return [0, *(np.flatnonzero(up[:most]) + 1)], [
            0,
            *(np.flatnonzero(down[:most]) + 1),
        ]

    def _with(self, values: NDArray[Any]) -> tuple[float, float]:
        """Return the range of some cells and of all that were passed over."""
        if not len(values):
            return self.lower, self.upper
        lower, upper = float(values.min()), float(values.max())
        return min(self.lower, lower), max(self.upper, upper)

    def _is_gap(
        self, values: NDArray[Any], n_low: int, n_high: int, ends: tuple[float, float]
    ) -> bool:
        """Whether so many sorted cells at each end stand apart from the rest."""
        if n_low + n_high == 0:
            return False
        n_far = len(values)
        nearest = [float(values[n_low - 1])] if n_low else []
        nearest += [float(values[n_far - n_high])] if n_high else []
        if (n_low and nearest[0] > ends[0]) or (n_high and nearest[-1] < ends[1]):
            return False
        if not all(stands_apart(value, *ends) for value in nearest):
            return False
        rest = values[n_low : n_far - n_high]
        distinct = self.distinct | set(np.unique(rest)[:FEW].tolist())
        if len(distinct) >= FEW:
            return True
        return all(stands_apart(value, *ends, GAP_OF_FEW) for value in nearest)

    def _fewer(self, most: int = MOST_CELLS) -> "FarCells":
        """Pass over the cells that cannot be wild if so many at each end can."""
        found = self
        for part in (self.values[:_HEAD], None):
            if len(found.values) <= 2 * most:
                return found
            # Cells with so many beyond them on each side belong to the rest.
            sample = found.values if part is None else part
            if len(sample) <= 2 * most:
                continue
            ends = np.partition(sample, [most, len(sample) - 1 - most])
            lower = min(found.lower, float(ends[most]))
            upper = max(found.upper, float(ends[len(sample) - 1 - most]))
            with np.errstate(over="ignore", invalid="ignore"):
                room = WILD_GAP * (upper - lower)
                values = found.values.astype(np.float64, copy=False)
                far = (values - upper > room) | (lower - values > room)
            found = found._without(~far)
        return found

    def _without(self, near: Bools) -> "FarCells":
        passed = self.values[near]
        if not len(passed):
            return self
        # Most columns show enough values at once.
        distinct = self.distinct.union(map(float, passed[: 2 * FEW].tolist()))
        if len(distinct) < FEW:
            distinct = distinct.union(np.unique(passed).astype(np.float64).tolist())
        distinct = frozenset(sorted(distinct)[:FEW])
        return FarCells(
            self.values[~near], self.rows[~near], *self._with(passed), distinct
        )
