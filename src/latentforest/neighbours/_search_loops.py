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
def search(columns, starts, lows, highs, queries, limits, begin, end, rows, squares):
    """Fill the nearest points of some queries, by insertion into a sorted list.

    ``limits`` are squared distances within which enough points are known to lie. Box b
    holds the points from ``starts[b]`` on, whose coordinates lie between its ``lows``
    and ``highs``; boxes too far away are not opened, and of groups too far away no box
    is looked at. Squares are added up in the order of SciPy's KD-tree, to the same last
    bit.
    """
    n_components, n_boxes = lows.shape
    n_neighbors, n_groups = rows.shape[1], -(-n_boxes // GROUP)
    partial, away = np.empty(np.diff(starts).max()), np.empty(GROUP)
    group_away = np.empty(n_groups)
    group_lows = np.empty((n_components, n_groups))
    group_highs = np.empty((n_components, n_groups))
    for g in range(n_groups):
        for c in range(n_components):
            group_lows[c, g] = lows[c, g * GROUP : (g + 1) * GROUP].min()
            group_highs[c, g] = highs[c, g * GROUP : (g + 1) * GROUP].max()
    for q in range(begin, end):
        squares[q] = limits[q]
        worst = limits[q]
        _distances(group_lows, group_highs, 0, n_groups, queries[q], group_away)
        for g in range(n_groups):
            if group_away[g] * (1.0 - 1e-9) > worst:  # with room for rounding
                continue
            opened, closed = g * GROUP, min((g + 1) * GROUP, n_boxes)
            _distances(lows, highs, opened, closed, queries[q], away)
            for b in range(opened, closed):
                if away[b - opened] * (1.0 - 1e-9) > worst:
                    continue
                first = starts[b]
                size = starts[b + 1] - first
                for p in range(size):
                    partial[p] = 0.0
                if n_components == 8:
                    for c in range(4):
                        at, behind = queries[q, c], queries[q, c + 4]
                        column = columns[c, first : first + size]
                        other = columns[c + 4, first : first + size]
                        for p in range(size):
                            gap, far = column[p] - at, other[p] - behind
                            partial[p] += gap * gap + far * far
                else:
                    for c in range(n_components):
                        at = queries[q, c]
                        column = columns[c, first : first + size]
                        for p in range(size):
                            gap = column[p] - at
                            partial[p] += gap * gap
                for p in range(size):
                    if partial[p] < worst:
                        j = n_neighbors - 1
                        while j > 0 and squares[q, j - 1] > partial[p]:
                            squares[q, j] = squares[q, j - 1]
                            rows[q, j] = rows[q, j - 1]
                            j -= 1
                        squares[q, j] = partial[p]
                        rows[q, j] = first + p
                        worst = squares[q, n_neighbors - 1]
