"""From kernel rows to consistent leaves: exclusive lasso, then greedy search."""

import numpy as np
import scipy.sparse as sp

from latentforest._base._section import NewSection, Section
from latentforest._base._types import Floats, LeafIds
from latentforest.decode._leaves._exclusive_lasso_loops import (
    MAX_SWEEPS,
    PATH,
    TOLERANCE,
    fuzzy_leaves,
)
from latentforest.decode._leaves._greedy import (
    ConsistentLeaves,
    LeafOrder,
    consistent_leaves,
    draw_leaf_order,
)
from latentforest.regions import ColumnFacts, leaf_boxes, observed_region
from latentforest.trees import ForestArrays


class LassoSearch:
    """Kernel rows to consistent leaves, with all that every row needs worked out.

    Parameters
    ----------
    forest : ForestArrays
        The trees.
    facts : ColumnFacts
        What was observed of the columns.
    leaf_ids : array of int, shape (n_kernel_rows, n_trees)
        Leaves of the rows that define the kernel.
    rng : Generator
        Draws who wins ties.
    sparsity : int, default=100
        Neighbours that take part.
    penalty : float, default=0.0001
        λ of the exclusive lasso.
    """

    def __init__(
        self,
        forest: ForestArrays,
        facts: ColumnFacts,
        leaf_ids: LeafIds,
        rng: np.random.Generator,
        *,
        sparsity: int = 100,
        penalty: float = 1e-4,
    ) -> None:
        self.boxes = leaf_boxes(forest, facts.whole)
        self.start = observed_region(facts, forest.split_levels)
        self.leaf_ids = np.ascontiguousarray(leaf_ids)
        size = np.bincount(self.leaf_ids.ravel(), minlength=self.boxes.n_leaves)
        self.order = draw_leaf_order(self.boxes, size, rng)
        # A leaf without rows of the kernel weighs 0, not 1/0.
        self.leaf_scale: Floats = np.divide(
            1.0, size, out=np.zeros(size.size), where=size > 0
        )
        self.sparsity = min(sparsity, len(leaf_ids))
        self.path = penalty * np.array(PATH)

    def beliefs(self, kernel_rows: Floats) -> sp.csr_array:
        """Fuzzy leaves ψ of rows of the kernel, (n_rows, n_leaves)."""
        n_rows, n_leaves = len(kernel_rows), self.boxes.n_leaves
        row_start = np.empty(n_rows + 1, np.int64)
        leaves = np.empty(n_rows * self.sparsity * self.boxes.n_trees, np.int64)
        values = np.empty(leaves.size)
        fuzzy_leaves(
            kernel_rows,
            self.leaf_ids,
            self.leaf_scale,
            self.sparsity,
            self.path,
            TOLERANCE,
            MAX_SWEEPS,
            row_start,
            leaves,
            values,
        )
        n_kept = row_start[-1]
        parts = values[:n_kept], leaves[:n_kept], row_start
        return sp.csr_array(parts, shape=(n_rows, n_leaves))

    def find(self, kernel_rows: Floats) -> ConsistentLeaves:
        """Return consistent leaves for rows of the kernel, in the calling thread."""
        return consistent_leaves(
            self.boxes, self.start, self.beliefs(kernel_rows), self.order, n_jobs=1
        )

    def put(self, new: NewSection) -> None:
        """Write who wins ties to a model file; all else follows from the rows."""
        new.array("leaf_order", self.order.ranked.astype(np.int64))

    def take(self, section: Section) -> None:
        """Let the order that was drawn then take the place of the one drawn here."""
        self.order = LeafOrder.take(section, self.boxes)
