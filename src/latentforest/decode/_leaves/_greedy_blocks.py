"""Greedy leaf assignment of blocks of rows. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest.decode._leaves._greedy_loops import assign_row, settle_clique
from latentforest.forest._box_loops import first_meeting


@compiled
def assign_rows(
    begin,
    end,
    row_start,
    candidates,
    values,
    ranked,
    rank,
    tree_start,
    bound_start,
    column,
    lower,
    upper,
    word,
    words,
    word_start,
    start_lower,
    start_upper,
    start_levels,
    budget,
    region_lower,
    region_upper,
    region_levels,
    leaf_ids,
):
    """Fill leaves and regions of some rows; candidates are sorted in place."""
    n_trees = len(tree_start) - 1
    first, chosen = np.empty(n_trees + 1, np.int64), np.empty(n_trees, np.int64)
    no_log = np.empty((0, n_trees), np.int64), np.empty((0, n_trees), np.bool_)
    for row in range(begin, end):
        k = row_start[row]
        for tree in range(n_trees):
            first[tree] = k
            while k < row_start[row + 1] and candidates[k] < tree_start[tree + 1]:
                k += 1
        first[n_trees] = k
        assign_row(
            first,
            candidates,
            values,
            ranked,
            rank,
            tree_start,
            bound_start,
            column,
            lower,
            upper,
            word,
            words,
            word_start,
            start_lower,
            start_upper,
            start_levels,
            budget,
            region_lower[row],
            region_upper[row],
            region_levels[row],
            chosen,
            *no_log,
        )
        leaf_ids[row] = chosen


@compiled
def agree_rows(
    begin,
    end,
    leaf_ids,
    bound_start,
    column,
    lower,
    upper,
    word,
    words,
    word_start,
    start_lower,
    start_upper,
    start_levels,
    budget,
    region_lower,
    region_upper,
    region_levels,
):
    """Fill the regions where most of the leaves of some rows meet."""
    n_trees = leaf_ids.shape[1]
    box = (bound_start, column, lower, upper, word, words, word_start)
    start = (start_lower, start_upper, start_levels)
    leaves, inside = np.empty(n_trees, np.int64), np.empty(n_trees, np.bool_)
    equal = np.ones(n_trees)
    for row in range(begin, end):
        for tree in range(n_trees):
            met = first_meeting(leaf_ids[row], tree, tree + 1, *box, *start) == tree
            leaves[tree] = leaf_ids[row, tree] if met else -1
        settle_clique(
            leaves,
            equal,
            *box,
            *start,
            budget,
            region_lower[row],
            region_upper[row],
            region_levels[row],
            inside,
        )
