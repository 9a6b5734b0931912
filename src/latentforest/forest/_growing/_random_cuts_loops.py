"""Cuts that ignore any target. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled_inner
from latentforest._base._random_loops import between, uniform

COIN_TRIES = 8  # draws of a random split of levels before a column is given up


@compiled_inner
def random_cut(bins, column, missing, rows, lower, upper, first, ends, state):
    """Draw a cut uniformly among those that leave enough rows on both sides.

    ``ends`` are two lines as long as a side must be; ``first`` is where the edges of
    the column's bins begin in ``lower`` and ``upper``. Returns NaN if there is no such
    cut. Missing rows are not counted.
    """
    smallest, largest = ends
    depth = len(smallest)
    smallest[:] = missing
    largest[:] = -1
    for i in range(len(rows)):
        code = np.int64(bins[column, rows[i]])
        if code == missing:
            continue
        if code < smallest[depth - 1]:
            j = depth - 1
            while j > 0 and smallest[j - 1] > code:
                smallest[j] = smallest[j - 1]
                j -= 1
            smallest[j] = code
        if code > largest[depth - 1]:
            j = depth - 1
            while j > 0 and largest[j - 1] < code:
                largest[j] = largest[j - 1]
                j -= 1
            largest[j] = code
    low, high = smallest[depth - 1], largest[depth - 1]
    if low >= high:
        return np.nan
    value = between(upper[first + low], lower[first + high], uniform(state))
    # Rounding may reach the upper end, where one side would keep too few rows.
    return value if value < lower[first + high] else upper[first + low]


@compiled_inner
def coin_levels(bins, column, n_levels, rows, min_leaf, side, state):
    """Send every level (and missing) to a random side, enough rows on both."""
    for _ in range(COIN_TRIES):
        for level in range(n_levels + 1):
            side[level] = uniform(state) < 0.5
        n_left = 0
        for i in range(len(rows)):
            n_left += side[bins[column, rows[i]]]
        if min(n_left, len(rows) - n_left) >= max(1.0, min_leaf):
            return True
    return False
