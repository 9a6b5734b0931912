"""The region decoder of eForest: leaves in, a row where they meet out."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from typing import Any, Literal

import numpy as np

from latentforest._base._compiled import compiled
from latentforest._base._types import Bools, Codes, Coords, LeafIds
from latentforest.decode._context import DecoderContext
from latentforest.decode._leaves._leaf_decoder import LeafDecoder
from latentforest.forest import (
    ColumnFacts,
    ForestArrays,
    Regions,
    regions_of_leaves,
)


class RegionDecoder(LeafDecoder):
    """Make a row where given leaves meet: Feng and Zhou's maximum compatible rule.

    The coordinates of a row are its leaves, one forest-wide leaf number per tree, as
    `EForest` gives them. Nothing is learned: the row is made in the intersection of
    the leaves' regions, and falls into the same leaves again, as long as the region
    holds numbers with as few decimals as their columns have. A cell is missing where
    a missing cell leads into all the leaves, and nothing else that was ever seen does.

    Decoding takes one climb from each leaf to its root, O(B · depth) steps per row.

    Parameters
    ----------
    point : {"middle", "draw"}, default="middle"
        The row made in a region: its middle, with the most frequent level, or drawn
        uniformly.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import CompletelyRandomForest
    >>> from latentforest import RegionDecoder
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> forest = CompletelyRandomForest(100, random_state=0).fit(X)
    >>> ids = forest.forest_.leaves(X.to_numpy())
    >>> decoder = RegionDecoder().fit(ids, X, forest=forest)
    >>> decoder.predict(ids[:1]).shape
    (1, 4)
    >>> decoder.predict(ids[:1] + 10_000)
    Traceback (most recent call last):
    ...
    ValueError: row 0 has 10007 for tree 0, whose leaves are 0 to 22. Give one
    forest-wide leaf number per tree, as EForest.transform does.
    """

    n_trees: int | None = None  # a leaf is given for every tree

    def __init__(
        self,
        *,
        point: Literal["middle", "draw"] = "middle",
        n_jobs: int | None = None,
    ) -> None:
        self.point = point
        self.n_jobs = n_jobs

    def learn_leaves(self, context: DecoderContext, rng: np.random.Generator) -> None:
        """Check that the coordinates are leaves."""
        try:
            leaf_numbers(self.forest_, context.coords)
        except ValueError as exc:
            message = (
                f"RegionDecoder decodes leaves, but these coordinates are none: {exc} "
                "Use it in EForest; RFAE needs another decoder."
            )
            raise ValueError(message) from exc

    def regions(self, coords: Coords) -> Regions:
        """Region where the leaves of each row meet."""
        return self._meet(coords)[0]

    def decode(self, coords: Coords) -> Codes:
        """Make a row where the leaves of each row meet."""
        regions, missing = self._meet(coords)
        return np.where(missing, np.nan, self.rows_in(regions, coords))

    def _meet(self, coords: Coords) -> tuple[Regions, Bools]:
        ids = leaf_numbers(self.forest_, coords)
        regions = regions_of_leaves(self.forest_, ids, n_jobs=self.n_jobs)
        empty = empty_cells(regions, self.facts_.whole)
        unseen = empty | unseen_cells(regions, self.facts_)
        missing = missing_leads(self.forest_, ids, unseen)
        if (empty & ~missing).any():
            _say_where_apart(self, ids, empty & ~missing)
        return open_cells(regions, missing), missing


def leaf_numbers(forest: ForestArrays, coords: Any) -> LeafIds:
    """Coordinates as leaf numbers, or say which is not one of its tree."""
    ids = np.asarray(coords)
    if ids.shape[1] != forest.n_trees:
        message = (
            f"there are {ids.shape[1]} numbers per row, but the forest has "
            f"{forest.n_trees} trees. Give one leaf number per tree."
        )
        raise ValueError(message)
    # Leaves are numbered tree after tree.
    ends = np.cumsum(np.add.reduceat(forest.leaf >= 0, forest.start[:-1]))
    begins = np.concatenate([[0], ends[:-1]])
    # NaN compares false.
    is_leaf = (ids >= begins) & (ids < ends)
    is_leaf[is_leaf] = ids[is_leaf] == np.floor(ids[is_leaf])
    if not is_leaf.all():
        row, tree = np.argwhere(~is_leaf)[0]
        message = (
            f"row {row} has {ids[row, tree]:.10g} for tree {tree}, whose leaves are "
            f"{begins[tree]} to {ends[tree] - 1}. Give one forest-wide leaf number "
            "per tree, as EForest.transform does."
        )
        raise ValueError(message)
    return ids.astype(np.int32)


def empty_cells(regions: Regions, whole: Bools) -> Bools:
    """Columns in which a region holds no value, (n_rows, n_columns)."""
    lower = np.where(whole, np.floor(regions.lower), regions.lower)
    upper = np.where(whole, np.floor(regions.upper), regions.upper)
    empty = lower >= upper
    for column in np.flatnonzero(regions.split_levels).tolist():
        empty[:, column] = ~regions.has_level(column).any(axis=1)
    return empty


def unseen_cells(regions: Regions, facts: ColumnFacts) -> Bools:
    """Categories in which a region holds no observed level, (n_rows, n_columns)."""
    unseen = np.zeros(regions.lower.shape, np.bool_)
    for column in np.flatnonzero(regions.split_levels).tolist():
        seen = regions.has_level(column) & (facts.level_counts[column] > 0)
        unseen[:, column] = ~seen.any(axis=1)
    return unseen


def open_cells(regions: Regions, chosen: Bools) -> Regions:
    """Return the regions without any bounds on the chosen cells."""
    levels = regions.levels.copy()
    for column in np.flatnonzero(regions.split_levels):
        words = slice(regions.word_start[column], regions.word_start[column + 1])
        levels[chosen[:, column], words] = 2**32 - 1
    return Regions(
        np.where(chosen, -np.inf, regions.lower),
        np.where(chosen, np.inf, regions.upper),
        levels,
        regions.word_start,
        regions.split_levels,
    )


def missing_leads(forest: ForestArrays, ids: LeafIds, asked: Bools) -> Bools:
    """Which of the cells asked for would lead into the row's leaves if missing."""
    leads = asked.copy()
    rows = np.flatnonzero(asked.any(axis=1))
    _follow_missing(
        rows,
        ids,
        np.flatnonzero(forest.leaf >= 0),
        forest.parents(),
        forest.start,
        forest.left,
        forest.feature,
        forest.missing_left,
        leads,
    )
    return leads


