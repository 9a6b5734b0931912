"""The region decoder of eForest: leaves in, a row where they meet out."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from latentforest._base._types import Bools, Codes, Coords, LeafIds
from latentforest.decode._context import DecoderContext
from latentforest.decode._leaves._leaf_decoder import LeafDecoder, without_numbers
from latentforest.regions import Regions, level_sets, meet_leaves
from latentforest.trees import ForestArrays


class RegionDecoder(LeafDecoder):
    """Make a row where given leaves meet: Feng and Zhou's maximum compatible rule.

    The coordinates of a row are its leaves, one forest-wide leaf number per tree, as
    `EForest` gives them. Nothing is learned: the row is made in the intersection of
    the leaves' regions, and falls into the same leaves again, as long as the region
    holds numbers with as few decimals as their columns have. A cell is missing where
    a missing cell leads into all the leaves, and nothing else that was ever seen does,
    nor any number with so few decimals.

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
        regions, leads = meet_leaves(self.forest_, ids, n_jobs=self.n_jobs)
        seen = level_sets(self.forest_.split_levels, self.facts_.level_counts > 0)
        observed = replace(regions, levels=regions.levels & seen)
        whole = self.facts_.whole
        nothing = observed.empty(whole) | without_numbers(regions, self.codec_.schema_)
        missing = leads & nothing
        apart = regions.empty(whole) & ~missing
        if apart.any():
            _say_where_apart(self, ids, apart)
        return regions.opened(missing), missing


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


def _say_where_apart(decoder: RegionDecoder, ids: LeafIds, apart: Bools) -> None:
    row, column = np.argwhere(apart)[0]
    forest, whole = decoder.forest_, decoder.facts_.whole
    # More trees never meet where fewer do not: halve the trees to find the first.
    fewest, most = 1, forest.n_trees
    while most - fewest > 1:
        n_trees = (fewest + most) // 2
        some, own = forest.first_trees(n_trees), ids[row : row + 1, :n_trees]
        regions, leads = meet_leaves(some, own, n_jobs=1)
        if (regions.empty(whole) & ~leads)[0, column]:
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
