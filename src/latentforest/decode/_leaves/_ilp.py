"""The best leaves there are: the integer program of the paper, solved exactly."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from latentforest._base._checks import check_real
from latentforest._base._parallel import run_blocks
from latentforest._base._room import Demand
from latentforest._base._types import Bools, Coords, Floats, LeafIds
from latentforest._base._warn import warn
from latentforest.decode._context import DecoderContext
from latentforest.decode._leaves._exact_search import (
    BestLeaves,
    best_leaves,
    group_kernel_rows,
)
from latentforest.decode._leaves._greedy import agreeing_regions
from latentforest.decode._leaves._kernel_decoder import KernelLeafDecoder
from latentforest.decode._leaves._kernel_rows import estimate_kernel_rows
from latentforest.decode._leaves._lasso_search import LassoSearch
from latentforest.regions import Regions

A_DAY = 86_400.0  # seconds


class ILPWarning(UserWarning):
    """Some leaves are the best found in time, not proven to be the best there are."""


@dataclass(frozen=True, slots=True, eq=False)
class LeafAssignment:
    """Leaves of each row, and how good they are.

    Attributes
    ----------
    leaf_ids : ndarray of shape (n_rows, n_trees)
        Forest-wide leaf numbers, one per tree; the leaves of a row meet.
    objective : ndarray of shape (n_rows,)
        ‖B k̂₀ᵀ − Π S ψᵀ‖₁, what the leaves leave unexplained of the kernel row.
    bound : ndarray of shape (n_rows,)
        No leaves that meet have a smaller objective.
    proven : ndarray of bool, shape (n_rows,)
        Whether the leaves are proven to be the best, to nine digits.
    """

    leaf_ids: LeafIds
    objective: Floats
    bound: Floats
    proven: Bools

    @property
    def gap(self) -> Floats:
        """(objective − bound) / objective of each row; 0 where proven."""
        apart = self.objective - self.bound
        open_rows = ~self.proven & (self.objective > 0)
        return np.divide(
            apart, self.objective, out=np.zeros_like(apart), where=open_rows
        )


class ILPDecoder(KernelLeafDecoder):
    """Find the leaves of a row exactly, by the integer program of Eq. 5.

    Of all leaves, one per tree, that have a point in common, take those that explain
    the estimated kernel row best: min ‖B k̂₀ᵀ − Π S ψᵀ‖₁. With all components, hence
    the exact kernel row, these are the true leaves or leaves with the same kernel
    row. It is meant for small forests, and as the ground truth for
    `LassoDecoder`, which is where its search starts from: it is never worse.

    The search is a branch and bound of our own; how it prunes is said in
    ``decode/_leaves/_branch_loops.py``. With 10 trees and up to 1,000 rows most rows
    take less than a second; the time grows exponentially with the number of trees.
    Where it ends at the time limit, the result may differ from one run to the next.

    Parameters
    ----------
    n_trees : int or None, default=10
        Use only the first trees of the forest; None uses all.
    time_limit : float, default=10.0
        Seconds of search per row, at most a day; what has to be compiled first does not
        count. Then the best leaves found so far are taken.
    point : {"middle", "draw"}, default="middle"
        Take the middle of the region where the leaves meet, or draw uniformly in it.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, CompletelyRandomForest, ILPDecoder
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> forest = CompletelyRandomForest(20)
    >>> model = RFAE(10, forest=forest, decoder=ILPDecoder(), random_state=0).fit(X)
    >>> model.decoder_.assign(model.transform(X[:1])).proven
    array([ True])
    """

    sparsity = 100  # of the lasso that the search begins with

    def __init__(
        self,
        *,
        n_trees: int | None = 10,
        time_limit: float = 10.0,
        point: Literal["middle", "draw"] = "middle",
        n_jobs: int | None = None,
    ) -> None:
        self.n_trees = n_trees
        self.time_limit = time_limit
        self.point = point
        self.n_jobs = n_jobs

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        check_real("time_limit", self.time_limit, minimum=0.0, maximum=A_DAY)

    def demand(self, context: DecoderContext) -> Demand:
        """Add the search for equal rows of the kernel, and what each depth keeps."""
        assert context.spectrum is not None, "needs() was checked"
        ids, n_trees = context.spectrum.leaf_ids, self.forest_.n_trees
        kept = len(ids) + self.forest_.n_leaves + self.forest_.n_columns
        sorts = ids.size * len(ids).bit_length()
        own = Demand(16 * ids.size + 48 * len(ids) * n_trees, sorts)
        return super().demand(context) + own + Demand(24 * (n_trees + 1) * kept)

    def make_search(self, leaf_ids: LeafIds, rng: np.random.Generator) -> LassoSearch:
        """Prepare a search that begins with the leaves of the lasso."""
        n_trees = self.forest_.n_trees
        used = leaf_ids[:, :n_trees]
        search = LassoSearch(
            self.forest_, self.facts_, used, rng, sparsity=self.sparsity
        )
        self.groups_ = group_kernel_rows(leaf_ids, n_trees, search.leaf_scale)
        return search

    def regions(self, coords: Coords) -> Regions:
        """Where the leaves of each row of coordinates meet.

        Warns
        -----
        ILPWarning
            If the time limit has ended some searches.
        """
        found = self._assign(coords)
        if not found.proven.all():
            n_open = np.count_nonzero(~found.proven)
            message = (
                f"The leaves of {n_open} of {len(coords)} rows are not proven to be "
                f"the best: time_limit={self.time_limit} s per row was reached, and "
                f"the largest gap is {found.gap.max():.0%}. Raise time_limit, or "
                "lower n_trees."
            )
            warn(message, ILPWarning)
        return agreeing_regions(
            self.search_.boxes, self.search_.start, found.leaf_ids, n_jobs=self.n_jobs
        )

    def assign(self, Z: Any) -> LeafAssignment:
        """Leaves at given coordinates, one in each tree, that all meet.

        Parameters
        ----------
        Z : array of shape (n_rows, n_components)
            Coordinates.

        Returns
        -------
        LeafAssignment
        """
        check_is_fitted(self, "search_")
        return self._assign(check_array(Z, dtype=np.float64))

    def _assign(self, coords: Coords) -> LeafAssignment:
        search = self.search_

        def work(row: int) -> BestLeaves:
            kernel_rows = estimate_kernel_rows(coords[row : row + 1], self.weights_)
            return best_leaves(
                self.groups_,
                search.boxes,
                search.start,
                self.groups_.targets(kernel_rows[0]),
                search.find(kernel_rows).leaf_ids[0],
                time_limit=self.time_limit,
            )

        found = run_blocks(work, range(len(coords)), n_jobs=self.n_jobs)
        leaves = np.array([row.leaves for row in found], np.int32)
        return LeafAssignment(
            leaves.reshape(len(found), search.boxes.n_trees),
            np.array([row.objective for row in found]),
            np.array([row.bound for row in found]),
            np.array([row.proven for row in found], np.bool_),
        )
