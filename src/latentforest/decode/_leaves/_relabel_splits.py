"""Splits in coordinate space that stand in for those of a forest: global search."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes, Coords, Floats, LeafIds
from latentforest._base._values import damaged
from latentforest.decode._leaves._relabel_loops import route_coords, search_all_rows
from latentforest.neighbours import check_coords_size
from latentforest.regions import level_sets
from latentforest.trees import ROW_BLOCK, ForestArrays

SPLIT_BLOCK = 32


@dataclass(frozen=True, slots=True, eq=False)
class StandIns:
    """One split of coordinates for every inner node: left if w·z <= offset.

    The trees are those of the original forest; only the meaning of the splits is new.
    """

    weights: Floats  # (n_nodes, n_components); one weight of ±1 for an axis split
    offset: Floats  # (n_nodes,) infinite where all go one way; NaN at a leaf
    agreement: Floats  # (n_nodes,) share of samples that go the old way; NaN at a leaf

    def __post_init__(self) -> None:
        if not len(self.weights) == len(self.offset) == len(self.agreement):
            message = (
                f"{len(self.weights)} rows of weights, {len(self.offset)} offsets and "
                f"{len(self.agreement)} shares are not of the same nodes"
            )
            raise ValueError(message)

    def put(self, new: NewSection) -> None:
        """Write the splits to a model file."""
        new.array("weights", self.weights)
        new.array("offset", self.offset)
        new.array("agreement", self.agreement)

    @classmethod
    def take(
        cls, section: Section, forest: ForestArrays, n_components: int
    ) -> "StandIns":
        """Read the splits from a model file."""
        shape = (len(forest.left), n_components)
        weights = np.ascontiguousarray(section.coords("weights", shape))
        offset = section.array("offset", np.float64, shape[:1])
        if np.isnan(offset[forest.left >= 0]).any():
            raise damaged(f"{section.path('offset')} has no number for a split")
        return cls(weights, offset, section.array("agreement", np.float64, shape[:1]))

    def route(
        self, forest: ForestArrays, coords: Coords, *, n_jobs: int | None = None
    ) -> LeafIds:
        """Forest-wide leaf of every row of coordinates in every tree."""
        coords = np.ascontiguousarray(coords, np.float64)
        n_components = self.weights.shape[1]
        if coords.ndim != 2 or coords.shape[1] != n_components:
            message = (
                f"coordinates have the shape {coords.shape}, wanted "
                f"(n_rows, {n_components})."
            )
            raise ValueError(message)
        check_coords_size(coords)
        ids = np.empty((len(coords), forest.n_trees), np.int32, order="F")

        def work(block: tuple[int, int]) -> None:
            route_coords(
                coords,
                *block,
                (forest.start, forest.left, forest.right, forest.leaf),
                (self.weights, self.offset),
                ids,
            )

        run_blocks(work, list(blocks_of(len(coords), ROW_BLOCK)), n_jobs=n_jobs)
        return ids


def empty_stand_ins(forest: ForestArrays, n_components: int) -> StandIns:
    """Make room for the splits of all nodes; leaves stay as they are here."""
    n_nodes = len(forest.left)
    return StandIns(
        np.zeros((n_nodes, n_components)),
        np.full(n_nodes, np.nan),
        np.full(n_nodes, np.nan),
    )


def splits_of(forest: ForestArrays) -> tuple[NDArray[Any], ...]:
    """Return what compiled loops call splits, in the order they unpack it."""
    splits = (forest.feature, forest.threshold, forest.missing_left, forest.category)
    return (*splits, forest.words)


def relabel_globally(
    forest: ForestArrays,
    values: Codes,
    coords: Coords,
    *,
    logistic: bool,
    n_jobs: int | None = None,
) -> StandIns:
    """Replace every split by the one that agrees with it on most of all rows.

    This is the simple matching coefficient of the paper's appendix. Splits that part
    the rows in the same way share the search, whichever nodes they belong to.
    """
    nodes, same_as = distinct_splits(forest, values)
    coords = np.ascontiguousarray(coords)
    order = np.ascontiguousarray(np.argsort(coords, axis=0).T)
    ordered = np.take_along_axis(coords.T, order, axis=1)
    found = empty_stand_ins(forest, coords.shape[1])

    def work(block: tuple[int, int]) -> None:
        search_all_rows(
            nodes[slice(*block)],
            splits_of(forest),
            (values, coords, order, ordered),
            logistic,
            (found.weights, found.offset, found.agreement),
        )

    run_blocks(work, list(blocks_of(len(nodes), SPLIT_BLOCK)), n_jobs=n_jobs)
    return StandIns(
        found.weights[same_as], found.offset[same_as], found.agreement[same_as]
    )


def distinct_splits(
    forest: ForestArrays, values: Codes
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Inner nodes that part the rows in different ways, and for all nodes their like.

    A node's like is the first node that sends every row the same way; a leaf is its
    own.
    """
    same_as = np.arange(len(forest.left))
    firsts = []
    for column in np.unique(forest.feature[forest.left >= 0]):
        of_column = np.flatnonzero(forest.feature == column)
        cells = values[:, column]
        seen = np.unique(cells[~np.isnan(cells)])
        n_levels = int(forest.split_levels[column])
        if n_levels:
            held = np.isin(np.arange(n_levels), seen)
            mask = level_sets(forest.split_levels[[column]], held)
            at = forest.category[of_column, None] + np.arange(len(mask))
            key = (forest.words[at] & mask).astype(np.int64)
        else:
            cut = forest.threshold[of_column, None]
            key = np.searchsorted(seen, cut, side="right").astype(np.int64)
        missing = forest.missing_left[of_column, None] & bool(np.isnan(cells).any())
        _, first, group = np.unique(
            np.hstack([key, missing]), axis=0, return_index=True, return_inverse=True
        )
        same_as[of_column] = of_column[first][group.reshape(-1)]
        firsts.append(of_column[first])
    return np.concatenate([np.empty(0, np.int64), *firsts]), same_as
