"""Routes of rows down trees that are laid out for it. Compiled.

The rule is that of `goes_left`, in a form without guesses: the next node is worked out
as an address, so that the processor never waits for one row before it goes on with
the next. Addresses are unsigned, or each look-up would ask whether they count from
the end.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest.trees._walk_loops import has_level

TOGETHER = 128  # rows that go down a tree at the same time
NARROW = 63  # levels, and a missing one, that a node holds as bits
LOWEST, HIGHEST = np.int64(-(2**63)), np.int64(2**63 - 1)
SET, WIDE = np.int64(1), np.int64(2)  # marks of nodes that split levels


@compiled
def in_order(bits):
    """Turn the bits of a double into an integer; integers have the same order."""
    return bits ^ ((bits >> 63) & HIGHEST)


@compiled
def right_bits(words, start, n_levels, missing_left):
    """Return a bit for each level that goes right, and one for a missing cell."""
    bits = np.int64(0 if missing_left else 1) << n_levels
    for level in range(n_levels):
        if not has_level(words, start, level):
            bits |= np.int64(1) << level
    return bits


@compiled
def lay_out_nodes(trees, split_levels, words, threshold_bits, first, nodes):
    """Write two integers for each node, level by level: two children lie together.

    The first is the threshold; where levels are split, those that go right, or, if
    there are too many, where the set begins. The second holds the first of the two
    children, counted within the tree, or ``~leaf`` in its upper half, and in its
    lower half which cell of a row is looked at and what sort of split it is.
    """
    start, left, right, feature, missing_left, category, leaf = trees
    n_columns = len(split_levels)
    waiting = np.empty(np.diff(start).max(), np.int64)
    for tree in range(len(start) - 1):
        root = start[tree]
        waiting[0] = root
        n_met, n_waiting = 0, 1
        while n_met < n_waiting:
            node = waiting[n_met]
            # The place after the root stays empty: pairs begin at even places.
            at = 2 * (first[tree] + n_met + (n_met > 0))
            n_met += 1
            if left[node] < 0:
                nodes[at] = 0
                nodes[at + 1] = np.int64(~leaf[node]) << 32
                continue
            column, mark = feature[node], np.int64(0)
            nodes[at] = in_order(threshold_bits[node])
            if category[node] >= 0 and split_levels[column] <= NARROW:
                mark = SET
                nodes[at] = right_bits(
                    words, category[node], split_levels[column], missing_left[node]
                )
            elif category[node] >= 0:
                mark = WIDE
                nodes[at] = category[node]
            cell = np.int64(column + (n_columns if missing_left[node] else 0))
            nodes[at + 1] = (n_waiting + 1) << 32 | cell << 2 | mark
            waiting[n_waiting] = root + left[node]
            waiting[n_waiting + 1] = root + right[node]
            n_waiting += 2


@compiled
def lay_out_rows(values, bits, begin, end, split_levels):
    """Return rows as integers, each cell for nodes that send it right if missing.

    After them, all cells again for nodes that send them left. ``bits`` are those of
    ``values``.
    """
    n_columns = values.shape[1]
    cells = np.empty((end - begin, 2 * n_columns), np.int64)
    for i in range(begin, end):
        for column in range(n_columns):
            missing, n_levels = np.isnan(values[i, column]), split_levels[column]
            if n_levels == 0:
                code = in_order(bits[i, column])
                to_right, to_left = HIGHEST, LOWEST
            elif n_levels <= NARROW:
                code = np.int64(values[i, column])
                to_right, to_left = np.int64(n_levels), np.int64(n_levels)
            else:
                code = np.int64(values[i, column])
                to_right, to_left = np.int64(-1), np.int64(-2)
            cells[i - begin, column] = to_right if missing else code
            cells[i - begin, n_columns + column] = to_left if missing else code
    return cells


@compiled
def right_of_wide(words, start, level):
    """Whether a cell of a column with many levels goes right, as 0 or 1."""
    if level < 0:
        return level + 2
    return np.int64(not has_level(words, start, level))


@compiled
def walk_tree(cells, nodes, words, by_sets, ids):
    """Write the leaf of each row in one tree into ``ids``.

    Many rows take one step each, and those that have not arrived take the next:
    whatever one of them waits for, the others go on. With a branch for each kind of
    node, or with one that asks whether a row has arrived, it takes three times as long.
    """
    n_rows, width = len(ids), np.uint64(cells.shape[1])
    flat = cells.reshape(cells.size)
    row = np.empty(TOGETHER, np.uint32)
    node = np.empty(TOGETHER, np.uint32)
    for begin in range(0, n_rows, TOGETHER):
        n_walking = np.uint64(min(TOGETHER, n_rows - begin))
        for i in range(n_walking):
            row[i] = begin + i
            node[i] = 0
        while n_walking > 0:
            n_left = np.uint64(0)
            for i in range(n_walking):
                at, mine = np.uint64(2) * np.uint64(node[i]), np.uint64(row[i])
                cut, link = nodes[at], nodes[at + np.uint64(1)]
                code = flat[width * mine + np.uint64(np.uint32(link) >> np.uint32(2))]
                child = link >> 32
                to_right = np.int64(code > cut)
                if by_sets:
                    if link & WIDE:
                        to_right = right_of_wide(words, cut, code)
                    else:
                        bit = cut >> (code & 63)
                        to_right ^= (to_right ^ bit) & link & SET
                ids[mine] = child  # the last one is that of the leaf
                row[n_left] = mine
                node[n_left] = child + to_right
                n_left += np.uint64(1 + (link >> 63))
            n_walking = n_left
    for i in range(n_rows):
        ids[i] = ~ids[i]


@compiled
def route_rows(values, bits, begin, end, router, ids):
    """Write the leaf of rows ``begin … end-1`` in each tree into ``ids``.

    ``router`` holds the fields of `Router`; ``ids`` is tree-major.
    """
    first, nodes, words, split_levels, by_sets = router
    cells = lay_out_rows(values, bits, begin, end, split_levels)
    for tree in range(len(first) - 1):
        own = nodes[2 * first[tree] : 2 * first[tree + 1]]
        walk_tree(cells, own, words, by_sets, ids[tree, begin:end])
