"""The regions of nodes and leaves: climbs from them to their roots."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Bools, Codes, LeafIds
from latentforest.regions._climb_loops import climb
from latentforest.regions._regions import Regions
from latentforest.trees import ROW_BLOCK, ForestArrays


class Climber:
    """Regions of the nodes of a forest; what all climbs need is worked out once."""

    def __init__(self, forest: ForestArrays) -> None:
        self.forest, self.above = forest, forest.parents()
        self.node_of_leaf = np.flatnonzero(forest.leaf >= 0)

    def meet(self, nodes: NDArray[np.int64]) -> tuple[Regions, Bools]:
        """Where all nodes of each row meet, (n_rows, n_nodes).

        Also returns the columns, (n_rows, n_columns), in which a missing cell leads to
        all the nodes.
        """
        forest = self.forest
        regions = Regions.unbounded(len(nodes), forest.split_levels)
        missing = np.ones(regions.lower.shape, np.bool_)
        climb(
            np.asfortranarray(nodes),
            self.above,
            (forest.feature, forest.threshold, forest.missing_left, forest.category),
            forest.words,
            regions.word_start,
            (regions.lower, regions.upper, regions.levels),
            missing,
        )
        return regions, missing


def meet_leaves(
    forest: ForestArrays, leaf_ids: LeafIds, *, n_jobs: int | None = None
) -> tuple[Regions, Bools]:
    """Intersect the regions of given leaves; say where a missing cell leads there.

    ``leaf_ids`` has shape (n_rows, n_trees) and holds forest-wide leaf numbers. A
    region is empty where the leaves do not meet.
    """
    climber = Climber(forest)

    def work(block: tuple[int, int]) -> tuple[Regions, Bools]:
        return climber.meet(climber.node_of_leaf[leaf_ids[slice(*block)]])

    blocks = list(blocks_of(len(leaf_ids), ROW_BLOCK)) or [(0, 0)]
    found = run_blocks(work, blocks, n_jobs=n_jobs)
    regions = replace(
        found[0][0],
        lower=np.concatenate([part.lower for part, _ in found]),
        upper=np.concatenate([part.upper for part, _ in found]),
        levels=np.concatenate([part.levels for part, _ in found]),
    )
    return regions, np.concatenate([missing for _, missing in found])


def regions_of_leaves(
    forest: ForestArrays, leaf_ids: LeafIds, *, n_jobs: int | None = None
) -> Regions:
    """Intersection of the regions of given leaves, one in each tree.

    ``leaf_ids`` has shape (n_rows, n_trees) and holds forest-wide leaf numbers. A
    region is empty where the leaves do not meet.
    """
    return meet_leaves(forest, leaf_ids, n_jobs=n_jobs)[0]


def compatible_regions(
    forest: ForestArrays,
    values: Codes,
    leaf_ids: LeafIds | None = None,
    *,
    n_jobs: int | None = None,
) -> Regions:
    """Region of every row: climb from its leaf in each tree and narrow its box.

    ``leaf_ids`` are the rows' forest-wide leaf numbers, where they are known.
    """
    values = forest.check_values(values)
    if leaf_ids is None:
        leaf_ids = forest.leaves(values, n_jobs=n_jobs)
    regions = regions_of_leaves(forest, leaf_ids, n_jobs=n_jobs)
    return regions.opened(np.isnan(values))
