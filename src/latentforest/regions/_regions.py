"""Boxes of intervals and sets of levels, one for each row."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Floats, Ints
from latentforest.regions._facts import ColumnFacts


@dataclass(frozen=True, slots=True)
class Regions:
    """One box per row: intervals for numbers, sets of levels for categories.

    This is the maximum compatible region of eForest (Feng and Zhou), which the paper
    uses to make rows from leaves. A number's interval is ``(lower, upper]``, infinite
    where no tree bounds it; a missing cell of the row bounds nothing.
    """

    lower: Floats  # (n_rows, n_columns)
    upper: Floats  # (n_rows, n_columns)
    levels: NDArray[np.uint32]  # (n_rows, n_words) sets of levels, column by column
    word_start: Ints  # (n_columns + 1,) where each column's set begins
    split_levels: Ints  # (n_columns,)

    @classmethod
    def unbounded(cls, n_rows: int, split_levels: Ints) -> "Regions":
        """Return regions that hold everything, to be narrowed in place."""
        shape = (n_rows, len(split_levels))
        return cls(
            np.full(shape, -np.inf),
            np.full(shape, np.inf),
            np.tile(level_sets(split_levels), (n_rows, 1)),
            word_starts(split_levels),
            split_levels,
        )

    def take(self, rows: NDArray[np.int64]) -> "Regions":
        """Return the regions of some rows."""
        return replace(
            self,
            lower=self.lower[rows],
            upper=self.upper[rows],
            levels=self.levels[rows],
        )

    def has_level(self, column: int) -> Bools:
        """Which levels of a category each region allows, (n_rows, n_levels)."""
        words = self.levels[:, self._words(column)].astype("<u4", copy=False)
        bits = np.unpackbits(
            np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little"
        )
        return bits[:, : self.split_levels[column]].astype(bool)

    def empty(self, whole: Bools) -> Bools:
        """Columns in which a region holds no value, (n_rows, n_columns).

        ``whole`` says which columns hold whole numbers only.
        """
        lower = np.where(whole, np.floor(self.lower), self.lower)
        upper = np.where(whole, np.floor(self.upper), self.upper)
        empty = lower >= upper
        for column in np.flatnonzero(self.split_levels).tolist():
            empty[:, column] = ~self.levels[:, self._words(column)].any(axis=1)
        return empty

    def opened(self, cells: Bools) -> "Regions":
        """Return the regions without any bounds on the given cells."""
        everything, levels = level_sets(self.split_levels), self.levels.copy()
        for column in np.flatnonzero(self.split_levels).tolist():
            words = self._words(column)
            levels[cells[:, column], words] = everything[words]
        lower = np.where(cells, -np.inf, self.lower)
        upper = np.where(cells, np.inf, self.upper)
        return replace(self, lower=lower, upper=upper, levels=levels)

    def within(self, other: "Regions") -> "Regions":
        """Intersect the regions with others, or with a single one."""
        return replace(
            self,
            lower=np.maximum(self.lower, other.lower),
            upper=np.minimum(self.upper, other.upper),
            levels=self.levels & other.levels,
        )

    def _words(self, column: int) -> slice:
        return slice(self.word_start[column], self.word_start[column + 1])


def observed_region(facts: ColumnFacts, split_levels: Ints) -> Regions:
    """Return the one region that holds all that was observed.

    Numbers lie in their observed range, categories among their observed levels; a
    column whose cells are all missing is unbounded. It is the region S = X from
    which leaf assignments start.
    """
    is_number = split_levels == 0
    seen = is_number & ~np.isnan(facts.lower)
    below = np.where(facts.whole, facts.lower - 1, np.nextafter(facts.lower, -np.inf))
    never_seen = np.repeat(np.isnan(facts.lower), split_levels)
    return Regions(
        np.where(seen, below, -np.inf)[None],
        np.where(seen, facts.upper, np.inf)[None],
        level_sets(split_levels, never_seen | (facts.level_counts > 0))[None],
        word_starts(split_levels),
        split_levels,
    )


def word_starts(split_levels: Ints) -> Ints:
    """Return where each column's set of levels begins; numbers have none."""
    return np.cumsum([0, *((split_levels + 31) // 32)]).astype(np.int32)


def level_sets(split_levels: Ints, held: Bools | None = None) -> NDArray[np.uint32]:
    """Return sets of levels as words, 32 levels to a word, column by column.

    ``held`` says which levels are in the sets, one category after the other; None
    takes all.
    """
    start = word_starts(split_levels)
    first = np.cumsum(split_levels) - split_levels
    position = np.arange(split_levels.sum())
    position += np.repeat(32 * start[:-1] - first, split_levels)
    bits = np.zeros(32 * start[-1], np.uint8)
    bits[position] = 1 if held is None else held
    return np.packbits(bits, bitorder="little").view("<u4").astype(np.uint32)
