"""What the rows of the same leaves say about a cell. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def expect_numbers(ids, skip, members, starts, known, own, start, stop, said):
    """Add up what the leaves of rows ``start … stop-1`` say of a number.

    Columns of ``said``: trees that speak, share of gaps, trees that know a number, its
    mean, its mean square. ``own`` is the row's own place among the members, or -1:
    trees with ``skip`` at that place were grown on it, and it says nothing of itself.
    """
    for row in range(start, stop):
        itself = own[row]
        for tree in range(ids.shape[1]):
            if itself >= 0 and skip[itself, tree] > 0:
                continue
            n_rows, n_known, total, square = 0, 0, 0.0, 0.0
            for at in range(starts[ids[row, tree]], starts[ids[row, tree] + 1]):
                if members[at] == itself:
                    continue
                n_rows += 1
                value = known[members[at]]
                if not np.isnan(value):
                    n_known += 1
                    total += value
                    square += value * value
            if n_rows > 0:
                said[row, 0] += 1.0
                said[row, 1] += (n_rows - n_known) / n_rows
            if n_known > 0:
                said[row, 2] += 1.0
                said[row, 3] += total / n_known
                said[row, 4] += square / n_known


@compiled
def expect_levels(ids, skip, members, starts, known, cells, own, start, stop, said):
    """Add up what the leaves of rows ``start … stop-1`` say of a level.

    ``known`` and ``cells`` are levels, of the members and of the rows; a gap is one of
    them. Columns of ``said``: trees that speak, weight of the row's own level, the
    level of most weight (the first of those that tie).
    """
    n_levels = np.int64(max(known.max(), cells.max())) + 1
    votes, named = np.zeros(n_levels), np.empty(n_levels, np.int64)
    for row in range(start, stop):
        itself = own[row]
        n_named = 0
        for tree in range(ids.shape[1]):
            if itself >= 0 and skip[itself, tree] > 0:
                continue
            first, last = starts[ids[row, tree]], starts[ids[row, tree] + 1]
            n_rows = last - first
            for at in range(first, last):
                if members[at] == itself:
                    n_rows -= 1
            if n_rows == 0:
                continue
            said[row, 0] += 1.0
            for at in range(first, last):
                if members[at] == itself:
                    continue
                level = known[members[at]]
                if votes[level] == 0.0:
                    named[n_named] = level
                    n_named += 1
                votes[level] += 1.0 / n_rows
        said[row, 1] = votes[cells[row]]
        most, weight = 0, 0.0
        for k in range(n_named):
            level = named[k]
            if votes[level] > weight or (votes[level] == weight and level < most):
                most, weight = level, votes[level]
            votes[level] = 0.0
        said[row, 2] = most
