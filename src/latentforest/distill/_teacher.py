"""A large model as the small one sees it, and the small one's trees."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Coords, Floats, LeafIds
from latentforest.kernel import divide_or_zero, leaf_scale
from latentforest.placing import LeafTable
from latentforest.trees import ForestArrays


@dataclass(frozen=True, slots=True, eq=False)
class Teacher:
    """Trees, what their leaves say, and rows to learn from."""

    forest: ForestArrays
    table: LeafTable
    kind: str  # of the kernel
    eigenvalues: Floats
    codes: Codes  # (n_rows, n_columns) rows to learn from
    leaf_ids: LeafIds  # (n_rows, n_trees) their leaves
    predictions: Floats | None  # (n_leaves, n_outputs) of a supervised forest
    shares: bool  # whether they are shares of classes
    n_jobs: int | None

    def sums(self) -> Floats:
        """Sum, over the kernel's rows in each leaf, of z/λ, (n_leaves, n_components).

        That is what the leaf table was made of.
        """
        scale = leaf_scale(self.table.mass, self.kind)
        return divide_or_zero(self.table.values * self.forest.n_trees, scale)

    def place(self, codes: Codes) -> Coords:
        """Where the large model places rows."""
        return self.table.place(self.forest, codes, n_jobs=self.n_jobs)

    def predict(self, codes: Codes) -> Floats:
        """Mean over the trees of what the leaves of rows predict."""
        assert self.predictions is not None, "asked where the forest predicts"
        return mean_of_leaves(self.forest, self.predictions, codes, n_jobs=self.n_jobs)

    def as_predictions(self, values: Floats) -> Floats:
        """Return values that leaves can predict: within bounds, shares add up to 1."""
        assert self.predictions is not None, "asked where the forest predicts"
        bounds = self.predictions.min(axis=0), self.predictions.max(axis=0)
        clipped = np.clip(values, *bounds)
        return clipped / clipped.sum(axis=1, keepdims=True) if self.shares else clipped

    def aligned_trees(self, n_trees: int) -> NDArray[np.int64]:
        """Numbers of the trees whose kernels agree most with the map, rising.

        The kernel K_b of one tree averages over leaves. The alignment trace(Zᵀ K_b Z)
        is the sum, over its leaves, of s_l ‖Σ_{i in l} z_i‖².
        """
        scale = leaf_scale(self.table.mass, self.kind)
        by_leaf = scale * ((self.sums() * self.eigenvalues) ** 2).sum(axis=1)
        is_leaf = self.forest.leaf >= 0
        by_node = np.where(is_leaf, by_leaf[self.forest.leaf], 0.0)
        agrees = np.add.reduceat(by_node, self.forest.start[:-1])
        return np.sort(np.argsort(-agrees, kind="stable")[:n_trees])


def mean_of_leaves(
    forest: ForestArrays, values: Floats, codes: Codes, *, n_jobs: int | None
) -> Floats:
    """Mean over trees of what their leaves say of rows, (n_rows, n_columns)."""
    ones = np.ones(forest.n_leaves)
    return LeafTable(values, ones, ones).place(forest, codes, n_jobs=n_jobs)
