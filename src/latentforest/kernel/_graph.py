"""The graph whose edges are shared leaves, and the pieces it falls into."""

import numpy as np

from latentforest._base._types import Bools, Ints
from latentforest.kernel._index import LeafIndex
from latentforest.kernel._leaf_loops import join_rows


def connected_components(
    index: LeafIndex, joins: Bools | None = None
) -> tuple[Ints, int]:
    """Label the rows that can reach each other through shared leaves.

    Parameters
    ----------
    index : LeafIndex
    joins : array of bool, shape (n_leaves,), default=None
        Leaves whose rows are joined; None takes all.

    Returns
    -------
    labels : array of int32, shape (n_rows,)
        Component of each row. Component 0 has the most rows; of two components of
        the same size, the one with the earlier first row comes first.
    n_components : int
    """
    joins = np.ones(index.n_leaves, bool) if joins is None else joins
    roots = join_rows(index.ids.T, index.first_leaf, index.width, joins)
    # A root is the first row of its component, so unique roots come by first row,
    # and a stable sort by size keeps that order among ties.
    _, component, sizes = np.unique(roots, return_inverse=True, return_counts=True)
    rank = np.empty(sizes.size, dtype=np.int32)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(sizes.size, dtype=np.int32)
    return rank[component], sizes.size
