"""Walks of rows down flat trees: leaves, and the regions they bound. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def has_level(words, start, level):
    """Whether ``level`` is in the set of levels that starts at ``start``."""
    return (words[start + (level >> 5)] >> np.uint32(level & 31)) & np.uint32(1) != 0


@compiled
def route_rows(
    values,
    begin,
    end,
    start,
    left,
    right,
    feature,
    threshold,
    missing_left,
    category,
    words,
    name,
    ids,
):
    """Write the ``name`` of the leaf of each row in each tree into ``ids``.

    Trees come in the outer loop: one tree and a block of rows stay in cache.
    """
    for tree in range(len(start) - 1):
        root = start[tree]
        for i in range(begin, end):
            node = root
            while left[node] >= 0:
                value = values[i, feature[node]]
                goes_left = value <= threshold[node]
                if np.isnan(value):
                    goes_left = missing_left[node]
                elif np.isnan(threshold[node]):
                    goes_left = has_level(words, category[node], np.int64(value))
                node = root + (left[node] if goes_left else right[node])
            ids[i, tree] = name[node]


@compiled
def narrow_regions(
    values,
    begin,
    end,
    leaf_ids,
    node_of_leaf,
    parent,
    start,
    left,
    feature,
    threshold,
    category,
    words,
    split_levels,
    word_start,
    lower,
    upper,
    levels,
):
    """Intersect, for rows ``begin`` to ``end``, the regions of their leaves.

    Numbers keep an interval ``(lower, upper]``, categories a set of levels; a missing
    cell bounds nothing. All three arrays are narrowed in place. Paths are climbed
    from the leaf: nothing is compared on the way, so nothing is guessed wrong.
    """
    for tree in range(len(start) - 1):
        root = start[tree]
        for i in range(begin, end):
            node = node_of_leaf[leaf_ids[i, tree]]
            while node != root:
                above = root + parent[node]
                from_left = root + left[above] == node
                column, cut = feature[above], threshold[above]
                if np.isnan(values[i, column]):
                    pass
                elif np.isnan(cut):
                    first = word_start[column]
                    for w in range((split_levels[column] + 31) >> 5):
                        allowed = words[category[above] + w]
                        levels[i - begin, first + w] &= (
                            allowed if from_left else ~allowed
                        )
                else:
                    most = cut if from_left else np.inf
                    least = -np.inf if from_left else cut
                    upper[i - begin, column] = min(upper[i - begin, column], most)
                    lower[i - begin, column] = max(lower[i - begin, column], least)
                node = above


@compiled
def route_rest(
    bins, n_bins, left, right, feature, cut, missing_left, category, words, leaf_of
):
    """Route the rows whose entry in ``leaf_of`` is still -1, in place."""
    for i in range(len(leaf_of)):
        if leaf_of[i] >= 0:
            continue
        node = 0
        while left[node] >= 0:
            column = feature[node]
            code = np.int64(bins[column, i])
            if code == n_bins[column]:
                goes_left = missing_left[node]
            elif category[node] >= 0:
                goes_left = has_level(words, category[node], code)
            else:
                goes_left = code <= cut[node]
            node = left[node] if goes_left else right[node]
        leaf_of[i] = node
