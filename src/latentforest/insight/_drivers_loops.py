"""Sums of squares between the two groups of every split. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def add_split_squares(
    ids, trees, feature, node_of_leaf, coords, factors, first, stop, out
):
    """Add what the splits of trees ``first … stop-1`` set apart to their columns.

    ``ids`` is tree-major, ``trees`` are start, left and right, ``out`` has the shape
    (n_columns, n_components), and ``factors`` tell what each tree counts. Rows are
    added to their leaves and leaves to their parents, so that no row goes down a tree
    again.
    """
    start, left, right = trees
    n_rows, n_components = coords.shape
    widest = 0
    for tree in range(first, stop):
        widest = max(widest, start[tree + 1] - start[tree])
    count = np.empty(widest)
    total = np.empty((widest, n_components))
    order = np.empty(widest, np.int64)  # nodes of a tree, parents before children
    for tree in range(first, stop):
        root = start[tree]
        count[: start[tree + 1] - root] = 0.0
        total[: start[tree + 1] - root] = 0.0
        for row in range(n_rows):
            node = node_of_leaf[ids[tree, row]] - root
            count[node] += 1.0
            for j in range(n_components):
                total[node, j] += coords[row, j]
        order[0] = 0
        n_met, place = 1, 0
        while place < n_met:
            node = root + order[place]
            if left[node] >= 0:
                order[n_met], order[n_met + 1] = left[node], right[node]
                n_met += 2
            place += 1
        for place in range(n_met - 1, -1, -1):
            node = order[place]
            if left[root + node] < 0:
                continue
            one, two = left[root + node], right[root + node]
            both = count[one] + count[two]
            count[node] = both
            share = count[one] * count[two] / both if both > 0.0 else 0.0
            column = feature[root + node]
            for j in range(n_components):
                total[node, j] = total[one, j] + total[two, j]
                if share > 0.0:
                    apart = total[one, j] / count[one] - total[two, j] / count[two]
                    out[column, j] += factors[tree] * share * apart * apart
