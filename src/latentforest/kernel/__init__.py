"""The kernel of a forest, known by the leaves of its rows."""

from latentforest.kernel._forest_kernel import ForestKernel
from latentforest.kernel._graph import connected_components
from latentforest.kernel._index import LeafIndex
from latentforest.kernel._leaf_table import LeafTable
from latentforest.kernel._operator import LeafKernel

__all__ = [
    "ForestKernel",
    "LeafIndex",
    "LeafKernel",
    "LeafTable",
    "connected_components",
]
