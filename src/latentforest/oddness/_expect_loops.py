"""What the rows of the same leaves say about a cell. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def expect_numbers(ids, members, starts, known, own, other, fold, start, stop, said):
    """Add up what the leaves of rows ``start … stop-1`` say of a number.

    ``said`` (rows, folds, 5) is of the trees grown without each fold: trees that speak,
    share of gaps, trees that know a number, its mean, its mean square. ``own`` is the
    row's own place among the members, or -1; ``other`` that of a copy of it, or -1;
    they say nothing of it. ``fold`` is the only fold that is asked for, or -1 for all.
    """
    n_folds = said.shape[1]
    for row in range(start, stop):
        itself, copy = own[row], other[row]
        for tree in range(ids.shape[1]):
            k = tree % n_folds
            if fold[row] >= 0 and fold[row] != k:
                continue
            n_rows, n_known, total, square = 0, 0, 0.0, 0.0
            for at in range(starts[ids[row, tree]], starts[ids[row, tree] + 1]):
                if members[at] == itself or members[at] == copy:
                    continue
                n_rows += 1
                value = known[members[at]]
                if not np.isnan(value):
                    n_known += 1
                    total += value
                    square += value * value
            if n_rows > 0:
                said[row, k, 0] += 1.0
                said[row, k, 1] += (n_rows - n_known) / n_rows
            if n_known > 0:
                said[row, k, 2] += 1.0
                said[row, k, 3] += total / n_known
                said[row, k, 4] += square / n_known


@compiled
def expect_levels(
    ids,
    members,
    starts,
    known,
    own,
    other,
    fold,
    cells,
    likeliest,
    start,
    stop,
    said,
):
    """Add up what the leaves of rows ``start … stop-1`` say of a level.

    ``known`` and ``cells`` are levels, of the members and of the rows; a gap is one of
    them. ``said`` (rows, folds, 2) is of the trees grown without each fold: trees that
    speak, weight of the row's own level. A leaf counts its rows before it divides, so
    that a level that all of them have weighs 1. ``likeliest`` is the level of most
    weight (the first of those that tie); the others are as above.
    """
    n_folds = said.shape[1]
    n_levels = np.int64(max(known.max(), cells.max())) + 1
    votes, named = np.zeros(n_levels), np.empty(n_levels, np.int64)
    for row in range(start, stop):
        itself, copy = own[row], other[row]
        n_named = 0
        for tree in range(ids.shape[1]):
            k = tree % n_folds
            if fold[row] >= 0 and fold[row] != k:
                continue
            first, last = starts[ids[row, tree]], starts[ids[row, tree] + 1]
            n_rows, n_alike = last - first, 0
            if itself >= 0:
                for at in range(first, last):
                    n_rows -= members[at] == itself or members[at] == copy
            if n_rows == 0:
                continue
            for at in range(first, last):
                if members[at] == itself or members[at] == copy:
                    continue
                level = known[members[at]]
                if votes[level] == 0.0:
                    named[n_named] = level
                    n_named += 1
                votes[level] += 1.0 / n_rows
                n_alike += level == cells[row]
            said[row, k, 0] += 1.0
            said[row, k, 1] += n_alike / n_rows
        most, weight = 0, 0.0
        for j in range(n_named):
            level = named[j]
            if votes[level] > weight or (votes[level] == weight and level < most):
                most, weight = level, votes[level]
            votes[level] = 0.0
        likeliest[row] = most
