"""Carry out a split: thresholds between bins, rows to their side. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest._base._random_loops import between


@compiled
def middle_of(below, above):
    """Threshold halfway between two values; of neighbouring doubles the lower one."""
    value = between(below, above, 0.5)
    return value if value < above else below


@compiled
def place_cut(value, lower, upper):
    """Largest bin left of ``value``, and a threshold between it and the next bin."""
    if value >= upper[-1]:
        return len(upper) - 1, value
    first, last = 0, len(upper) - 2
    while first < last:
        middle = (first + last + 1) // 2
        if upper[middle] <= value:
            first = middle
        else:
            last = middle - 1
    if upper[first] <= value < lower[first + 1]:
        return first, value
    return first, middle_of(upper[first], lower[first + 1])


@compiled
def partition(
    bins, missing, sample, begin, end, last, missing_left, side, by_level, spare
):
    """Gather the rows that go left at the front, all in the order they had.

    Kept in order, rows are read from memory in order too. ``spare``, three lines as
    long as the sample, holds the rows that go right until the others are in place;
    there is no branch for the processor to guess wrong. Returns the first row on the
    right, the largest bin on the left, the smallest on the right and the number of
    missing rows.
    """
    rows, responses, weights = sample
    n_left, n_right, n_missing = begin, 0, 0
    low, high = np.int64(-1), np.int64(missing)
    for i in range(begin, end):
        row = rows[i]
        code = np.int64(bins[row])
        if by_level:
            goes_left = side[code]
        elif code == missing:
            goes_left = missing_left
            n_missing += 1
        else:
            goes_left = code <= last
            low = max(low, code if goes_left else low)
            high = min(high, high if goes_left else code)
        response, weight = responses[i], weights[i]
        rows[n_left], spare[0, n_right] = row, row
        responses[n_left], spare[1, n_right] = response, response
        weights[n_left], spare[2, n_right] = weight, weight
        n_left += goes_left
        n_right += not goes_left
    for k in range(n_right):
        rows[n_left + k] = np.int32(spare[0, k])
        responses[n_left + k] = spare[1, k]
        weights[n_left + k] = spare[2, k]
    return n_left, low, high, n_missing


@compiled
def place_absent(bins, n_levels, rows, begin, middle, end, rank, side):
    """Choose a side for the levels that no row of the node has.

    Where levels have a rank, all up to the highest on the left go left; elsewhere
    they follow the larger side.
    """
    if len(rank) > 0:
        highest = np.int64(-1)
        for i in range(begin, middle):
            highest = max(highest, rank[bins[rows[i]]])
        for level in range(n_levels + 1):
            side[level] = rank[level] <= highest
    else:
        side[: n_levels + 1] = middle - begin >= end - middle
    for i in range(begin, end):
        side[bins[rows[i]]] = i < middle
