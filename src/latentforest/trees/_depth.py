"""Trees as they were before they were grown to the end: cut at a depth."""

from dataclasses import replace

import numpy as np

from latentforest._base._checks import check_integer
from latentforest._base._types import Ints
from latentforest.trees._arrays import NODE_FIELDS, ForestArrays
from latentforest.trees._walk_loops import count_depths


def node_depths(forest: ForestArrays) -> Ints:
    """Count the splits above every node: 0 at a root.

    Parameters
    ----------
    forest : ForestArrays
        Any forest.

    Returns
    -------
    ndarray of int, shape (n_nodes,)
    """
    depths = np.empty(len(forest.left), np.int32)
    count_depths(forest.start, forest.left, forest.right, depths)
    return depths


def longest_ways(forest: ForestArrays) -> int:
    """Add up the depths of the trees: the splits that a row can meet, at most."""
    return int(np.maximum.reduceat(node_depths(forest), forest.start[:-1]).sum())


def cut_at_depth(forest: ForestArrays, depth: int) -> ForestArrays:
    """Return the forest whose trees stop at a depth.

    Nodes at that depth become leaves and what lies below them is gone, so that the
    leaves of a shallow cut are unions of those of a deeper one. Leaves are numbered
    anew, tree by tree.

    Parameters
    ----------
    forest : ForestArrays
        Any forest; it is not changed.
    depth : int
        Splits on the longest way from a root to a leaf; 0 leaves the roots only.

    Returns
    -------
    ForestArrays
    """
    check_integer("depth", depth, minimum=0)
    depths = node_depths(forest)
    kept = np.flatnonzero(depths <= depth)
    first = np.repeat(forest.start[:-1], np.diff(forest.start))
    n_before = np.concatenate([[0], np.cumsum(depths <= depth)])
    start = n_before[forest.start]
    nodes = {name: getattr(forest, name)[kept] for name in NODE_FIELDS}
    is_leaf = (nodes["left"] < 0) | (depths[kept] == depth)
    own_start = np.repeat(start[:-1], np.diff(start))
    for side in ("left", "right"):
        # At new leaves the children are gone: any number will do until the next line.
        moved = n_before[first[kept] + np.maximum(nodes[side], 0)] - own_start
        nodes[side] = np.where(is_leaf, -1, moved).astype(np.int32)
    nodes["feature"] = np.where(is_leaf, -1, nodes["feature"]).astype(np.int32)
    nodes["threshold"] = np.where(is_leaf, np.nan, nodes["threshold"])
    nodes["missing_left"] = nodes["missing_left"] & ~is_leaf
    nodes["category"] = np.where(is_leaf, -1, nodes["category"])
    nodes["leaf"] = np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(np.int32)
    return replace(forest, start=start.astype(np.int64), **nodes)
