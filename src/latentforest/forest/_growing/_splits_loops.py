"""Which column of a node is split, and where. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled_inner
from latentforest._base._random_loops import below, uniform
from latentforest.forest._growing._cuts_loops import cut_many, cut_two
from latentforest.forest._growing._groups_loops import (
    gather,
    group_levels,
    group_numbers,
)
from latentforest.forest._growing._random_cuts_loops import coin_levels, random_cut


@compiled_inner
def _draw_column(columns, tried, state):
    """Next column of a random order without repeats."""
    pick = tried + below(state, len(columns) - tried)
    columns[pick], columns[tried] = columns[tried], columns[pick]
    return columns[tried]


@compiled_inner
def random_split(table, rows, min_leaf, columns, depth, ends, codes, chosen, state):
    """Draw a split: (column or -1, where to cut a number, missing go left).

    ``depth`` is ``min_leaf`` as a whole number of rows. Of a category, ``chosen`` are
    the levels that go left. The bins of the rows in that column are left in ``codes``.
    """
    bins, n_bins, split_levels, lower, upper, start = table
    mine = codes[: len(rows)]
    for tried in range(len(columns)):
        column = _draw_column(columns, tried, state)
        n_levels = split_levels[column]
        gather(bins, column, rows, mine)
        if n_levels > 0:
            if coin_levels(mine, n_levels, min_leaf, chosen, state):
                return column, np.nan, chosen[n_levels]
            continue
        value = random_cut(
            mine, n_bins[column], lower, upper, start[column], depth, ends, state
        )
        missing_left = uniform(state) < 0.5
        if not np.isnan(value):
            return column, value, missing_left
    return -1, np.nan, False


@compiled_inner
def best_split(
    table, rows, marks, total, kind, rules, ranks, columns, room, chosen, state
):
    """Find the best split: (column or -1, last bin on the left, missing go left).

    Of a category, ``chosen`` are the levels that go left: those present, and of the
    others, where levels have a rank, all that come before one of them. ``room`` is
    scratch.
    """
    bins, n_bins, split_levels, _, _, _ = table
    (task, n_cells), (n_candidates, min_leaf, min_class) = kind, rules
    raw, cells, order, shares, codes, left = room
    groups = (cells, order)
    rank, _ = ranks
    best_gain, best_column, best_missing = -1.0, -1, False
    best_last = np.int64(-1)  # bin, or rank of a level
    for tried in range(n_candidates):
        column = _draw_column(columns, tried, state)
        n_levels = split_levels[column]
        low, shift = np.int64(0), 0
        if n_levels > 0:
            n_groups = group_levels(
                bins,
                column,
                n_levels,
                rows,
                marks,
                kind,
                raw,
                groups,
                shares,
                ranks,
                state,
            )
        else:
            n_groups, low, shift = group_numbers(
                bins, column, n_bins[column], rows, marks, kind, raw, groups, codes
            )
        if n_groups == 0:
            continue
        if n_cells == 1:
            gain, group, missing_left = cut_two(
                cells,
                n_groups,
                task,
                total[0],
                total[1],
                min_leaf,
                min_class[0],
                min_class[1],
            )
        else:
            gain, group, missing_left = cut_many(
                cells, n_groups, total, min_leaf, min_class, left
            )
        if gain <= best_gain:
            continue
        best_gain, best_column, best_missing = gain, column, missing_left
        if n_levels == 0:
            # The last range may reach past the bins, where missing cells are.
            best_last = low + ((order[group] + 1) << shift) - 1
            best_last = min(best_last, np.int64(n_bins[column]) - 1)
        elif rank.shape[1] > 0:
            best_last = rank[column, order[group]]
        else:
            chosen[: n_levels + 1] = False
            for g in range(group + 1):
                chosen[order[g]] = True
    if best_column >= 0 and split_levels[best_column] > 0 and rank.shape[1] > 0:
        for level in range(split_levels[best_column] + 1):
            chosen[level] = rank[best_column, level] <= best_last
    return best_column, best_last, best_missing
