"""The region of a row: where the leaves it falls into meet in all trees."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._random import draw_seeds
from latentforest._base._types import Bools, Codes, Floats, Ints, LeafIds
from latentforest.forest._arrays import ROW_BLOCK, ForestArrays
from latentforest.forest._route import narrow_regions

SPREAD_CELLS = 2**20


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

    def take(self, begin: int, end: int) -> "Regions":
        """Return the regions of rows ``begin`` to ``end``."""
        return replace(
            self,
            lower=self.lower[begin:end],
            upper=self.upper[begin:end],
            levels=self.levels[begin:end],
        )

    def has_level(self, column: int) -> Bools:
        """Which levels of a category each region allows, (n_rows, n_levels)."""
        first, last = self.word_start[column], self.word_start[column + 1]
        words = self.levels[:, first:last].astype("<u4", copy=False)
        bits = np.unpackbits(
            np.ascontiguousarray(words).view(np.uint8), axis=1, bitorder="little"
        )
        return bits[:, : self.split_levels[column]].astype(bool)


def regions_of_leaves(
    forest: ForestArrays, leaf_ids: LeafIds, *, n_jobs: int | None = None
) -> Regions:
    """Intersection of the regions of given leaves, one in each tree.

    ``leaf_ids`` has shape (n_rows, n_trees) and holds forest-wide leaf numbers. A
    region is empty where the leaves do not meet.
    """
    present = np.zeros((len(leaf_ids), forest.n_columns))
    return compatible_regions(forest, present, leaf_ids, n_jobs=n_jobs)


def compatible_regions(
    forest: ForestArrays,
    values: Codes,
    leaf_ids: LeafIds | None = None,
    *,
    n_jobs: int | None = None,
) -> Regions:
    """Region of every row: follow its path in each tree once and narrow its box.

    ``leaf_ids`` are the rows' forest-wide leaf numbers, where they are known.
    """
    walker = _Walker(forest, values, leaf_ids, n_jobs)
    blocks = list(blocks_of(len(values), ROW_BLOCK))
    parts = run_blocks(lambda block: walker.regions(*block), blocks, n_jobs=n_jobs)
    empty = walker.regions(0, 0)
    return Regions(
        np.concatenate([empty.lower, *(part.lower for part in parts)]),
        np.concatenate([empty.upper, *(part.upper for part in parts)]),
        np.concatenate([empty.levels, *(part.levels for part in parts)]),
        empty.word_start,
        empty.split_levels,
    )


class _Walker:
    """Regions of blocks of rows; what all blocks need is worked out once."""

    def __init__(
        self,
        forest: ForestArrays,
        values: Codes,
        leaf_ids: LeafIds | None,
        n_jobs: int | None,
    ) -> None:
        self.forest, self.values = forest, forest.check_values(values)
        if leaf_ids is None:
            leaf_ids = forest.leaves(values, n_jobs=n_jobs)
        self.leaf_ids = np.asfortranarray(leaf_ids, np.int32)
        self.node_of_leaf, self.parent = (
            np.flatnonzero(forest.leaf >= 0),
            forest.parents(),
        )
        n_words = (forest.split_levels + 31) // 32
        self.word_start = np.concatenate([[0], np.cumsum(n_words)]).astype(np.int32)

    def regions(self, begin: int, end: int) -> Regions:
        forest, shape = self.forest, (end - begin, self.forest.n_columns)
        lower, upper = np.full(shape, -np.inf), np.full(shape, np.inf)
        levels = np.full((end - begin, self.word_start[-1]), 2**32 - 1, np.uint32)
        narrow_regions(
            self.values,
            begin,
            end,
            self.leaf_ids,
            self.node_of_leaf,
            self.parent,
            forest.start,
            forest.left,
            forest.feature,
            forest.threshold,
            forest.category,
            forest.words,
            forest.split_levels,
            self.word_start,
            lower,
            upper,
            levels,
        )
        return Regions(lower, upper, levels, self.word_start, forest.split_levels)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What a row made from a region must respect, read off the training rows."""

    lower: Floats  # (n_columns,) observed range of the codes
    upper: Floats
    whole: Bools  # columns whose codes are whole numbers
    centre: Floats  # mean of a number, most frequent level of a category
    level_counts: tuple[Floats, ...]  # rows of each level; empty for numbers


