"""Grow one tree on binned columns: the compiled loop."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest._base._random_loops import below, uniform
from latentforest.forest._growing._cuts_loops import (
    best_cut,
    coin_levels,
    enough_to_cut,
    is_pure,
    random_cut,
)
from latentforest.forest._growing._groups_loops import (
    CLASSIFY,
    MAX_GROUPS,
    group_levels,
    group_numbers,
)
from latentforest.forest._growing._partition_loops import (
    middle_of,
    partition,
    place_absent,
    place_cut,
)


@compiled
def _draw_column(columns, tried, state):
    """Next column of a random order without repeats."""
    pick = tried + below(state, len(columns) - tried)
    columns[pick], columns[tried] = columns[tried], columns[pick]
    return columns[tried]


@compiled
def grow_tree(table, response, row_weights, rules, state):
    """Grow one tree on the rows of positive weight; returns the fields of `Tree`.

    ``table``, ``response`` and ``rules`` are a `BinnedTable`, a `Response` and `Rules`
    as plain tuples.
    With ``at_random`` the first column, in random order, that can be cut at all
    is cut at a random place. Otherwise the best cut of ``n_candidates`` random
    columns is taken; a node where none of them can be cut becomes a leaf.
    """
    bins, n_bins, split_levels, lower, upper, start = table
    row_responses, task, width = response
    n_candidates, min_leaf, min_class, max_depth, at_random, level_rank = rules
    rows = np.flatnonzero(row_weights > 0.0).astype(np.int32)
    responses, weights = row_responses[rows], row_weights[rows]
    sample, kind = (rows, responses, weights), (task, width)
    n_rows, n_columns = len(rows), bins.shape[0]

    most_levels = split_levels.max() + 1
    n_most = max(MAX_GROUPS, most_levels) + 2
    sums, span = np.empty(n_most * width), np.empty(2, np.int64)
    raw, shares = np.zeros(most_levels * width), np.empty(most_levels)
    order = np.empty(most_levels, np.int64)
    scratch = (raw, order, shares)
    codes, spare = np.empty(n_rows, np.uint16), np.empty((3, n_rows))
    left_sums = np.empty(width)
    chosen = np.zeros(most_levels, np.bool_)
    smallest = np.empty(max(1, min(int(np.ceil(min_leaf)), n_rows)), np.int64)
    largest = np.empty_like(smallest)
    columns = np.arange(n_columns)
    ranked_levels = np.empty_like(level_rank)
    for column in range(n_columns):
        ranked_levels[column, level_rank[column]] = np.arange(level_rank.shape[1])

    capacity = max(2 * n_rows - 1, 1)
    left, right = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    feature, cuts = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    threshold = np.empty(capacity)
    missing_left = np.empty(capacity, np.bool_)
    category = np.empty(capacity, np.int64)
    node_sums = np.empty((capacity, width))
    node_begin, node_end = np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    words, n_words = np.zeros(64, np.uint32), 0

    stack = [(0, 0, n_rows, 0)]
    n_nodes = 1
    while len(stack) > 0:
        node, begin, end, depth = stack.pop()
        node_begin[node], node_end[node] = begin, end
        left[node] = right[node] = feature[node] = cuts[node] = -1
        category[node] = -1
        threshold[node] = np.nan
        missing_left[node] = False
        total = node_sums[node]
        total[:] = 0.0
        if task == CLASSIFY:
            for i in range(begin, end):
                total[np.int64(responses[i])] += weights[i]
        else:
            for i in range(begin, end):
                total[0] += weights[i]
                total[1] += weights[i] * responses[i]
        if end - begin < 2 or depth >= max_depth:
            continue
        if not enough_to_cut(total, task, min_leaf, min_class):
            continue

        best_column, best_last, best_missing, value = -1, np.int64(-1), False, np.nan
        if at_random:
            for tried in range(n_columns):
                column = _draw_column(columns, tried, state)
                n_levels = split_levels[column]
                if n_levels > 0:
                    found = coin_levels(
                        bins[column],
                        n_levels,
                        rows,
                        begin,
                        end,
                        min_leaf,
                        chosen,
                        state,
                    )
                else:
                    a, b = start[column], start[column + 1]
                    value = random_cut(
                        bins[column],
                        n_bins[column],
                        rows,
                        begin,
                        end,
                        lower[a:b],
                        upper[a:b],
                        smallest,
                        largest,
                        state,
                    )
                    found = not np.isnan(value)
                    best_missing = uniform(state) < 0.5
                if found:
                    best_column = column
                    break
        else:
            if is_pure(task, total, responses, begin, end):
                continue
            best_gain = -1.0
            for tried in range(n_candidates):
                column = _draw_column(columns, tried, state)
                n_levels = split_levels[column]
                if n_levels > 0:
                    n_groups = group_levels(
                        bins[column],
                        n_levels,
                        sample,
                        begin,
                        end,
                        kind,
                        sums,
                        scratch,
                        level_rank[column],
                        ranked_levels[column],
                        state,
                    )
                else:
                    n_groups = group_numbers(
                        bins[column],
                        n_bins[column],
                        sample,
                        begin,
                        end,
                        kind,
                        sums,
                        span,
                        codes,
                    )
                if n_groups == 0:
                    continue
                gain, group, missing = best_cut(
                    sums, n_groups, width, total, task, min_leaf, min_class, left_sums
                )
                if gain <= best_gain:
                    continue
                best_gain, best_column, best_missing = gain, column, missing
                if n_levels > 0:
                    chosen[:] = False
                    for g in range(group + 1):
                        chosen[order[g]] = True
                else:
                    best_last = span[0] + ((group + 1) << span[1]) - 1
        if best_column < 0:
            continue

        n_levels = split_levels[best_column]
        a, b = start[best_column], start[best_column + 1]
        if at_random and n_levels == 0:
            best_last, threshold[node] = place_cut(value, lower[a:b], upper[a:b])
        middle, low, high, n_missing = partition(
            bins[best_column],
            n_bins[best_column],
            sample,
            begin,
            end,
            best_last,
            best_missing,
            chosen,
            n_levels > 0,
            spare,
        )
        if n_levels > 0:
            if not at_random:
                place_absent(
                    bins[best_column],
                    n_levels,
                    rows,
                    begin,
                    middle,
                    end,
                    level_rank[best_column],
                    chosen,
                )
            n_set = (n_levels + 31) >> 5
            while n_words + n_set > len(words):
                words = np.concatenate((words, np.zeros_like(words)))
            for w in range(n_set):
                word = np.uint32(0)
                for level in range(32 * w, min(32 * w + 32, n_levels)):
                    word |= np.uint32(chosen[level]) << np.uint32(level & 31)
                words[n_words + w] = word
            category[node] = n_words
            n_words += n_set
            missing_left[node] = chosen[n_levels]
        else:
            if not at_random:
                value = np.inf  # all known cells left, all missing cells right
                if high < n_bins[best_column]:
                    value = middle_of(upper[a + low], lower[a + high])
                best_last, threshold[node] = place_cut(value, lower[a:b], upper[a:b])
            cuts[node] = best_last
            if n_missing == 0:
                best_missing = middle - begin >= end - middle
            missing_left[node] = best_missing
        feature[node] = best_column
        left[node], right[node] = n_nodes, n_nodes + 1
        stack.append((n_nodes + 1, middle, end, depth + 1))
        stack.append((n_nodes, begin, middle, depth + 1))
        n_nodes += 2

    leaf_of = np.full(len(row_weights), np.int32(-1))
    for node in range(n_nodes):
        if left[node] < 0:
            for i in range(node_begin[node], node_end[node]):
                leaf_of[rows[i]] = node
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
