"""The rows of a node, summed in ordered groups, column by column. Compiled.

Every column is reduced to an ordered list of groups of rows (ranges of bins, or
levels ordered by their mean response), each with its sums: one per class for
classification, the weight and the weighted response for regression. A cut then sends
a prefix of the groups to the left.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest._base._random_loops import below

CLASSIFY, REGRESS = 0, 1
MAX_GROUPS = 256  # groups of a number's bins in a large node
MIN_GROUPS = 64  # groups in the smallest nodes
FEW_LEVELS = 32  # levels up to which insertion sort wins

# A sample is the rows of a tree, their responses and weights, those of a node side by
# side; a kind is the task and the number of sums of a group.


@compiled
def _add(sums, at, task, response, weight):
    """Add one row to the sums of the group that starts at ``at``."""
    if task == CLASSIFY:
        sums[at + np.int64(response)] += weight
    else:
        sums[at] += weight
        sums[at + 1] += weight * response


@compiled
def weight_of(sums, at, width, task):
    """Weight of the rows in a group."""
    total = sums[at]
    if task == CLASSIFY:
        for c in range(1, width):
            total += sums[at + c]
    return total


@compiled
def group_numbers(bins, missing, sample, begin, end, kind, sums, span, codes):
    """Reduce the bins of a node's rows to groups in ascending order.

    Fills ``sums`` (group by group, missing rows last) and ``span`` (smallest bin, and
    how many bits to drop for the group); returns the number of groups without the
    missing ones.
    """
    (rows, responses, weights), (task, width) = sample, kind
    size = end - begin
    low, high, n_missing = np.int64(missing), np.int64(-1), 0
    for i in range(size):
        code = np.int64(bins[rows[begin + i]])
        codes[i] = code
        if code != missing:
            low = min(low, code)
            high = max(high, code)
        else:
            n_missing += 1
    if low >= high and n_missing in (0, size):
        return 0
    most = MAX_GROUPS
    while most > MIN_GROUPS and most > size:
        most >>= 1
    shift = 0
    while (high - low) >> shift >= most:
        shift += 1
    n_groups = ((high - low) >> shift) + 1
    span[0], span[1] = low, shift
    for i in range((n_groups + 1) * width):
        sums[i] = 0.0
    for i in range(size):
        code = np.int64(codes[i])
        g = n_groups if code == missing else (code - low) >> shift
        k = begin + i
        _add(sums, g * width, task, responses[k], weights[k])
    return n_groups


@compiled
def _sort_levels(shares, order, n):
    """Sort the first ``n`` levels by their share; equal ones keep their order."""
    if n > FEW_LEVELS:
        order[:n] = order[:n][np.argsort(shares[:n], kind="mergesort")]
        return
    for i in range(1, n):
        share, level, j = shares[i], order[i], i
        while j > 0 and shares[j - 1] > share:
            shares[j], order[j] = shares[j - 1], order[j - 1]
            j -= 1
        shares[j], order[j] = share, level


@compiled
def group_levels(
    bins, n_levels, sample, begin, end, kind, sums, scratch, rank, ranked, state
):
    """Order the levels present by their mean response, missing being one of them.

    A node of few rows costs no more where its column has thousands of levels.

    For two classes and for regression this order contains the best of all splits of
    the levels; for more classes the share of a class drawn at random stands in. Where
    levels have a ``rank`` that is their order instead, and ``ranked`` lists them by it.
    Fills ``sums`` and ``order`` (levels; ``n_levels`` is missing) and returns how
    many there are. ``raw`` is zero before and after.
    """
    (rows, responses, weights), (task, width) = sample, kind
    raw, order, shares = scratch
    few = (end - begin) * 8 < n_levels
    n_groups = 0
    for i in range(begin, end):
        level = np.int64(bins[rows[i]])
        if few and weight_of(raw, level * width, width, task) == 0.0:
            order[n_groups] = rank[level] if len(rank) > 0 else level
            n_groups += 1
        _add(raw, level * width, task, responses[i], weights[i])
    if few:
        order[:n_groups].sort()
        if len(rank) > 0:
            for g in range(n_groups):
                order[g] = ranked[order[g]]
    else:
        for place in range(n_levels + 1):
            level = ranked[place] if len(ranked) > 0 else place
            if weight_of(raw, level * width, width, task) > 0.0:
                order[n_groups] = level
                n_groups += 1
    if len(rank) == 0:
        counted = 1
        if task == CLASSIFY and width > 2:
            counted = np.int64(responses[begin + below(state, end - begin)])
        for g in range(n_groups):
            at = order[g] * width
            shares[g] = raw[at + counted] / weight_of(raw, at, width, task)
        _sort_levels(shares, order, n_groups)
    for g in range(n_groups):
        at = order[g] * width
        for c in range(width):
            sums[g * width + c] = raw[at + c]
            raw[at + c] = 0.0
    for c in range(width):
        sums[n_groups * width + c] = 0.0  # missing is a level among the others
    return n_groups
