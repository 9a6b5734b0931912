"""Walks of rows down flat trees, by one rule for values and for bins. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def has_level(words, start, level):
    """Whether ``level`` is in the set of levels that starts at ``start``."""
    return (words[start + (level >> 5)] >> np.uint32(level & 31)) & np.uint32(1) != 0


@compiled
def goes_left(code, cut, missing, missing_left, category, words):
    """Whether a node sends a cell to the left: the one rule of all trees.

    ``code`` and ``cut`` are a value and a threshold, or the same as bins; where levels
    are split, their set starts at ``category``, else that is -1. Plain numbers and one
    return for each case: with arrays, or one return, routing takes twice as long.
    """
    if missing:
        return missing_left
    if category >= 0:
        return has_level(words, category, np.int64(code))
    return code <= cut


@compiled
def count_depths(start, left, right, depths):
    """Write how many splits lie above each node; children come after their parent."""
    for tree in range(len(start) - 1):
        root = start[tree]
        depths[root] = 0
        for node in range(root, start[tree + 1]):
            if left[node] >= 0:
                depths[root + left[node]] = depths[node] + 1
                depths[root + right[node]] = depths[node] + 1


@compiled
def mark_kept(start, left, right, top, trees, kept):
    """Mark the nodes of some trees that lie at or above the ``top`` ones."""
    for tree in trees:
        root = start[tree]
        kept[root] = True
        for node in range(root, start[tree + 1]):
            if kept[node] and left[node] >= 0 and not top[node]:
                kept[root + left[node]] = True
                kept[root + right[node]] = True


@compiled
def route_rest(bins, n_bins, tree, leaf_of):
    """Route the rows whose entry in ``leaf_of`` is still -1, in place.

    ``tree`` holds the fields of `Tree` from ``left`` to ``words``.
    """
    left, right, feature, _, cut, missing_left, category, words = tree
    for i in range(len(leaf_of)):
        if leaf_of[i] >= 0:
            continue
        node = 0
        while left[node] >= 0:
            column = feature[node]
            code = np.int64(bins[column, i])
            to_left = goes_left(
                code,
                cut[node],
                code == n_bins[column],
                missing_left[node],
                category[node],
                words,
            )
            node = left[node] if to_left else right[node]
        leaf_of[i] = node
