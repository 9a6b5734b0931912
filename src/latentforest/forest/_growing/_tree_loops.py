"""Grow one tree on binned columns: the compiled loop."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled, compiled_inner
from latentforest.forest._growing._cuts_loops import enough_to_cut, is_pure
from latentforest.forest._growing._groups_loops import MAX_GROUPS, gather
from latentforest.forest._growing._marks_loops import add, parts, weighted
from latentforest.forest._growing._partition_loops import (
    around_cut,
    middle_of,
    partition,
    place_absent,
    place_cut,
    sides_by_bin,
    sides_by_level,
)
from latentforest.forest._growing._random_cuts_loops import BYTE
from latentforest.forest._growing._splits_loops import best_split, random_split


@compiled
def _sample(unit_marks, row_weights, n_cells):
    """Rows in the bag and their marks, then the others; how many are in the bag.

    Where no row has a mark, none is given.
    """
    n_rows, n_marks = len(row_weights), len(unit_marks)
    rows, marks = np.empty(n_rows, np.uint32), np.zeros(n_marks, unit_marks.dtype)
    n_in = 0
    for row in range(n_rows):
        rows[n_in] = row
        n_in += row_weights[row] > 0.0
    for i in range(min(n_in, n_marks)):
        marks[i] = weighted(unit_marks[rows[i]], row_weights[rows[i]], n_cells)
    n_all = n_in
    for row in range(n_rows):
        if row_weights[row] <= 0.0:
            rows[n_all] = row
            n_all += 1
    return rows, marks, n_in


@compiled_inner
def _add_up(marks, cells, n_cells, total):
    """Add up the marks of a node's rows."""
    for c in range(n_cells):
        cells[c] = 0
    for i in range(len(marks)):
        add(cells, 0, marks[i], n_cells)
    if n_cells == 1:
        total[0], total[1] = parts(cells[0])
    else:
        for c in range(n_cells):
            total[c] = parts(cells[c])[0]


@compiled_inner
def _mark_leaf(leaf_of, rows, begin, end, node):
    """Note the leaf of some rows."""
    for i in range(begin, end):
        leaf_of[rows[i]] = node


@compiled_inner
def _split(table, sample, node, total, kind, rules, ranks, room, chosen, state):
    """Split the rows of a node, if it may be split.

    Returns the column, or -1, then where it is cut as a bin and as a value, the side
    of missing cells, and how many rows in the bag and outside go left. Of a category,
    ``chosen`` are the levels that go left.
    """
    bins, n_bins, split_levels, lower, upper, start = table
    (rows, marks, goes_left, spare_rows, spare_marks), (task, n_cells) = sample, kind
    begin, end, out_begin, out_end, depth = node
    n_candidates, min_leaf, min_class, max_depth, at_random = rules
    n_ends = max(1, int(np.ceil(min_leaf)))
    raw, cells, order, shares, codes, left, ends, columns = room
    inside, inside_marks = rows[begin:end], marks[begin:end]
    if at_random:
        total[:] = 0.0
        total[0] = end - begin
    else:
        _add_up(inside_marks, cells, n_cells, total)
    column, last, to_left, value = -1, np.int64(-1), False, np.nan
    may_split = (
        end - begin >= 2
        and depth < max_depth
        and enough_to_cut(total, task, min_leaf, min_class)
    )
    if may_split and at_random:
        column, value, to_left = random_split(
            table, inside, min_leaf, columns, n_ends, ends, codes, chosen, state
        )
    elif may_split and not is_pure(task, total, inside_marks):
        limits, scratch = (
            (n_candidates, min_leaf, min_class),
            (raw, cells, order, shares, codes, left),
        )
        column, last, to_left = best_split(
            table,
            inside,
            inside_marks,
            total,
            kind,
            limits,
            ranks,
            columns,
            scratch,
            chosen,
            state,
        )
    if column < 0:
        return column, last, value, to_left, 0, 0

    outside, outside_marks = rows[out_begin:out_end], marks[out_begin:out_end]
    n_levels, missing, first = split_levels[column], n_bins[column], start[column]
    if n_levels > 0:
        if not at_random:
            gather(bins, column, inside, codes)
        sides_by_level(codes, len(inside), chosen, goes_left)
        n_left = partition(inside, inside_marks, goes_left, spare_rows, spare_marks)
        if not at_random and ranks[0].shape[1] == 0:
            place_absent(bins, column, n_levels, inside, n_left, chosen)
        to_left = chosen[n_levels]
        gather(bins, column, outside, codes)
        sides_by_level(codes, len(outside), chosen, goes_left)
    else:
        if at_random:
            place, value = place_cut(value, lower, upper, first, start[column + 1] - 2)
            last = place - first
        else:
            gather(bins, column, inside, codes)
        low, high, n_missing = around_cut(codes, len(inside), missing, last)
        sides_by_bin(codes, len(inside), missing, last, to_left, goes_left)
        n_left = partition(inside, inside_marks, goes_left, spare_rows, spare_marks)
        if high == missing:  # all known cells left, all missing cells right
            last, value = np.int64(missing - 1), np.inf
        elif not at_random:
            value = middle_of(upper[first + low], lower[first + high])
            place, value = place_cut(value, lower, upper, first + low, first + high - 1)
            last = place - first
        if n_missing == 0:
            to_left = n_left >= len(inside) - n_left
        gather(bins, column, outside, codes)
        sides_by_bin(codes, len(outside), missing, last, to_left, goes_left)
    n_out = partition(outside, outside_marks, goes_left, spare_rows, spare_marks)
    return column, last, value, to_left, n_left, n_out


