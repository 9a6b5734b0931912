"""Blend several rows into one: weighted means of numbers, votes on levels."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._section import Section
from latentforest._base._types import Bools, Codes, Floats, Ints
from latentforest.neighbours._blend_loops import blend
from latentforest.table import TableSchema

QUERY_BLOCK = 128


class Weights(NamedTuple):
    """How much each neighbour counts; both sum to 1 in every row."""

    average: Floats  # (n_queries, n_neighbors), none negative
    linear: Floats | None  # the same for a fitted plane, some negative; None: average


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
        blend(
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
