"""Carry out a split: thresholds between bins, rows to their side. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled_inner
from latentforest._base._random_loops import between


@compiled_inner
def middle_of(below, above):
    """Threshold halfway between two values; of neighbouring doubles the lower one."""
    value = between(below, above, 0.5)
    return value if value < above else below


@compiled_inner
def place_cut(value, lower, upper, first, last):
    """Largest bin left of ``value``, and a threshold between it and the next bin.

    It is one of the bins ``first`` to ``last``.
    """
    while first < last:
        middle = (first + last + 1) // 2
        if upper[middle] <= value:
            first = middle
        else:
            last = middle - 1
    if upper[first] <= value < lower[first + 1]:
        return first, value
    return first, middle_of(upper[first], lower[first + 1])


@compiled_inner
def sides_by_bin(codes, size, missing, last, missing_left, goes_left):
    """Note which rows go left where bins up to ``last`` do."""
    cut, gap = np.int32(last), np.int32(missing if missing_left else -1)
    for i in range(size):
        goes_left[i] = (codes[i] <= cut) | (codes[i] == gap)


@compiled_inner
def around_cut(codes, size, missing, last):
    """Largest bin left of a cut, smallest on its right, and the missing rows."""
    cut, gap = np.int32(last), np.int32(missing)
    low, high, n_missing = np.int32(-1), gap, np.int32(0)
    for i in range(size):
        low = max(low, codes[i] if codes[i] <= cut else np.int32(-1))
        high = min(high, gap if codes[i] <= cut else codes[i])
        n_missing += np.int32(codes[i] == gap)
    return np.int64(low), np.int64(high), n_missing


@compiled_inner
def sides_by_level(codes, size, side, goes_left):
    """Note which rows go left where the levels of ``side`` do."""
    for i in range(size):
        goes_left[i] = side[codes[i]]


@compiled_inner
def partition(rows, marks, goes_left, spare_rows, spare_marks):
    """Gather the rows that go left at the front, all in the order they had.

    Kept in order, rows are read from memory in order too. The spare lines hold those
    that go right until the others are in place; there is no branch for the processor
    to guess wrong. Where rows have no marks, these are empty. Returns the number of
    rows on the left.
    """
    n_left, n_right = 0, 0
    if len(marks) == 0:
        for i in range(len(rows)):
            row, goes = rows[i], np.int64(goes_left[i])
            rows[n_left], spare_rows[n_right] = row, row
            n_left += goes
            n_right += 1 - goes
        for k in range(n_right):
            rows[n_left + k] = spare_rows[k]
        return n_left
    for i in range(len(rows)):
        row, mark, goes = rows[i], marks[i], np.int64(goes_left[i])
        rows[n_left], spare_rows[n_right] = row, row
        marks[n_left], spare_marks[n_right] = mark, mark
        n_left += goes
        n_right += 1 - goes
    for k in range(n_right):
        rows[n_left + k] = spare_rows[k]
        marks[n_left + k] = spare_marks[k]
    return n_left


@compiled_inner
def place_absent(bins, column, n_levels, rows, n_left, side):
    """Send the levels that no row of the node has to the larger side."""
    for level in range(n_levels + 1):
        side[level] = n_left >= len(rows) - n_left
    for i in range(len(rows)):
        side[bins[column, rows[i]]] = i < n_left
