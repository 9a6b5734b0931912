"""Leaves from kernel rows by the exclusive lasso and greedy search."""

from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from latentforest._base._checks import check_integer, check_real
from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._section import Section
from latentforest._base._types import Coords, LeafIds
from latentforest._base._values import damaged
from latentforest.decode._context import DecoderContext
from latentforest.decode._leaves._greedy import ConsistentLeaves, join_consistent
from latentforest.decode._leaves._kernel_decoder import (
    ROWS_AT_ONCE,
    KernelLeafDecoder,
)
from latentforest.decode._leaves._kernel_rows import estimate_kernel_rows
from latentforest.decode._leaves._lasso_search import LassoSearch
from latentforest.regions import Regions


class LassoDecoder(KernelLeafDecoder):
    """Find the leaves of a row by sparse regression of its kernel row (Sect. 4.1).

    The coordinates give an estimate of the row of the kernel, K̂₀ = 1/n + Z₀ Λ Z†;
    the exclusive lasso explains it by fuzzy leaves, and greedy search makes them
    definite so that all meet (appendix of the paper). The row is made where they
    meet. Use it to study leaf assignments: with few components the estimate is
    coarse, and nearest neighbours are the better decoder. It needs the coordinates
    of `RFAE` with ``kernel="rf"``.

    Decoding takes about 3 ms per row and core with 50 trees, and ten times as long
    with 500.

    Parameters
    ----------
    sparsity : int, default=100
        Rows of the kernel with the largest entries that take part, all others count
        as strangers.
    penalty : float, default=0.0001
        λ, how hard the leaves of a tree compete.
    n_trees : int or None, default=None
        Use only the first trees of the forest; None uses all.
    point : {"middle", "draw"}, default="middle"
        Take the middle of the region where the leaves meet, or draw uniformly in it.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, CompletelyRandomForest, LassoDecoder
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> forest = CompletelyRandomForest(20)
    >>> model = RFAE(10, forest=forest, decoder=LassoDecoder(), random_state=0).fit(X)
    >>> model.reconstruct(X.iloc[:1])
       sepal length (cm)  sepal width (cm)  petal length (cm)  petal width (cm)
    0                5.0               3.4                1.4               0.2
    """

    def __init__(
        self,
        sparsity: int = 100,
        *,
        penalty: float = 1e-4,
        n_trees: int | None = None,
        point: Literal["middle", "draw"] = "middle",
        n_jobs: int | None = None,
    ) -> None:
        self.sparsity = sparsity
        self.penalty = penalty
        self.n_trees = n_trees
        self.point = point
        self.n_jobs = n_jobs

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        check_integer("sparsity", self.sparsity, minimum=1)
        check_real("penalty", self.penalty, minimum=0.0)

    def make_search(self, leaf_ids: LeafIds, rng: np.random.Generator) -> LassoSearch:
        """Prepare the exclusive lasso and the greedy search."""
        return LassoSearch(
            self.forest_,
            self.facts_,
            leaf_ids[:, : self.forest_.n_trees],
            rng,
            sparsity=self.sparsity,
            penalty=self.penalty,
        )

    def take(self, section: Section, context: DecoderContext) -> None:
        """Read what was learned; the lasso needs a finite penalty."""
        if not np.isfinite(self.penalty):
            raise damaged("the penalty of the decoder is not finite")
        super().take(section, context)

    def regions(self, coords: Coords) -> Regions:
        """Where the leaves of each row of coordinates meet."""
        return self._find(coords).regions

    def assign(self, Z: Any) -> LeafIds:
        """Leaves at given coordinates, one in each tree, that all meet.

        Parameters
        ----------
        Z : array of shape (n_rows, n_components)
            Coordinates.

        Returns
        -------
        ndarray of shape (n_rows, n_trees)
            Forest-wide leaf numbers.
        """
        check_is_fitted(self, "search_")
        return self._find(check_array(Z, dtype=np.float64)).leaf_ids

    def _find(self, coords: Coords) -> ConsistentLeaves:
        def work(block: tuple[int, int]) -> ConsistentLeaves:
            rows = estimate_kernel_rows(coords[slice(*block)], self.weights_)
            return self.search_.find(rows)

        blocks = list(blocks_of(len(coords), ROWS_AT_ONCE)) or [(0, 0)]
        return join_consistent(run_blocks(work, blocks, n_jobs=self.n_jobs))
