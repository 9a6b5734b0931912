"""Search among points that lie in boxes. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled

GROUP = 32  # boxes that are passed over together


@compiled
def farthest(points, queries, known, squares):
    """Fill the squared distance of each query from the farthest point it knows."""
    for q in range(len(queries)):
        squares[q] = 0.0
        for k in range(known.shape[1]):
            total = 0.0
            for c in range(points.shape[1]):
                gap = points[known[q, k], c] - queries[q, c]
                total += gap * gap
            squares[q] = max(squares[q], total)


@compiled
def _distances(lows, highs, begin, end, query, away):
    """Fill the squared distances of a query from some boxes."""
    away[:] = 0.0
    for c in range(len(query)):
        at, low, high = query[c], lows[c, begin:end], highs[c, begin:end]
        for b in range(end - begin):
            gap = max(low[b] - at, at - high[b], 0.0)
            away[b] += gap * gap


@compiled
def _squares(columns, first, last, query, partial):
    """Fill the squared distances of a query from some points."""
    size = last - first
    rest = len(query) % 4
    partial[:size] = 0.0
    for c in range(rest):
        at, column = query[c], columns[c, first:last]
        for p in range(size):
            gap = column[p] - at
            partial[p] += gap * gap
    # Four at once: sums are read and written a quarter as often.
    for c in range(rest, len(query), 4):
        at0, at1, at2, at3 = query[c], query[c + 1], query[c + 2], query[c + 3]
        column0, column1 = columns[c, first:last], columns[c + 1, first:last]
        column2, column3 = columns[c + 2, first:last], columns[c + 3, first:last]
        for p in range(size):
            gap0, gap1 = column0[p] - at0, column1[p] - at1
            gap2, gap3 = column2[p] - at2, column3[p] - at3
            total = partial[p] + gap0 * gap0
            total += gap1 * gap1
            total += gap2 * gap2
            partial[p] = total + gap3 * gap3


@compiled
def _insert(row, square, rows, squares):
    """Put a point among the nearest so far, which are sorted, if it is one of them.

    Of points at the same distance, those with lower numbers come first.
    """
    j = len(rows)
    while j > 0 and (
        squares[j - 1] > square or (squares[j - 1] == square and rows[j - 1] > row)
    ):
        j -= 1
        if j + 1 < len(rows):
            squares[j + 1], rows[j + 1] = squares[j], rows[j]
    if j < len(rows):
        squares[j], rows[j] = square, row


@compiled
def _open_group(boxes, group, query, buffers, rows, squares):
    """Go through the boxes of a group that are not too far away from one query.

    ``rows`` and ``squares`` are the nearest points so far.
    """
    order, columns, starts, lows, highs = boxes
    away, partial = buffers
    last = len(rows) - 1
    begin, end = group * GROUP, min((group + 1) * GROUP, lows.shape[1])
    _distances(lows, highs, begin, end, query, away)
    for b in range(begin, end):
        if away[b - begin] * (1.0 - 1e-9) > squares[last]:  # with room for rounding
            continue
        _squares(columns, starts[b], starts[b + 1], query, partial)
        for p in range(starts[b + 1] - starts[b]):
            if partial[p] <= squares[last]:
                _insert(order[starts[b] + p], partial[p], rows, squares)


@compiled
def search(boxes, groups, queries, limits, begin, end, rows, squares):
    """Fill the nearest points of some queries, nearest first.

    ``limits`` are squared distances within which enough points are known to lie. Box b
    holds the points from ``starts[b]`` on, whose coordinates lie between its ``lows``
    and ``highs``, as ``groups`` are the bounds of boxes in turn; boxes too far away are
    not opened, and of groups too far away no box is looked at. Each query begins in the
    group next to it, which mostly shows that others are too far away. Then the groups
    come one after the other, each to all queries, while it is in the processor's cache.
    """
    order, _, starts, _, _ = boxes
    group_lows, group_highs = groups
    n_groups = group_lows.shape[1]
    buffers = np.empty(GROUP), np.empty(np.diff(starts).max())
    away = np.empty((end - begin, n_groups))
    next_to = np.empty(end - begin, np.int64)
    for q in range(begin, end):
        # No point has a number that high: all that are within the limit come before.
        squares[q], rows[q] = limits[q], len(order)
        near = away[q - begin]
        _distances(group_lows, group_highs, 0, n_groups, queries[q], near)
        next_to[q - begin] = near.argmin()
        _open_group(boxes, near.argmin(), queries[q], buffers, rows[q], squares[q])
    for g in range(n_groups):
        for q in range(begin, end):
            too_far = away[q - begin, g] * (1.0 - 1e-9) > squares[q, -1]
            if g != next_to[q - begin] and not too_far:
                _open_group(boxes, g, queries[q], buffers, rows[q], squares[q])


@compiled
def nearest_of(points, queries, candidates, rows, squares):
    """Fill the nearest of some candidates of each query, nearest first."""
    for q in range(len(queries)):
        squares[q], rows[q] = np.inf, len(points)
        for k in range(candidates.shape[1]):
            row, total = np.int64(candidates[q, k]), 0.0
            for c in range(points.shape[1]):
                gap = points[row, c] - queries[q, c]
                total += gap * gap
            if total <= squares[q, -1]:
                _insert(row, total, rows[q], squares[q])
