"""Search among many coordinates by brute force. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def search(columns, rises, queries, limits, begin, end, rows, squares):
    """Fill the nearest points of some queries, by insertion into a sorted list.

    ``limits`` are squared distances within which enough points are known to lie. If
    the first of the ``columns`` ``rises``, points too far away in it are not looked at.
    Squares are added up in the order of SciPy's KD-tree, to the same last bit.
    """
    n_components, n_points = columns.shape
    n_neighbors = rows.shape[1]
    block = 512
    partial = np.empty(block)
    for q in range(begin, end):
        squares[q] = limits[q]
        worst = limits[q]
        low, high = 0, n_points
        if rises and worst < np.inf:
            reach = np.sqrt(worst)
            low = np.searchsorted(columns[0], queries[q, 0] - reach)
            high = np.searchsorted(columns[0], queries[q, 0] + reach, side="right")
        for first in range(low, high, block):
            size = min(block, high - first)
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
