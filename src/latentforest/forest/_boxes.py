"""The box of every leaf: which values of which columns lead into it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Floats, Ints
from latentforest.forest._arrays import ForestArrays
from latentforest.forest._box_loops import count_bounds, fill_bounds
from latentforest.forest._regions import ColumnFacts, Regions


@dataclass(frozen=True, slots=True, eq=False)
class LeafBoxes:
    """The bounds of every leaf, kept only for the columns that its path splits on.

    Bounds ``start[l]`` to ``start[l + 1]`` belong to leaf l. A number lies in
    ``(lower, upper]``, whole where its column is whole; a category is in the set of
    levels that begins at ``word``. A box describes cells that are there: a leaf
    that only missing cells can reach is empty. The leaves of one tree share out all
    values, so a region that holds a legal row meets a leaf of every tree.
    """

    start: NDArray[np.int64]  # (n_leaves + 1,) first bound of each leaf
    column: Ints  # (n_bounds,)
    lower: Floats  # (n_bounds,)
    upper: Floats  # (n_bounds,)
    word: NDArray[np.int64]  # (n_bounds,) where the set starts in words; -1: a number
    words: NDArray[np.uint32]  # sets of levels, 32 to a word
    word_start: Ints  # (n_columns + 1,) as in Regions
    split_levels: Ints  # (n_columns,) as in Regions
    tree_start: NDArray[np.int64]  # (n_trees + 1,) first leaf of each tree

    def __post_init__(self) -> None:
        n_bounds = int(self.start[-1])
        for name in ("column", "lower", "upper", "word"):
            if len(getattr(self, name)) != n_bounds:
                message = f"{name} has {len(getattr(self, name))} of {n_bounds} bounds"
                raise ValueError(message)
        if self.tree_start[-1] != self.n_leaves:
            message = f"the trees have {self.tree_start[-1]} of {self.n_leaves} leaves"
            raise ValueError(message)

    @property
    def n_leaves(self) -> int:
        """Leaves of all trees."""
        return len(self.start) - 1

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.tree_start) - 1

    def arrays(
        self,
    ) -> tuple[
        NDArray[np.int64],
        Ints,
        Floats,
        Floats,
        NDArray[np.int64],
        NDArray[np.uint32],
        Ints,
    ]:
        """Return the arrays that compiled loops need, in the order they take them."""
        return (
            self.start,
            self.column,
            self.lower,
            self.upper,
            self.word,
            self.words,
            self.word_start,
        )


def leaf_boxes(forest: ForestArrays, whole: Bools) -> LeafBoxes:
    """Boxes of all leaves, from one climb from each leaf to its root.

    ``whole`` says which columns hold whole numbers only: there x <= 2.7 means x <= 2,
    and a box between 2 and 2.7 is empty.
    """
    node = np.flatnonzero(forest.leaf >= 0)
    tree = np.searchsorted(forest.start, node, side="right") - 1
    tree_start = np.searchsorted(tree, np.arange(forest.n_trees + 1)).astype(np.int64)
    root = forest.start[tree]
    n_words = (forest.split_levels + 31) // 32
    word_start = np.concatenate([[0], np.cumsum(n_words)]).astype(np.int32)
    parent = forest.parents()
    counts = np.zeros((2, len(node)), np.int64)
    count_bounds(node, root, parent, forest.feature, word_start, counts)
    start = np.concatenate([[0], np.cumsum(counts[0])])
    column = np.empty(start[-1], np.int32)
    lower, upper = np.full(start[-1], -np.inf), np.full(start[-1], np.inf)
    word = np.full(start[-1], -1)
    words = np.empty(counts[1].sum(), np.uint32)
    fill_bounds(
        node,
        root,
        parent,
        forest.left,
        forest.feature,
        forest.threshold,
        forest.category,
        forest.words,
        level_sets(forest.split_levels, None)[0],
        np.asarray(whole),
        start,
        column,
        lower,
        upper,
        word,
        words,
        word_start,
    )
    return LeafBoxes(
        start,
        column,
        lower,
        upper,
        word,
        words,
        word_start,
        forest.split_levels,
        tree_start,
    )


def observed_region(facts: ColumnFacts, split_levels: Ints) -> Regions:
    """Return the one region that holds all that was observed.

    Numbers lie in their observed range, categories among their observed levels; a
    column whose cells are all missing is unbounded. It is the region S = X from
    which leaf assignments start.
    """
    is_number = split_levels == 0
    seen = is_number & ~np.isnan(facts.lower)
    below = np.where(facts.whole, facts.lower - 1, np.nextafter(facts.lower, -np.inf))
    levels, word_start = level_sets(
        split_levels, [counts > 0 for counts in facts.level_counts]
    )
    return Regions(
        np.where(seen, below, -np.inf)[None],
        np.where(seen, facts.upper, np.inf)[None],
        levels[None],
        word_start,
        split_levels,
    )


def level_sets(
    split_levels: Ints, seen: list[Bools] | None
) -> tuple[NDArray[np.uint32], Ints]:
    """Return sets of levels as words, column by column, and where each begins.

    A set holds the levels that were seen; all levels if none was, or without ``seen``.
    """
    sets = []
    for column, n_levels in enumerate(split_levels):
        bits = np.zeros(32 * ((n_levels + 31) // 32), np.uint8)
        bits[:n_levels] = 1 if seen is None or not seen[column].any() else seen[column]
        sets.append(np.packbits(bits, bitorder="little").view("<u4"))
    word_start = np.cumsum([0, *(len(words) for words in sets)]).astype(np.int32)
    return np.concatenate([*sets, np.empty(0, "<u4")]).astype(np.uint32), word_start