def _say_where_apart(decoder: RegionDecoder, ids: LeafIds, apart: Bools) -> None:
    row, column = np.argwhere(apart)[0]
    forest, whole = decoder.forest_, decoder.facts_.whole
    # More trees never meet where fewer do not: halve the trees to find the first.
    fewest, most = 1, forest.n_trees
    while most - fewest > 1:
        n_trees = (fewest + most) // 2
        some, own = forest.first_trees(n_trees), ids[row : row + 1, :n_trees]
        empty = empty_cells(regions_of_leaves(some, own, n_jobs=1), whole)
        if (empty & ~missing_leads(some, own, empty))[0, column]:
            most = n_trees
        else:
            fewest = n_trees
    name = decoder.codec_.schema_.names[column]
    message = (
        f"the leaves of row {row} do not meet: in column {name!r}, the leaf of tree "
        f"{most - 1} has no value in common with those of the trees before it. Give "
        "the leaves of one row, as EForest.transform does."
    )
    raise ValueError(message)


@compiled
def _follow_missing(
    rows, ids, node_of_leaf, parent, start, left, feature, missing_left, leads
):
    """Climb from each leaf and note where a missing cell would go the other way."""
    for i in rows:
        for tree in range(len(start) - 1):
            root = start[tree]
            node = node_of_leaf[ids[i, tree]]
            while node != root:
                above = root + parent[node]
                from_left = root + left[above] == node
                if missing_left[above] != from_left:
                    leads[i, feature[above]] = False
                node = above
