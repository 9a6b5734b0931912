"""Fewer trees, and leaves merged with their siblings where they hardly differ."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats
from latentforest.distill._merge_loops import add_up_nodes
from latentforest.distill._size import BIT, leaf_bytes, size_of, split_bytes
from latentforest.distill._teacher import Teacher
from latentforest.kernel import leaf_scale
from latentforest.placing import LeafTable
from latentforest.trees import ForestArrays, cut_trees, pack_trees, unpack_trees


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """Fewer trees with fewer leaves, which say what theirs said together."""

    forest: ForestArrays
    table: LeafTable
    predictions: Floats | None


def merge(teacher: Teacher, size: float) -> Merged:
    """Cut a forest down to a share of the bytes of its trees and leaf table.

    Half of the way is gone by leaving out trees, half by merging leaves: √size of the
    trees stay. Leaves are merged in the order of what that moves the coordinates of
    rows, over all trees, from the bottom up.

    Parameters
    ----------
    teacher : Teacher
        The large model.
    size : float
        Share of the bytes, at most 1.

    Returns
    -------
    Merged
    """
    forest, n_components = teacher.forest, teacher.table.values.shape[1]
    budget = size * size_of(forest, n_components)
    n_trees = int(np.ceil(np.sqrt(size) * forest.n_trees))
    some, leaves = cut_trees(
        forest, np.zeros(len(forest.left), np.bool_), teacher.aligned_trees(n_trees)
    )
    held = _held_by_leaves(teacher)[forest.leaf[leaves]]
    unit = np.zeros(held.shape[1])
    unit[:n_components] = teacher.eigenvalues  # of the rest no cost is asked
    is_leaf = some.left < 0
    mass, cost = np.zeros((2, len(some.left)))
    sums = np.zeros((len(some.left), held.shape[1]))
    mass[is_leaf], sums[is_leaf] = teacher.table.mass[forest.leaf[leaves]], held
    add_up_nodes(some.start, some.left, some.right, mass, sums, unit, cost)
    top = np.zeros(len(some.left), np.bool_)
    top[_merged_nodes(some, cost, n_components, budget, size)] = True
    small, nodes = cut_trees(some, top)
    # Packing leaves out the sets of levels that nobody asks for any more.
    small = unpack_trees(pack_trees(small), small.split_levels)
    scale = leaf_scale(mass[nodes], teacher.kind)[:, None]
    return Merged(
        small,
        LeafTable.of_leaves(
            sums[nodes, :n_components] * scale / n_trees,
            mass[nodes],
            kind=teacher.kind,
            n_trees=n_trees,
        ),
        None
        if teacher.predictions is None
        else sums[nodes, n_components:-1] / sums[nodes, -1:],
    )


def _held_by_leaves(teacher: Teacher) -> Floats:
    """Return sums of coordinates; of predictions too, and how much these weigh."""
    sums, predictions = teacher.sums(), teacher.predictions
    if predictions is None:
        return sums
    # Leaves without rows of the kernel are heard where there are no others.
    weight = teacher.table.mass[:, None] + 1e-9
    return np.hstack([sums, weight * predictions, weight])


def _merged_nodes(
    forest: ForestArrays, cost: Floats, n_components: int, budget: float, size: float
) -> NDArray[np.int64]:
    """Nodes that become leaves until the forest takes no more than the budget."""
    # Children come after their parents: backwards, they are merged first.
    inner = np.flatnonzero(forest.left >= 0)[::-1]
    order = inner[np.argsort(cost[inner], kind="stable")]
    saved = split_bytes(forest)[order] + leaf_bytes(n_components) + 2 * BIT
    excess = size_of(forest, n_components) - budget
    left = np.concatenate([[0.0], np.cumsum(saved)])
    n_merged = int(np.searchsorted(left, excess))
    if n_merged == len(left):
        message = (
            f"size={size} is too small: {forest.n_trees} trees without a split take "
            "more than that share of the bytes. Give a larger size."
        )
        raise ValueError(message)
    return order[:n_merged]
