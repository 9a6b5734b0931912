"""A tree of boxes over points with few coordinates, and the search in it. Compiled.

SciPy's KD-tree takes about twice as long for the twenty or so neighbours that are asked
for here, and cannot be told how far away enough points are known to lie.

Node i has the children 2i + 1 and 2i + 2, each with half of its points; all leaves are
at the same depth. ``bounds`` holds the least and the largest coordinate of each node's
points, one after the other.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled, compiled_inner

LEAF = 32  # points at most


@compiled_inner
def _halve(keys, order, begin, end, middle):
    """Put keys, and the order with them, so that none before ``middle`` is larger."""
    first, last = begin, end - 1
    while first < last:
        one, two, three = keys[first], keys[(first + last) // 2], keys[last]
        pivot = max(min(one, two), min(max(one, two), three))
        i, j = first, last
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return


@compiled
def plant(points, depth, order, starts, bounds):
    """Fill ``order`` and where each leaf begins in it, and the bounds of all nodes.

    Points are halved across the widest side of their bounds.
    """
    n_inner = (1 << depth) - 1
    order[:] = np.arange(len(points))
    keys = np.empty(len(points))
    begin, end = np.empty((2, 2 * n_inner + 1), np.int64)
    begin[0], end[0] = 0, len(points)
    for node in range(2 * n_inner + 1):
        first, last = begin[node], end[node]
        widest, side = -1.0, 0
        for c in range(points.shape[1]):
            low, high = np.inf, -np.inf
            for i in range(first, last):
                low = min(low, points[order[i], c])
                high = max(high, points[order[i], c])
            bounds[node, 2 * c], bounds[node, 2 * c + 1] = low, high
            if high - low > widest:
                widest, side = high - low, c
        if node >= n_inner:
            starts[node - n_inner] = first
            continue
        for i in range(first, last):
            keys[i] = points[order[i], side]
        middle, left = (first + last) // 2, 2 * node + 1
        _halve(keys, order, first, last, middle)
        begin[left], end[left] = first, middle
        begin[left + 1], end[left + 1] = middle, last
    starts[n_inner + 1] = len(points)


@compiled_inner
def _away(bounds, node, query):
    """Return the squared distance of a query from the points of a node, at least."""
    square = 0.0
    for c in range(len(query)):
        low, high = bounds[node, 2 * c], bounds[node, 2 * c + 1]
        gap = max(low - query[c], query[c] - high, 0.0)
        square += gap * gap
    return square


@compiled_inner
def _insert(row, square, rows, squares):
    """Put a point in the place of the last; of equals the lower number is first."""
    j = len(rows) - 1
    while j > 0 and (
        squares[j - 1] > square or (squares[j - 1] == square and rows[j - 1] > row)
    ):
        squares[j], rows[j] = squares[j - 1], rows[j - 1]
        j -= 1
    squares[j], rows[j] = square, row


@compiled_inner
def _open_leaf(order, columns, first, last, query, partial, rows, squares):
    """Go through the points of a leaf; ``rows`` are the nearest so far."""
    size = last - first
    at, column = query[0], columns[0, first:last]
    for p in range(size):
        gap = column[p] - at
        partial[p] = gap * gap
    for c in range(1, len(query)):
        at, column = query[c], columns[c, first:last]
        for p in range(size):
            gap = column[p] - at
            partial[p] += gap * gap
    farthest = len(rows) - 1
    worst = squares[farthest]
    for p in range(size):
        square = partial[p]
        if square <= worst:
            row = order[first + p]
            if square < worst or row < rows[farthest]:
                _insert(row, square, rows, squares)
                worst = squares[farthest]


@compiled
def search_tree(tree, queries, limits, begin, end, rows, squares):
    """Fill the nearest points of some queries, nearest first.

    ``limits`` are squared distances within which enough points are known to lie. The
    nearer child is looked at first, the other one waits, with its distance.
    """
    order, columns, starts, bounds = tree
    n_inner, worst = len(bounds) // 2, rows.shape[1] - 1
    waiting, far = np.empty(64, np.int64), np.empty(64)
    partial = np.empty(LEAF)
    for q in range(begin, end):
        query = queries[q]
        # No point has a number that high: all that are within the limit come before.
        squares[q], rows[q] = limits[q], len(order)
        waiting[0], far[0], n_waiting = 0, 0.0, 1
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            # With room for rounding, here and below.
            if far[n_waiting] * (1.0 - 1e-9) > squares[q, worst]:
                continue
            while node < n_inner:
                near = 2 * node + 1
                other, apart = near + 1, _away(bounds, near + 1, query)
                beside = _away(bounds, near, query)
                if apart < beside:
                    near, other, apart = other, near, beside
                if apart * (1.0 - 1e-9) <= squares[q, worst]:
                    waiting[n_waiting], far[n_waiting] = other, apart
                    n_waiting += 1
                node = near
            leaf = node - n_inner
            _open_leaf(
                order,
                columns,
                starts[leaf],
                starts[leaf + 1],
                query,
                partial,
                rows[q],
                squares[q],
            )
