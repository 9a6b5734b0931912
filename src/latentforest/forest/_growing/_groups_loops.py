"""The rows of a node, summed in ordered groups, column by column. Compiled.

Every column is reduced to an ordered list of groups of rows (ranges of bins, or
levels ordered by their mean response), each with its sums (`_marks_loops`). A cut then
sends a prefix of the groups to the left.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled_inner
from latentforest._base._random_loops import below
from latentforest.forest._growing._marks_loops import add, amount, parts, weight_of

MAX_GROUPS = 256  # groups of a number's bins in a large node
MIN_GROUPS = 64  # groups in the smallest nodes
FEW_LEVELS = 32  # levels that are sorted by insertion; more are merged

# `groups` are what is found: the cells of the groups that have rows, those of missing
# rows after them, and the bin range or level each group stands for. `raw` holds the
# cells of all groups while they are summed; it is zero before and after.


@compiled_inner
def gather(bins, column, rows, codes):
    """Write the bins of some rows side by side, where loops can take many at once."""
    for i in range(len(rows)):
        codes[i] = bins[column, rows[i]]


@compiled_inner
def group_numbers(bins, column, missing, rows, marks, kind, raw, groups, codes):
    """Reduce the bins of a node's rows to groups in ascending order.

    Returns the number of groups without the missing ones, the smallest bin, and how
    many bits of the bins above it are dropped for the group.
    """
    (_, n_cells), (cells, order) = kind, groups
    size = len(rows)
    gather(bins, column, rows, codes)
    least, most = codes[0], codes[0]
    for i in range(size):
        least = min(least, codes[i])
        most = max(most, codes[i])
    low, high = np.int64(least), np.int64(most)
    gaps = high == missing
    if gaps:
        high = np.int64(-1)
        for i in range(size):
            high = max(high, np.int64(codes[i] if codes[i] < missing else -1))
    if high < low or (low == high and not gaps):
        return 0, low, 0
    limit = MAX_GROUPS
    while limit > MIN_GROUPS and limit > size:
        limit >>= 1
    shift = 0
    while (high - low) >> shift >= limit:
        shift += 1
    n_all = ((high - low) >> shift) + 1
    if gaps:
        for i in range(size):
            if codes[i] == missing:
                codes[i] = low + (n_all << shift)
    n_groups = 0
    if n_cells == 1:
        for i in range(size):
            raw[(np.int64(codes[i]) - low) >> shift] += amount(marks[i])
        for g in range(n_all + 1):
            cell = raw[g]
            raw[g] = 0
            cells[n_groups], order[n_groups] = cell, g
            n_groups += cell != 0
        n_groups -= gaps
        if not gaps:
            cells[n_groups] = 0
    else:
        for i in range(size):
            add(raw, ((codes[i] - low) >> shift) * n_cells, marks[i], n_cells)
        for g in range(n_all):
            order[n_groups] = g
            n_groups += _move(raw, g, cells, n_groups, n_cells)
        _move(raw, n_all, cells, n_groups, n_cells)
    return n_groups, low, shift


@compiled_inner
def _move(raw, old, cells, new, n_cells):
    """Move the cells of a group to its place; whether it has any rows."""
    if n_cells == 1:
        cell = raw[old]
        cells[new], raw[old] = cell, 0
        return cell != 0
    found = False
    for c in range(n_cells):
        cell = raw[old * n_cells + c]
        cells[new * n_cells + c], raw[old * n_cells + c] = cell, 0
        found = found or cell != 0
    return found


@compiled_inner
def _sort_levels(shares, order, n):
    """Sort the first ``n`` levels by their share; equal ones keep their order.

    Both arrays are twice as long, to merge what is sorted already.
    """
    for begin in range(0, n, FEW_LEVELS):
        for i in range(begin + 1, min(begin + FEW_LEVELS, n)):
            share, level, j = shares[i], order[i], i
            while j > begin and shares[j - 1] > share:
                shares[j], order[j] = shares[j - 1], order[j - 1]
                j -= 1
            shares[j], order[j] = share, level
    size = FEW_LEVELS
    while size < n:
        for begin in range(0, n, 2 * size):
            i, j = begin, min(begin + size, n)
            middle, end = j, min(begin + 2 * size, n)
            for k in range(begin, end):
                if j >= end or (i < middle and shares[i] <= shares[j]):
                    shares[n + k], order[n + k] = shares[i], order[i]
                    i += 1
                else:
                    shares[n + k], order[n + k] = shares[j], order[j]
                    j += 1
        for k in range(n):
            shares[k], order[k] = shares[n + k], order[n + k]
        size *= 2


@compiled_inner
def group_levels(
    bins, column, n_levels, rows, marks, kind, raw, groups, shares, ranks, state
):
    """Order the levels present by their mean response, missing being one of them.

    A node of few rows costs no more where its column has thousands of levels.

    For two classes and for regression this order contains the best of all splits of
    the levels; for more classes the share of a class drawn at random stands in. Where
    levels have a rank that is their order instead; ``ranks`` are the ranks of levels
    and the levels by rank, column by column. Returns how many levels there are.
    """
    (task, n_cells), (cells, order), (rank, ranked) = kind, groups, ranks
    has_rank = rank.shape[1] > 0
    few = len(rows) * 8 < n_levels
    n_groups = 0
    if few:
        for i in range(len(rows)):
            level = np.int64(bins[column, rows[i]])
            if weight_of(raw, level * n_cells, n_cells, task) == 0.0:
                order[n_groups] = level
                shares[n_groups] = rank[column, level] if has_rank else level
                n_groups += 1
            add(raw, level * n_cells, marks[i], n_cells)
        _sort_levels(shares, order, n_groups)
    else:
        for i in range(len(rows)):
            level = np.int64(bins[column, rows[i]])
            add(raw, level * n_cells, marks[i], n_cells)
        for place in range(n_levels + 1):
            level = ranked[column, place] if has_rank else place
            order[n_groups] = level
            n_groups += weight_of(raw, level * n_cells, n_cells, task) > 0.0
    if not has_rank:
        counted = 0
        if n_cells > 1:
            counted = np.int64(parts(marks[below(state, len(rows))])[1])
        for g in range(n_groups):
            at = order[g] * n_cells
            weight = weight_of(raw, at, n_cells, task)
            if n_cells > 1:
                shares[g] = parts(raw[at + counted])[0] / weight
            else:
                shares[g] = parts(raw[at])[1] / weight
        _sort_levels(shares, order, n_groups)
    for g in range(n_groups):
        _move(raw, order[g], cells, g, n_cells)
    for c in range(n_cells):
        cells[n_groups * n_cells + c] = 0  # missing is a level among the others
    return n_groups
