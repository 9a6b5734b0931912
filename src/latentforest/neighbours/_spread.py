"""How far neighbouring rows disagree: spreads of numbers, shares of levels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Codes, Floats
from latentforest.neighbours._blend import QUERY_BLOCK, LevelPriority
from latentforest.neighbours._spread_loops import spread


@dataclass(frozen=True, slots=True)
class CellSpread:
    """What neighbours say of each decoded cell, beside its value."""

    std: Floats  # (n_rows, n_columns) root mean square distance; NaN for categories
    shares: Floats  # (n_rows, all levels, missing last in each column)
    start: NDArray[np.int64]  # (n_columns,) where each column's levels begin

    def of_column(self, column: int, n_levels: int) -> Floats:
        """Share of each level of a category, missing last, (n_rows, n_levels + 1)."""
        first = self.start[column]
        return self.shares[:, first : first + n_levels + 1]


def spread_of_rows(
    rows: NDArray[np.int64],
    weights: Floats,
    linear: Floats | None,
    codes: Codes,
    centre: Codes,
    priority: LevelPriority,
    *,
    n_jobs: int | None = None,
) -> CellSpread:
    """Spread of ``codes[rows]`` about ``centre``, under the weights of `blend_rows`.

    The share of a level is its weight; negative ones, which a plane may give, count
    as 0.
    """
    std = np.full(centre.shape, np.nan)
    # The last entry of the ranks belongs to no column.
    shares = np.zeros((len(rows), len(priority.rank) - 1))
    scores = weights if linear is None else linear

    def work(block: tuple[int, int]) -> None:
        spread(
            rows,
            weights,
            scores,
            codes,
            centre,
            *block,
            priority.is_number,
            priority.start,
            priority.n_levels,
            std,
            shares,
        )

    run_blocks(work, list(blocks_of(len(rows), QUERY_BLOCK)), n_jobs=n_jobs)
    return CellSpread(std, shares, priority.start)
