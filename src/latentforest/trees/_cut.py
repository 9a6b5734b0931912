"""Trees that end earlier than they did, and forests of some of their trees."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools
from latentforest.trees._arrays import NODE_FIELDS, ForestArrays
from latentforest.trees._walk_loops import mark_kept


def cut_trees(
    forest: ForestArrays, top: Bools, trees: NDArray[np.integer] | None = None
) -> tuple[ForestArrays, NDArray[np.int64]]:
    """Let nodes become leaves, so that what lies below them is gone.

    Rows go the same ways as before, only less far. Nodes stay in their order, and
    leaves are numbered anew, tree by tree.

    Parameters
    ----------
    forest : ForestArrays
        Any forest; it is not changed.
    top : array of bool, shape (n_nodes,)
        The nodes that become leaves; those that are leaves already may be False.
    trees : array of int or None, default=None
        Numbers of the trees to keep, in rising order; None keeps all.

    Returns
    -------
    forest : ForestArrays
    nodes : array of int, shape (n_leaves,)
        Which node of the old forest each leaf of the new one was.
    """
    chosen = np.arange(forest.n_trees) if trees is None else np.asarray(trees)
    is_kept = np.zeros(len(top), np.bool_)
    mark_kept(forest.start, forest.left, forest.right, top, chosen, is_kept)
    n_before = np.concatenate([[0], np.cumsum(is_kept)])
    kept = np.flatnonzero(is_kept)
    n_nodes = np.diff(n_before[forest.start])[chosen]
    start = np.concatenate([[0], np.cumsum(n_nodes)])
    nodes = {name: getattr(forest, name)[kept] for name in NODE_FIELDS}
    is_leaf = (nodes["left"] < 0) | top[kept]
    old_first = np.repeat(forest.start[chosen], n_nodes)
    new_first = np.repeat(start[:-1], n_nodes)
    for side in ("left", "right"):
        # At new leaves the children are gone: any number will do until the next line.
        moved = n_before[old_first + np.maximum(nodes[side], 0)] - new_first
        nodes[side] = np.where(is_leaf, -1, moved).astype(np.int32)
    nodes["feature"] = np.where(is_leaf, -1, nodes["feature"]).astype(np.int32)
    nodes["threshold"] = np.where(is_leaf, np.nan, nodes["threshold"])
    nodes["missing_left"] = nodes["missing_left"] & ~is_leaf
    nodes["category"] = np.where(is_leaf, -1, nodes["category"])
    nodes["leaf"] = np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(np.int32)
    return replace(forest, start=start.astype(np.int64), **nodes), kept[is_leaf]
