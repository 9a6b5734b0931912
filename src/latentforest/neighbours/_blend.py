"""Blend several rows into one: weighted means of numbers, votes on levels."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._section import Section
from latentforest._base._types import Bools, Codes, Floats, Ints
from latentforest._base._values import damaged
from latentforest.neighbours._blend_loops import blend
from latentforest.table import TableSchema

QUERY_BLOCK = 128


class Weights(NamedTuple):
    """How much each neighbour counts; both sum to 1 in every row."""

    average: Floats  # (n_queries, n_neighbors), none negative
    linear: Floats | None  # the same for a fitted plane, some negative; None: average


@dataclass(frozen=True, slots=True)
class LevelPriority:
    """Who wins: how much weight makes a cell missing, and which level wins a tie."""

    rank: NDArray[np.float64]  # column after column, n_levels + 1 each; last: missing
    start: NDArray[np.int64]  # (n_columns,)
    n_levels: Ints  # (n_columns,), 0 for numbers
    is_number: Bools  # (n_columns,)
    absent_above: Floats  # (n_columns,) weight of gaps beyond which a cell is one

    @classmethod
    def of_ranks(
        cls, rank: Floats, schema: TableSchema, absent_above: Floats | None = None
    ) -> "LevelPriority":
        """Say to which column each rank belongs; half of the weight makes a gap."""
        n_codes = codes_to_rank(schema)
        return cls(
            rank,
            np.cumsum(n_codes, dtype=np.int64) - n_codes,
            np.where(schema.is_number, 0, schema.n_levels).astype(np.int32),
            schema.is_number,
            np.full(schema.n_columns, 0.5) if absent_above is None else absent_above,
        )

    @classmethod
    def take(cls, section: Section, schema: TableSchema) -> "LevelPriority":
        """Read ranks and limits from a model file; older ones know half alone."""
        size = int(codes_to_rank(schema).sum()) + 1
        limits = None
        if section.has("absent_above"):
            given = section.values("absent_above")
            known = [x for x in given if isinstance(x, float) and 0 <= x <= 0.5]
            if known != given or len(known) != schema.n_columns:
                raise damaged(
                    f"{section.path('absent_above')} does not fit the columns"
                )
            limits = np.array(known)
        return cls.of_ranks(section.coords("rank", (size,)), schema, limits)


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

    A cell is missing if more than half of the weight is on missing cells, or more
    than ``priority.absent_above`` says. Else a number is the weighted mean of the cells
    that are there, and a category the level with the most weight; ties go by
    ``priority``.

    ``linear`` are weights that also sum to 1 but may be negative, such as those of a
    fitted plane. They replace the others; missing cells of a number count as its
    weighted mean.
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
            priority.absent_above,
            blended,
        )

    run_blocks(work, list(blocks_of(len(rows), QUERY_BLOCK)), n_jobs=n_jobs)
    return blended
