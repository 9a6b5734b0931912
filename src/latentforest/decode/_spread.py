"""How far neighbouring rows disagree: spreads of numbers, shares of levels."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._compiled import compiled
from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Codes, Floats
from latentforest.decode._blend import QUERY_BLOCK, LevelPriority


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
        _spread(
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


@compiled
def _spread(
    rows,
    weights,
    scores,
    codes,
    centre,
    begin,
    end,
    is_number,
    start,
    n_levels,
    std,
    shares,
):
    """Fill some rows of ``std`` and ``shares``."""
    for q in range(begin, end):
        for column in range(codes.shape[1]):
            if is_number[column]:
                total, seen = 0.0, 0.0
                for k in range(rows.shape[1]):
                    gap = codes[rows[q, k], column] - centre[q, column]
                    if not np.isnan(gap):
                        total += weights[q, k] * gap * gap
                        seen += weights[q, k]
                if seen > 0.0:
                    std[q, column] = np.sqrt(total / seen)
                continue
            first, missing = start[column], n_levels[column]
            for k in range(rows.shape[1]):
                cell = codes[rows[q, k], column]
                level = missing if np.isnan(cell) else np.int64(cell)
                shares[q, first + level] += scores[q, k]
            total = 0.0
            for level in range(first, first + missing + 1):
                shares[q, level] = max(shares[q, level], 0.0)
                total += shares[q, level]
            for level in range(first, first + missing + 1):
                shares[q, level] /= total
