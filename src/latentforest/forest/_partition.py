"""Carry out a split: thresholds between bins, rows to their side. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def place_cut(value, lower, upper):
    """Largest bin left of ``value``, and a threshold between it and the next bin."""
    if value >= upper[-1]:
        return len(upper) - 1, upper[-1]
    first, last = 0, len(upper) - 2
    while first < last:
        middle = (first + last + 1) // 2
        if upper[middle] <= value:
            first = middle
        else:
            last = middle - 1
    if upper[first] <= value < lower[first + 1]:
        return first, value
    value = upper[first] + (lower[first + 1] - upper[first]) / 2
    return first, value if value < lower[first + 1] else upper[first]


@njit(cache=True, nogil=True)
def partition(
    bins,
    missing,
    rows,
    labels,
    responses,
    weights,
    begin,
    end,
    last,
    missing_left,
    side,
    by_level,
):
    """Gather the rows that go left at the front.

    Returns the first row on the right, the largest bin on the left, the smallest on
    the right and the number of missing rows.
    """
    i, j = begin, end - 1
    low, high, n_missing = np.int64(-1), np.int64(missing), 0
    while i <= j:
        code = np.int64(bins[rows[i]])
        if by_level:
            goes_left = side[code]
        elif code == missing:
            goes_left = missing_left
            n_missing += 1
        else:
            goes_left = code <= last
            if goes_left:
                low = max(low, code)
            else:
                high = min(high, code)
        if goes_left:
            i += 1
        else:
            rows[i], rows[j] = rows[j], rows[i]
            labels[i], labels[j] = labels[j], labels[i]
            responses[i], responses[j] = responses[j], responses[i]
            weights[i], weights[j] = weights[j], weights[i]
            j -= 1
    return i, low, high, n_missing


@njit(cache=True, nogil=True)
def place_absent(bins, n_levels, rows, begin, middle, end, rank, side):
    """Choose a side for the levels that no row of the node has.

    Where levels have a rank, all up to the highest on the left go left; elsewhere
    they follow the larger side.
    """
    highest = -1.0
    if len(rank) > 0:
        for i in range(begin, middle):
            highest = max(highest, rank[bins[rows[i]]])
    for level in range(n_levels + 1):
        if len(rank) > 0:
            side[level] = rank[level] <= highest
        else:
            side[level] = middle - begin >= end - middle
    for i in range(begin, end):
        side[bins[rows[i]]] = i < middle
