"""The kernel of a forest, known by the leaves of its rows."""

from latentforest.kernel._graph import connected_components
from latentforest.kernel._index import LeafIndex, check_ids
from latentforest.kernel._operator import KERNEL_KINDS, LeafKernel
from latentforest.kernel._sums import (
    ROW_BLOCK,
    divide_or_zero,
    gather_from_leaves,
    leaf_scale,
    leaf_sums,
)

__all__ = [
    "KERNEL_KINDS",
    "ROW_BLOCK",
    "LeafIndex",
    "LeafKernel",
    "check_ids",
    "connected_components",
    "divide_or_zero",
    "gather_from_leaves",
    "leaf_scale",
    "leaf_sums",
]