@compiled
def _add_levels(words, n_words, chosen, n_levels):
    """Append a set of levels as bits; the list is made longer where needed."""
    n_set = (n_levels + 31) >> 5
    while n_words + n_set > len(words):
        words = np.concatenate((words, np.zeros_like(words)))
    for w in range(n_set):
        word = np.uint32(0)
        for level in range(32 * w, min(32 * w + 32, n_levels)):
            word |= np.uint32(chosen[level]) << np.uint32(level & 31)
        words[n_words + w] = word
    return words, n_words + n_set


@compiled
def grow_tree(table, response, row_weights, rules, state):
    """Grow one tree on the rows of positive weight; returns the fields of `Tree`.

    ``table`` and ``rules`` are a `BinnedTable` and `Rules` as plain tuples,
    ``response`` the marks of rows that count once, the task and the width.
    With ``at_random`` the first column, in random order, that can be cut at all
    is cut at a random place; rows have no marks then, and are counted. Otherwise the
    best cut of ``n_candidates`` random columns is taken; a node where none of them can
    be cut becomes a leaf. Rows of no weight only go along, so that the leaves of all
    rows are known.
    """
    bins, _, split_levels, _, _, _ = table
    unit_marks, task, width = response
    n_candidates, min_leaf, min_class, max_depth, at_random, level_rank = rules
    n_cells = 1 if width == 2 else width
    rows, marks, n_in = _sample(unit_marks, row_weights, n_cells)
    sample = (
        rows,
        marks,
        np.empty(len(rows), np.bool_),
        np.empty_like(rows),
        np.empty_like(marks),
    )
    kind = (task, n_cells)
    limits = (n_candidates, min_leaf, min_class, max_depth, at_random)
    n_columns = bins.shape[0]

    most_levels = split_levels.max() + 1
    n_most = max(MAX_GROUPS, most_levels) + 2
    raw = np.zeros(n_most * n_cells, marks.dtype)
    room = (
        raw,
        np.empty_like(raw),
        np.empty(2 * n_most, np.int64),
        np.empty(2 * n_most),
        np.empty(len(rows), np.int32),
        np.empty(width),
        (np.empty(BYTE, np.int64), np.empty(BYTE, np.int64)),
        np.arange(n_columns),
    )
    chosen = np.zeros(most_levels, np.bool_)
    ranked_levels = np.empty_like(level_rank)
    for column in range(n_columns):
        ranked_levels[column, level_rank[column]] = np.arange(level_rank.shape[1])
    ranks = (level_rank, ranked_levels)

    capacity = max(2 * n_in - 1, 1)
    left, right = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    feature, cuts = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    threshold = np.empty(capacity)
    missing_left = np.empty(capacity, np.bool_)
    category = np.empty(capacity, np.int64)
    node_sums = np.empty((capacity, width))
    words, n_words = np.zeros(64, np.uint32), 0
    leaf_of = np.empty(len(rows), np.int32)

    # A node, its rows in the bag, those outside, and its depth.
    stack = [(0, 0, n_in, n_in, len(rows), 0)]
    n_nodes = 1
    while len(stack) > 0:
        node, begin, end, out_begin, out_end, depth = stack.pop()
        column, cut, value, to_left, n_left, n_out = _split(
            table,
            sample,
            (begin, end, out_begin, out_end, depth),
            node_sums[node],
            kind,
            limits,
            ranks,
            room,
            chosen,
            state,
        )
        left[node] = right[node] = cuts[node] = category[node] = -1
        feature[node], missing_left[node], threshold[node] = column, to_left, np.nan
        if column < 0:
            _mark_leaf(leaf_of, rows, begin, end, node)
            _mark_leaf(leaf_of, rows, out_begin, out_end, node)
            continue
        if split_levels[column] > 0:
            category[node] = n_words
            words, n_words = _add_levels(words, n_words, chosen, split_levels[column])
        else:
            cuts[node], threshold[node] = cut, value
        left[node], right[node] = n_nodes, n_nodes + 1
        middle, out_middle, depth = begin + n_left, out_begin + n_out, depth + 1
        stack.append((n_nodes + 1, middle, end, out_middle, out_end, depth))
        stack.append((n_nodes, begin, middle, out_begin, out_middle, depth))
        n_nodes += 2
    return (
        left[:n_nodes].copy(),
        right[:n_nodes].copy(),
        feature[:n_nodes].copy(),
        threshold[:n_nodes].copy(),
        cuts[:n_nodes].copy(),
        missing_left[:n_nodes].copy(),
        category[:n_nodes].copy(),
        words[:n_words].copy(),
        node_sums[:n_nodes].copy(),
        leaf_of,
    )
