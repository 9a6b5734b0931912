"""Rows that share most leaves with others. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def sort_rows(ids, begin, end, at, members):
    """Put the rows of some trees into their leaves; ``at`` is where each leaf begins.

    A counting sort; ``at`` moves to where each leaf ends. No two trees share a leaf.
    """
    for tree in range(begin, end):
        for row in range(len(ids)):
            leaf = ids[row, tree]
            members[at[leaf]] = row
            at[leaf] += 1


@compiled
def largest(ids, members, starts, scale, n_rows, most, own, queries, rows, values):
    """Fill the rows with the largest kernel values of some queries, largest first.

    ``ids`` are leaves of the queries, (n_queries, n_trees); ``members`` the rows of all
    leaves, leaf after leaf, from ``starts``. Only rows that share a leaf are looked at.
    Ties go by the number of the row. ``own`` says that query q is row q, which is left
    out. Of a leaf with more than ``most`` rows so many are looked at, evenly spaced.
    Places that nothing is found for keep −1.
    """
    n_wanted = rows.shape[1]
    sums, met = np.zeros(n_rows), np.empty(n_rows, np.int64)
    for q in queries:
        n_met = 0
        for tree in range(ids.shape[1]):
            leaf = ids[q, tree]
            share = scale[leaf]
            stride = -(-(starts[leaf + 1] - starts[leaf]) // most)
            for at in range(starts[leaf], starts[leaf + 1], max(stride, 1)):
                row = members[at]
                if sums[row] == 0.0:
                    met[n_met] = row
                    n_met += 1
                sums[row] += share
        if own:
            sums[q] = 0.0
        found = 0
        for k in range(n_met):
            row = met[k]
            value = sums[row]
            sums[row] = 0.0
            if value == 0.0:
                continue
            if found == n_wanted:
                last = values[q, found - 1]
                if value < last or (value == last and row > rows[q, found - 1]):
                    continue
                at = found - 1
            else:
                at = found
                found += 1
            while at > 0 and (
                values[q, at - 1] < value
                or (values[q, at - 1] == value and rows[q, at - 1] > row)
            ):
                values[q, at], rows[q, at] = values[q, at - 1], rows[q, at - 1]
                at -= 1
            values[q, at], rows[q, at] = value, row