def column_facts(values: Codes, split_levels: Ints, whole: Bools) -> ColumnFacts:
    """Ranges, means and level counts of a table of codes."""
    n_columns = values.shape[1]
    lower, upper, centre = np.full((3, n_columns), np.nan)
    counts = []
    for column in range(n_columns):
        seen = values[~np.isnan(values[:, column]), column]
        n_levels = int(split_levels[column])
        count = np.zeros(n_levels)
        if n_levels:
            count += np.bincount(seen.astype(np.int64), minlength=n_levels)
        counts.append(count)
        if len(seen):
            low, high = seen.min(), seen.max()
            # Rounding may carry the mean of equal values past them.
            middle = np.argmax(count) if n_levels else np.clip(seen.mean(), low, high)
            lower[column], upper[column] = low, high
            centre[column] = np.round(middle) if whole[column] else middle
    return ColumnFacts(lower, upper, np.asarray(whole), centre, tuple(counts))


def rows_in_regions(
    forest: ForestArrays,
    values: Codes,
    leaf_ids: LeafIds,
    facts: ColumnFacts,
    *,
    how: Literal["draw", "middle"],
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> Codes:
    """Make one row x̃ in the region of each given row, whose leaves are given too.

    ``how="draw"`` draws uniformly in the region, ``"middle"`` takes the middle of
    each interval and the most frequent level of each set. Numbers stay in their
    observed range, whole numbers whole, levels among the observed ones; a column that
    no tree bounds gets its mean or mode; missing cells stay missing. The result
    falls into the same leaves as the given rows.
    """
    walker = _Walker(forest, values, leaf_ids, n_jobs)
    blocks = list(enumerate(blocks_of(len(values), _block_size(forest.split_levels))))
    seeds = draw_seeds(rng, len(blocks))
    made = np.empty_like(values)

    def work(block: tuple[int, tuple[int, int]]) -> None:
        number, (begin, end) = block
        own = values[begin:end]
        generator = np.random.default_rng(seeds[number])
        u = np.stack([generator.random(len(own)) for _ in own.T], axis=1)
        rows = rows_of_regions(walker.regions(begin, end), facts, how=how, u=u)
        made[begin:end] = np.where(np.isnan(own), np.nan, rows)

    run_blocks(work, blocks, n_jobs=n_jobs)
    return made


def rows_of_regions(
    regions: Regions, facts: ColumnFacts, *, how: Literal["draw", "middle"], u: Floats
) -> Codes:
    """Make one row in each region, as `rows_in_regions` does.

    ``u`` holds one uniform number for each cell; ``how="middle"`` needs none.
    """
    u = np.full_like(u, 0.5) if how == "middle" else u
    made = np.empty_like(regions.lower)
    for begin, end in blocks_of(len(made), _block_size(regions.split_levels)):
        part = regions.take(begin, end)
        for column, n_levels in enumerate(regions.split_levels):
            cells = _cells_of_levels if n_levels else _cells_of_numbers
            made[begin:end, column] = cells(
                part, facts, column, how, u[begin:end, column]
            )
    return made


def _block_size(split_levels: Ints) -> int:
    """Rows at a time: sets of levels are spread out to one cell per level."""
    most_levels = max(1, int(split_levels.max(initial=1)))
    return max(1, min(ROW_BLOCK, SPREAD_CELLS // most_levels))


def _cells_of_numbers(
    regions: Regions, facts: ColumnFacts, column: int, how: str, u: Floats
) -> Floats:
    lower, upper = regions.lower[:, column], regions.upper[:, column]
    unbounded = np.isneginf(lower) & np.isposinf(upper)
    if facts.whole[column]:
        low = np.maximum(np.floor(lower) + 1, facts.lower[column])
        high = np.minimum(np.floor(upper), facts.upper[column])
        span = high - low + (1 if how == "draw" else 0)
        cells = np.minimum(low + np.floor(u * span), high)
    else:
        below = np.nextafter(facts.lower[column], -np.inf)
        low = np.maximum(lower, below)
        high = np.minimum(upper, facts.upper[column])
        cells = np.maximum(high - u * (high - low), np.nextafter(low, np.inf))
    return np.where(unbounded, facts.centre[column], cells)


def _cells_of_levels(
    regions: Regions, facts: ColumnFacts, column: int, how: str, u: Floats
) -> Floats:
    counts = facts.level_counts[column]
    possible = regions.has_level(column)
    allowed = possible & (counts > 0)
    # A level that no training row has can be alone in its region.
    allowed = np.where(allowed.any(axis=1, keepdims=True), allowed, possible)
    if how == "middle":
        return np.where(allowed, counts, -1.0).argmax(axis=1).astype(np.float64)
    n_allowed = allowed.sum(axis=1)
    pick = np.minimum(np.floor(u * n_allowed), n_allowed - 1)
    cells = (np.cumsum(allowed, axis=1) <= pick[:, None]).sum(axis=1)
    unbounded = (allowed == (counts > 0)).all(axis=1)
    return np.where(unbounded, facts.centre[column], cells)
