"""The kernel of a forest, known by the leaves of its rows."""

from latentforest.kernel._bags import BAG_KINDS as BAG_KINDS
from latentforest.kernel._graph import connected_components
from latentforest.kernel._index import LeafIndex
from latentforest.kernel._index import check_ids as check_ids
from latentforest.kernel._index import tree_factors as tree_factors
from latentforest.kernel._largest import LeafRows as LeafRows
from latentforest.kernel._largest import largest_entries as largest_entries
from latentforest.kernel._operator import KERNEL_KINDS as KERNEL_KINDS
from latentforest.kernel._operator import LeafKernel
from latentforest.kernel._sums import ROW_BLOCK as ROW_BLOCK
from latentforest.kernel._sums import divide_or_zero as divide_or_zero
from latentforest.kernel._sums import gather_from_leaves as gather_from_leaves
from latentforest.kernel._sums import leaf_scale as leaf_scale
from latentforest.kernel._sums import leaf_sums as leaf_sums

__all__ = ["LeafIndex", "LeafKernel", "connected_components"]
