"""Trees without what follows from the rest: the form that files keep."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Floats, Ints
from latentforest.trees._arrays import ForestArrays


@dataclass(frozen=True, slots=True, eq=False)
class PackedTrees:
    """The nodes of all trees; see `ForestArrays` for what the arrays mean.

    Leaves have no split: -1, NaN and False. The sets of levels lie in ``words`` in the
    order of their nodes, so that nobody needs to be told where they begin.
    """

    start: NDArray[np.int64]
    left: Ints
    right: Ints
    feature: Ints
    threshold: Floats
    missing_left: Bools
    words: NDArray[np.uint32]


def pack_trees(forest: ForestArrays) -> PackedTrees:
    """Leave out what `unpack_trees` can work out again."""
    inner = forest.left >= 0
    sets = np.flatnonzero(inner & (forest.category >= 0))
    n_words = words_needed(forest.feature[sets], forest.split_levels)
    ends = np.cumsum(n_words)
    within = np.arange(n_words.sum()) - np.repeat(ends - n_words, n_words)
    return PackedTrees(
        forest.start,
        np.where(inner, forest.left, -1).astype(np.int32),
        np.where(inner, forest.right, -1).astype(np.int32),
        np.where(inner, forest.feature, -1).astype(np.int32),
        np.where(inner, forest.threshold, np.nan),
        inner & forest.missing_left,
        forest.words[np.repeat(forest.category[sets], n_words) + within],
    )


def unpack_trees(packed: PackedTrees, split_levels: Ints) -> ForestArrays:
    """Check everything that compiled walks rely on, then build the forest.

    Parameters
    ----------
    packed : PackedTrees
        Arrays of the right dtypes, from anywhere.
    split_levels : array of int, shape (n_columns,)
        Levels of the columns that are split by sets of levels, else 0.

    Returns
    -------
    ForestArrays
        A walk from any root ends at a leaf and reads nothing out of range.
    """
    check_starts(packed.start, len(packed.left))
    check_children(packed)
    inner = packed.left >= 0
    check_splits(packed, inner, split_levels)
    sets = np.flatnonzero(inner & np.isnan(packed.threshold))
    n_words = words_needed(packed.feature[sets], split_levels)
    if n_words.sum() != len(packed.words):
        message = (
            f"the trees need {n_words.sum()} words for their sets of levels, but there "
            f"are {len(packed.words)}"
        )
        raise ValueError(message)
    category = np.full(len(inner), -1, np.int64)
    category[sets] = np.cumsum(n_words) - n_words
    return ForestArrays(
        start=packed.start,
        left=packed.left,
        right=packed.right,
        feature=packed.feature,
        threshold=packed.threshold,
        missing_left=packed.missing_left,
        category=category,
        words=packed.words,
        leaf=np.where(inner, -1, np.cumsum(~inner) - 1).astype(np.int32),
        split_levels=np.asarray(split_levels, np.int32),
    )


def words_needed(feature: Ints, split_levels: Ints) -> NDArray[np.int64]:
    """Words of 32 levels that a set of levels of each given column takes."""
    words: NDArray[np.int64] = (split_levels[feature].astype(np.int64) + 31) // 32
    return words


def check_starts(start: NDArray[np.int64], n_nodes: int) -> None:
    """Refuse trees without nodes, and nodes without a tree."""
    if len(start) < 2 or start[0] != 0 or start[-1] != n_nodes:
        message = f"the trees do not begin at node 0 and end at node {n_nodes}"
        raise ValueError(message)
    if (np.diff(start) < 1).any():
        message = f"tree {int((np.diff(start) < 1).argmax())} has no nodes"
        raise ValueError(message)


def check_children(packed: PackedTrees) -> None:
    """Refuse nodes that are not trees: children come after their one parent."""
    left, right = packed.left.astype(np.int64), packed.right.astype(np.int64)
    size = np.diff(packed.start)
    first = np.repeat(packed.start[:-1], size)
    own = np.arange(len(left)) - first
    leaf = (left == -1) & (right == -1)
    low, high = np.minimum(left, right), np.maximum(left, right)
    wrong = ~leaf & ((low <= own) | (high >= np.repeat(size, size)) | (low == high))
    if wrong.any():
        message = f"node {int(wrong.argmax())} has children that are none of its tree"
        raise ValueError(message)
    inner = np.flatnonzero(~leaf)
    children = np.concatenate([first[inner] + left[inner], first[inner] + right[inner]])
    n_parents = np.bincount(children, minlength=len(left))
    orphan = n_parents != (own > 0)
    if orphan.any():
        node = int(orphan.argmax())
        message = f"node {node} has {n_parents[node]} parents"
        raise ValueError(message)


def check_splits(packed: PackedTrees, inner: Bools, split_levels: Ints) -> None:
    """Refuse columns that are not there, and splits that do not fit their column."""
    feature, n_columns = packed.feature, len(split_levels)
    wrong = np.where(inner, (feature < 0) | (feature >= n_columns), feature != -1)
    if wrong.any():
        node = int(wrong.argmax())
        message = (
            f"node {node} splits on column {feature[node]}, "
            f"but there are {n_columns} columns"
        )
        raise ValueError(message)
    by_set = inner & (split_levels[feature] > 0)
    wrong = np.isnan(packed.threshold) == (inner & ~by_set)
    if wrong.any():
        node = int(wrong.argmax())
        message = f"the threshold {packed.threshold[node]} of node {node} does not fit"
        raise ValueError(message)
