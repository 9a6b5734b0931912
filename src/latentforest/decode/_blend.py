"""Blend several rows into one: weighted means of numbers, votes on levels."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._compiled import compiled
from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._section import Section
from latentforest._base._types import Bools, Codes, Floats, Ints
from latentforest.table import TableSchema

QUERY_BLOCK = 128
# Weights add up in the order of the neighbours, so sums that should tie may differ.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class LevelPriority:
    """Who wins a tie between levels: a random order of each column's levels."""

    rank: NDArray[np.float64]  # column after column, n_levels + 1 each; last: missing
    start: NDArray[np.int64]  # (n_columns,)
    n_levels: Ints  # (n_columns,), 0 for numbers
    is_number: Bools  # (n_columns,)

    @classmethod
    def of_ranks(cls, rank: Floats, schema: TableSchema) -> "LevelPriority":
        """Say to which column each rank belongs."""
        n_codes = codes_to_rank(schema)
        return cls(
            rank,
            np.cumsum(n_codes, dtype=np.int64) - n_codes,
            np.where(schema.is_number, 0, schema.n_levels).astype(np.int32),
            schema.is_number,
        )

    @classmethod
    def take(cls, section: Section, schema: TableSchema) -> "LevelPriority":
        """Read the ranks from a model file."""
        size = int(codes_to_rank(schema).sum()) + 1
        return cls.of_ranks(section.coords("rank", (size,)), schema)


def codes_to_rank(schema: TableSchema) -> Ints:
    """Levels of each column, missing among them; 0 for numbers."""
    return np.where(schema.is_number, 0, schema.n_levels + 1)


def draw_priority(schema: TableSchema, rng: np.random.Generator) -> LevelPriority:
    """Draw the order once, so that a tie falls the same way in every batch."""
    ranks = [rng.permutation(int(n)) for n in codes_to_rank(schema)]
    rank = np.concatenate([*ranks, np.zeros(1)])
    return LevelPriority.of_ranks(rank, schema)


def blend_rows(
    rows: NDArray[np.int64],
    weights: Floats,
    codes: Codes,
    priority: LevelPriority,
    *,
    linear: Floats | None = None,
    n_jobs: int | None = None,
) -> Codes:
    """Blend ``codes[rows]`` with weights that sum to 1 in each row.

    A number is the weighted mean of the cells that are there, and missing if more
    than half of the weight is on missing cells. A category is the level, missing
    being one, with the most weight; ties go by ``priority``.

    ``linear`` are weights that also sum to 1 but may be negative, such as those of a
    fitted plane. They replace the others, except that ``weights`` still say whether a
    number is missing; its missing cells count as the weighted mean.
    """
    blended = np.empty((len(rows), codes.shape[1]))
    scores = weights if linear is None else linear

    def work(block: tuple[int, int]) -> None:
        _blend(
            rows,
            weights,
            scores,
            linear is not None,
            codes,
            *block,
            priority.is_number,
            priority.rank,
            priority.start,
            priority.n_levels,
            blended,
        )

    run_blocks(work, list(blocks_of(len(rows), QUERY_BLOCK)), n_jobs=n_jobs)
    return blended


@compiled
def _level(cell, missing):
    """Return the level in a cell; missing cells are a level of their own."""
    return missing if np.isnan(cell) else np.int64(cell)


@compiled
def _blend(
    rows,
    weights,
    scores,
    is_linear,
    codes,
    begin,
    end,
    is_number,
    rank,
    start,
    n_levels,
    blended,
):
    """Fill some rows of ``blended``."""
    votes = np.zeros(max(1, n_levels.max() + 1))
    sums = np.empty((4, codes.shape[1]))
    some_numbers = is_number.any()
    for q in range(begin, end):
        if some_numbers:
            _blend_numbers(
                rows[q], weights[q], scores[q], is_linear, codes, sums, blended[q]
            )
        for column in range(codes.shape[1]):
            if is_number[column]:
                continue
            missing = np.int64(n_levels[column])
            for k in range(rows.shape[1]):
                votes[_level(codes[rows[q, k], column], missing)] += scores[q, k]
            # Of thousands of levels only those of the rows are looked at.
            many = missing >= rows.shape[1]
            winner = _level(codes[rows[q, 0], column], missing)
            for i in range(rows.shape[1] if many else missing + 1):
                level = _level(codes[rows[q, i], column], missing) if many else i
                lead = votes[level] - votes[winner]
                if lead > ROUNDING or (
                    lead > -ROUNDING
                    and rank[start[column] + level] > rank[start[column] + winner]
                ):
                    winner = level
            blended[q, column] = np.nan if winner == missing else winner
            if many:
                for k in range(rows.shape[1]):
                    votes[_level(codes[rows[q, k], column], missing)] = 0.0
            else:
                votes[: missing + 1] = 0.0


@compiled
def _blend_numbers(rows, weights, scores, is_linear, codes, sums, blended):
    """Fill one row as if all columns were numbers.

    Row by row, since the cells of a row lie side by side in memory.
    """
    mean, seen, low, high = sums[0], sums[1], sums[2], sums[3]
    mean[:], seen[:], low[:], high[:] = 0.0, 0.0, np.inf, -np.inf
    for k in range(len(rows)):
        row, weight = codes[rows[k]], weights[k]
        for column in range(len(mean)):
            cell = row[column]
            known = not np.isnan(cell)
            mean[column] += weight * cell if known else 0.0
            seen[column] += weight if known else 0.0
            low[column] = cell if cell < low[column] else low[column]
            high[column] = cell if cell > high[column] else high[column]
    for column in range(len(mean)):
        blended[column] = np.nan
        if seen[column] > 0.5 - ROUNDING:
            # Rounding may carry the mean of equal cells past them.
            middle = mean[column] / seen[column]
            blended[column] = min(max(middle, low[column]), high[column])
        mean[column] = blended[column]
    if is_linear:
        for k in range(len(rows)):
            row, score = codes[rows[k]], scores[k]
            for column in range(len(mean)):
                cell = row[column]
                known = not np.isnan(cell)
                blended[column] += score * (cell - mean[column]) if known else 0.0
