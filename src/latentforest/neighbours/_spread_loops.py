"""Spreads of numbers and shares of levels. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def spread(
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
