"""The box of every leaf: which values of which columns lead into it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of
from latentforest._base._room import Demand
from latentforest._base._types import Bools, Floats, Ints
from latentforest.regions._climb import Climber
from latentforest.regions._regions import Regions
from latentforest.trees import ForestArrays, node_depths

CELLS = 2**20  # leaves × columns that are held at once


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

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return what compiled loops call a box, in the order they unpack it."""
        bounds = (self.start, self.column, self.lower, self.upper, self.word)
        return (*bounds, self.words, self.word_start)


def leaf_boxes(forest: ForestArrays, whole: Bools) -> LeafBoxes:
    """Boxes of all leaves, from one climb from each leaf to its root.

    ``whole`` says which columns hold whole numbers only: there x <= 2.7 means x <= 2,
    and a box between 2 and 2.7 is empty.
    """
    climber = Climber(forest)
    nodes = climber.node_of_leaf
    everything = Regions.unbounded(1, forest.split_levels)
    word_start = everything.word_start
    parts = [_Bounds.of(everything, everything, whole)]
    size = max(1, CELLS // (forest.n_columns + word_start[-1]))
    for begin, end in blocks_of(len(nodes), size):
        regions, _ = climber.meet(nodes[begin:end, None])
        parts.append(_Bounds.of(regions, everything, whole))
    found = _Bounds(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    n_words = np.diff(word_start)[found.column]
    first_leaf = np.searchsorted(nodes, forest.start)
    return LeafBoxes(
        np.concatenate([[0], np.cumsum(found.size[1:])]),
        found.column.astype(np.int32),
        found.lower,
        found.upper,
        np.where(n_words > 0, np.cumsum(n_words) - n_words, -1),
        found.words,
        word_start,
        forest.split_levels,
        first_leaf.astype(np.int64),
    )


def boxes_demand(forest: ForestArrays) -> Demand:
    """Tell what `leaf_boxes` takes, at most."""
    n_words = (forest.split_levels.astype(np.int64) + 31) // 32
    split = np.unique(forest.feature[forest.left >= 0])
    words = n_words[split]
    depths = node_depths(forest)[forest.leaf >= 0].astype(np.int64)
    n_bounds = int(np.minimum(depths, len(split)).sum())
    # All columns of every leaf, some dozen times; words along its way.
    looks = 8 * len(depths) * (forest.n_columns + int(n_words.sum()))
    ways = int(depths.sum()) * (1 + int(words.max(initial=0)))
    return Demand(60 * n_bounds + 8 * len(depths) * int(words.sum()), looks + ways)


class _Bounds(NamedTuple):
    """The bounds of some leaves, one after the other."""

    size: NDArray[np.int64]  # (n_leaves,) bounds of each leaf
    column: NDArray[np.int64]  # (n_bounds,)
    lower: Floats  # (n_bounds,)
    upper: Floats  # (n_bounds,)
    words: NDArray[np.uint32]

    @classmethod
    def of(cls, regions: Regions, everything: Regions, whole: Bools) -> "_Bounds":
        """Keep the columns that have bounds."""
        lower = np.where(whole, np.floor(regions.lower), regions.lower)
        upper = np.where(whole, np.floor(regions.upper), regions.upper)
        bounded = (lower > -np.inf) | (upper < np.inf)
        kept = regions.levels != everything.levels
        start = regions.word_start
        for column in np.flatnonzero(regions.split_levels).tolist():
            words = slice(start[column], start[column + 1])
            bounded[:, column] = kept[:, words].any(axis=1)
        leaf, columns = np.nonzero(bounded)
        in_set = np.repeat(bounded, np.diff(start), axis=1)
        return cls(
            bounded.sum(axis=1),
            columns,
            lower[leaf, columns],
            upper[leaf, columns],
            regions.levels[in_set],
        )
