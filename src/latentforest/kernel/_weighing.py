"""What rows, trees and leaves weigh, by the kind of the kernel."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latentforest._base._parallel import n_workers
from latentforest._base._types import Floats
from latentforest.kernel._bags import BAG_KINDS, Bags, check_in_bag
from latentforest.kernel._index import LeafIndex, check_weights, tree_factors
from latentforest.kernel._sums import divide_or_zero, leaf_scale, leaf_sums


class WeighedLeaves:
    """Leaves, and what each of them weighs; see `LeafKernel`."""

    def __init__(
        self,
        index: LeafIndex,
        kind: str,
        *,
        weights: ArrayLike | None,
        tree_weights: ArrayLike | None,
        in_bag: ArrayLike | None,
        n_jobs: int | None,
    ) -> None:
        n_workers(n_jobs)
        self.index, self.kind, self.n_jobs = index, kind, n_jobs
        self.weights = check_weights(weights, index.n_rows)
        self.factors = tree_factors(tree_weights, index.n_trees)
        draws = check_in_bag(in_bag, index, kind) if kind in BAG_KINDS else None
        self._draws = draws if kind == "gap" else None
        self.mass: Floats = self.leaf_sums(np.ones((index.n_rows, 1)))[:, 0]
        factors = None if self.factors is None else index.by_leaf(self.factors)
        self.scale = leaf_scale(self.mass, kind, factors)
        self.bags: Bags | None = None
        if draws is not None:
            self.bags = Bags.of_kernel(index, kind, draws, self.mass, self.every_factor)

    @property
    def every_factor(self) -> Floats:
        """v_b of every tree."""
        return np.ones(self.index.n_trees) if self.factors is None else self.factors

    def leaf_sums(self, values: Floats) -> Floats:
        """Sum rows over leaves as new rows see them, (n_leaves, n_columns).

        Each row counts its weight; for "gap", that times its draws in the tree.
        """
        if self._draws is None:
            return leaf_sums(
                self.index, values, weights=self.weights, n_jobs=self.n_jobs
            )
        weighted = self.weights[:, None] * values
        return leaf_sums(self.index, weighted, weights=self._draws, n_jobs=self.n_jobs)

    def outside_means(
        self, values: Floats, group: NDArray[np.int64] | None = None
    ) -> Floats:
        """Return what leaves say to rows that are out of bag, but for their group.

        Rows with the same number in ``group``, counted from 0, are copies, and are left
        out together; None leaves out each row alone.
        """
        if self.bags is None:
            message = (
                f"kind={self.kind!r} does not know which rows are out of bag. "
                f"Choose one of {', '.join(map(repr, BAG_KINDS))}."
            )
            raise ValueError(message)
        out, degree = self.bags.outside_means(
            self.index,
            values,
            self.leaf_sums(values),
            self.mass,
            self.every_factor,
            self.weights,
            np.arange(self.index.n_rows) if group is None else group,
            n_jobs=self.n_jobs,
        )
        return divide_or_zero(out, degree)
