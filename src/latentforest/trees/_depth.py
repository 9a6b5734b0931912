"""Trees as they were before they were grown to the end: cut at a depth."""

import numpy as np

from latentforest._base._checks import check_integer
from latentforest._base._types import Ints
from latentforest.trees._arrays import ForestArrays
from latentforest.trees._cut import cut_trees
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
    return cut_trees(forest, node_depths(forest) == depth)[0]
