"""Distances of rows to their nearest rows, by their cells. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled

LARGEST = 1e140  # squares of larger numbers, added up, may be infinite


@compiled
def nearest_squares(points, queries, own, apart, start, stop, squares):
    """Fill ``squares`` with the least squared distances of rows ``start … stop-1``.

    Levels that differ are ``apart[column]``; 0 there says that the column is a number.
    A column in which either row has a gap says nothing, and the others count for it.
    ``own`` is the point that a query is itself, or -1.
    """
    n_columns, n_nearest = points.shape[1], squares.shape[1]
    for query in range(start, stop):
        best = squares[query]
        best[:] = np.inf
        row = queries[query]
        for p in range(points.shape[0]):
            if p == own[query]:
                continue
            total, n_known = 0.0, 0
            for column in range(n_columns):
                a, b = row[column], points[p, column]
                if apart[column] > 0.0:
                    if np.isnan(a) or np.isnan(b):
                        continue
                    if a != b:
                        total += apart[column]
                else:
                    way = abs(a - b)
                    if np.isnan(way):
                        continue
                    way = min(way, LARGEST)
                    total += way * way
                n_known += 1
                if total >= best[n_nearest - 1]:
                    break
            if n_known == 0:
                total = 2.0 * n_columns  # what two rows are apart on average
            elif n_known < n_columns:
                total *= n_columns / n_known
            if total >= best[n_nearest - 1]:
                continue
            k = n_nearest - 1
            while k > 0 and best[k - 1] > total:
                best[k] = best[k - 1]
                k -= 1
            best[k] = total
