"""Weighted means of numbers and votes on levels. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled

# Weights add up in the order of the neighbours, so sums that should tie may differ.
ROUNDING = 1e-12
LARGEST = np.finfo(np.float64).max
SHRINK = 2.0**-64  # a power of two: nothing is rounded


@compiled
def _level(cell, missing):
    """Return the level in a cell; missing cells are a level of their own."""
    return missing if np.isnan(cell) else np.int64(cell)


@compiled
def blend(
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
    absent_above,
    blended,
):
    """Fill some rows of ``blended``."""
    votes = np.zeros(max(1, n_levels.max() + 1))
    sums = np.empty((5, codes.shape[1]))
    some_numbers = is_number.any()
    for q in range(begin, end):
        if some_numbers:
            _blend_numbers(
                rows[q],
                weights[q],
                scores[q],
                is_linear,
                codes,
                absent_above,
                sums,
                blended[q],
            )
        for column in range(codes.shape[1]):
            if is_number[column]:
                continue
            missing = np.int64(n_levels[column])
            for k in range(rows.shape[1]):
                votes[_level(codes[rows[q, k], column], missing)] += scores[q, k]
            # Missing stands against all levels together.
            winner = missing
            absent = votes[missing] > absent_above[column] + ROUNDING
            votes[missing] = np.inf if absent else -np.inf
            # Of thousands of levels only those of the rows are looked at.
            many = missing >= rows.shape[1]
            for i in range(rows.shape[1] if many else missing):
                level = _level(codes[rows[q, i], column], missing) if many else i
                lead = votes[level] - votes[winner]
                if lead > ROUNDING or (
                    lead > -ROUNDING
                    and rank[start[column] + level] > rank[start[column] + winner]
                ):
                    winner = level
            blended[q, column] = np.nan if winner == missing else winner
            votes[missing] = 0.0
            if many:
                for k in range(rows.shape[1]):
                    votes[_level(codes[rows[q, k], column], missing)] = 0.0
            else:
                votes[:missing] = 0.0


@compiled
def _blend_numbers(
    rows, weights, scores, is_linear, codes, absent_above, sums, blended
):
    """Fill one row as if all columns were numbers.

    Row by row, since the cells of a row lie side by side in memory.
    """
    mean, seen, low, high, absent = sums[0], sums[1], sums[2], sums[3], sums[4]
    mean[:], seen[:], low[:], high[:], absent[:] = 0.0, 0.0, np.inf, -np.inf, 0.0
    for k in range(len(rows)):
        row, weight, score = codes[rows[k]], weights[k], scores[k]
        for column in range(len(mean)):
            cell = row[column]
            known = not np.isnan(cell)
            absent[column] += 0.0 if known else score
            mean[column] += weight * cell if known else 0.0
            seen[column] += weight if known else 0.0
            low[column] = cell if cell < low[column] else low[column]
            high[column] = cell if cell > high[column] else high[column]
    for column in range(len(mean)):
        blended[column] = np.nan
        if seen[column] > 0.0 and absent[column] <= absent_above[column] + ROUNDING:
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
        for column in range(len(mean)):
            if not np.isfinite(blended[column]) and not np.isnan(mean[column]):
                blended[column] = _far_plane(
                    rows, scores, codes[:, column], mean[column]
                )


@compiled
def _far_plane(rows, scores, cells, mean):
    """Return one number of a plane whose terms, or whose sum, are beyond all doubles.

    A number that is itself beyond them is the largest there is.
    """
    value = mean * SHRINK
    for k in range(len(rows)):
        cell = cells[rows[k]]
        if not np.isnan(cell):
            value += scores[k] * (cell * SHRINK - mean * SHRINK)
    return min(max(value, -LARGEST * SHRINK), LARGEST * SHRINK) / SHRINK
