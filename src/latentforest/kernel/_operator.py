"""The kernel of a forest as an operator: products without the n × n matrix.

Notation: B trees, leaf l with mass m_l (the weight of the rows in it), scale s_l
(1/m_l for kind "rf", 1 for kind "scornet", times the factor v_b of its tree).
K = Π S Πᵀ / B where Π marks the leaves of each row; see `Bags` for kernels that know
who is in bag. d = K w are the degrees, W = diag(w), D = diag(d).
"""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator

from latentforest._base._checks import check_integer, check_option
from latentforest._base._types import Floats, Ints, LeafIds
from latentforest.kernel._bags import BAG_KINDS
from latentforest.kernel._gram import (
    check_gram_size,
    feature_matrix,
    gram_row_blocks,
)
from latentforest.kernel._graph import connected_components
from latentforest.kernel._index import LeafIndex, check_ids
from latentforest.kernel._products import kernel_dot
from latentforest.kernel._sums import (
    gather_from_leaves,
    leaf_mass,
    leaf_scale,
    leaf_sums,
)
from latentforest.kernel._weighing import WeighedLeaves

KERNEL_KINDS = ("rf", "scornet", *BAG_KINDS)


class LeafKernel(WeighedLeaves):
    """Kernel between rows that share leaves, k(x, y) = Σ_b 1[same leaf] s_leaf v_b / B.

    Parameters
    ----------
    index : LeafIndex
        Leaves of the rows that define the kernel.
    kind : {"rf", "scornet", "oob", "gap"}, default="rf"
        "rf" divides by the mass of the shared leaf, so that the kernel is the
        averaging that the forest predicts with and its rows sum to 1. "scornet" is
        the share of trees in which two rows meet. "oob" is "rf" without the trees that
        both rows are in bag in: Σ_b v_b 1[same leaf, not both in bag] / (B · mass).
        "gap" is (P + Pᵀ)/2, where p(i, j) = Σ_b v_b 1[same leaf] c_j(b) / M_leaf(b),
        over the trees that i is out of bag in and divided by the sum of their v_b; c_j
        are draws of j and M those of the leaf. P reproduces out-of-bag predictions
        (`out_of_bag`). The last two have negative eigenvalues too. A row that is in bag
        in all trees that count is taken as out of bag in all of them, like a new row.
    weights : array of float, shape (n_rows,), default=None
        Positive weights of the rows; None weighs every row 1. A row of weight 2
        acts as the same row twice.
    tree_weights : array of float, shape (n_trees,), default=None
        What trees count, at least 0; divided by their mean they are v_b. A tree of
        weight 0 is as if it were not there. None weighs all trees alike.
    in_bag : array of int, shape (n_rows, n_trees), default=None
        How often each tree has drawn each row; "oob" and "gap" ask for it.
    n_jobs : int, default=None
        Threads; results are the same for any number.

    Attributes
    ----------
    mass : array of float, shape (n_leaves,)
        Weight of the rows in each leaf; for "gap" of the draws.
    scale : array of float, shape (n_leaves,)
        s_leaf v_b; 0 in leaves without mass, but for "scornet".
    factors : array of float, shape (n_trees,), or None
        v_b; None where all are 1.
    bags : Bags or None
        Who is in bag, for "oob" and "gap".
    degrees : array of float, shape (n_rows,)
        Σ_j k(x_i, x_j) w_j, which is 1 for kind "rf".

    Notes
    -----
    Rows that are known by their leaves alone (`gram`, `features`, `smooth`, `mmd`) are
    new ones, out of bag everywhere, whatever the kind.

    Examples
    --------
    Two trees; rows 0 and 1 share a leaf in the first one only.

    >>> import numpy as np
    >>> index = LeafIndex(np.array([[0, 2], [0, 3], [1, 3]]), n_leaves=4)
    >>> kernel = LeafKernel(index)
    >>> kernel.gram(index.ids, index.ids)
    array([[0.75, 0.25, 0.  ],
           [0.25, 0.5 , 0.25],
           [0.  , 0.25, 0.75]])
    >>> LeafKernel(index, kind="gauss")
    Traceback (most recent call last):
    ...
    ValueError: kind='gauss' is not known. Choose one of 'rf', 'scornet', 'oob', 'gap'.
    """

    def __init__(
        self,
        index: LeafIndex,
        kind: str = "rf",
        *,
        weights: ArrayLike | None = None,
        tree_weights: ArrayLike | None = None,
        in_bag: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            index,
            check_option("kind", kind, KERNEL_KINDS),
            weights=weights,
            tree_weights=tree_weights,
            in_bag=in_bag,
            n_jobs=n_jobs,
        )
        self.degrees: Floats = (
            np.ones(index.n_rows) if self.kind == "rf" else self.dot(self.weights)
        )
        alone = np.flatnonzero(self.degrees <= 0)
        if len(alone):
            message = (
                f"kind={kind!r}: {len(alone)} of {index.n_rows} rows, row {alone[0]} "
                "first, share no leaf with a row that its tree was grown on. Take more "
                "landmarks, or grow more trees."
            )
            raise ValueError(message)

    @property
    def row_mass(self) -> Floats:
        """w_i d_i: the weight of each row in the long run of the random walk."""
        return self.weights * self.degrees

    def components(self) -> Ints:
        """Label the rows by connected component; see `connected_components`."""
        joins = self.scale > 0
        if self.bags is not None:
            joins &= self.bags.has_out
        return connected_components(self.index, joins)[0]

    def dot(self, vectors: ArrayLike) -> Floats:
        """Return K V for one vector (n_rows,) or several (n_rows, n_columns)."""
        return kernel_dot(
            self.index,
            self.scale,
            np.asarray(vectors, dtype=np.float64),
            bags=self.bags,
            n_jobs=self.n_jobs,
        )

    def symmetric_dot(self, vectors: ArrayLike) -> Floats:
        """Return A U with A = D^{-1/2} W^{1/2} K W^{1/2} D^{-1/2}.

        A has the eigenvalues of the random walk on the rows; its first eigenvector
        is proportional to the square root of ``row_mass``, with eigenvalue 1.
        """
        given = np.asarray(vectors, dtype=np.float64)
        root = np.sqrt(self.weights / self.degrees)
        root = root if given.ndim == 1 else root[:, None]
        return root * self.dot(root * given)

    def as_linear_operator(self) -> LinearOperator:
        """Return A as a SciPy operator, for eigensolvers."""
        n_rows = self.index.n_rows
        return LinearOperator(
            shape=(n_rows, n_rows),
            matvec=lambda vector: self.symmetric_dot(vector.reshape(n_rows)),
            rmatvec=lambda vector: self.symmetric_dot(vector.reshape(n_rows)),
            matmat=self.symmetric_dot,
            rmatmat=self.symmetric_dot,
            dtype=np.float64,
        )

    def _check_ids(self, ids: ArrayLike) -> LeafIds:
        return check_ids(ids, n_leaves=self.index.n_leaves, n_trees=self.index.n_trees)

    def gram(self, ids_a: ArrayLike, ids_b: ArrayLike) -> Floats:
        """Return the dense block k(a, b) between rows given by their leaves.

        Blocks of more than 4 GiB are refused; see ``gram_blocks``.
        """
        rows_a, rows_b = self._check_ids(ids_a), self._check_ids(ids_b)
        check_gram_size(rows_a.shape[0], rows_b.shape[0])
        for _, _, block in self.gram_blocks(
            rows_a, rows_b, block=max(1, rows_a.shape[0])
        ):
            return block
        return np.zeros((0, rows_b.shape[0]))

    def gram_blocks(
        self, ids_a: ArrayLike, ids_b: ArrayLike, *, block: int = 1024
    ) -> Iterator[tuple[int, int, Floats]]:
        """Yield ``(start, stop, k(a[start:stop], b))``, ``block`` rows at a time."""
        return gram_row_blocks(
            self._check_ids(ids_a),
            self._check_ids(ids_b),
            self.scale / self.index.n_trees,
            block=check_integer("block", block, minimum=1),
            n_jobs=self.n_jobs,
        )

    def features(self, ids: ArrayLike) -> sp.csr_array:
        """Return sparse features Φ (n_rows, n_leaves) with k(a, b) = Φ_a Φ_bᵀ."""
        return feature_matrix(self._check_ids(ids), self.scale / self.index.n_trees)

    def smooth(
        self,
        ids: ArrayLike,
        y: ArrayLike,
        *,
        in_bag: ArrayLike | None = None,
    ) -> Floats:
        """Predict at new rows: Σ_j k(x, x_j) w_j y_j.

        For kind "rf" this is the prediction of the forest itself; for "gap" that of one
        grown on bootstrap samples.

        Parameters
        ----------
        ids : array of int, shape (n_new, n_trees)
            Leaf numbers of the rows to predict at.
        y : array of float, shape (n_rows,) or (n_rows, n_outputs)
            Values at the rows that define the kernel; one-hot rows for classes.
        in_bag : array of float, shape (n_rows, n_trees), default=None
            Weights of the rows in each tree, used in place of the row weights: the
            draws of a bootstrap forest.

        Returns
        -------
        array of float, shape (n_new,) or (n_new, n_outputs)
        """
        targets = np.asarray(y, dtype=np.float64)
        columns = targets.reshape(targets.shape[0], -1)
        scale = self.scale
        if in_bag is None:
            sums = self.leaf_sums(columns)
        else:
            mass = leaf_mass(self.index, in_bag, n_jobs=self.n_jobs)
            sums = leaf_sums(self.index, columns, weights=in_bag, n_jobs=self.n_jobs)
            scale = leaf_scale(mass, self.kind, self.index.by_leaf(self.every_factor))
        sums *= scale[:, None] / self.index.n_trees
        leaves = self._check_ids(ids)
        smoothed = gather_from_leaves(leaves, sums, n_jobs=self.n_jobs)
        return smoothed.reshape(leaves.shape[0], *targets.shape[1:])

    def out_of_bag(self, y: ArrayLike) -> Floats:
        """Predict at the rows themselves, each by the trees that it is out of bag in.

        For kind "gap" this is P y, the out-of-bag prediction of the forest. For "oob"
        leaves speak with the mean of all their rows. The row itself is left out, also
        where it is in bag in all trees and all of them are asked.

        Parameters
        ----------
        y : array of float, shape (n_rows,) or (n_rows, n_outputs)
            Values at the rows; one-hot rows for classes.

        Returns
        -------
        array of float, shape (n_rows,) or (n_rows, n_outputs)
        """
        targets = np.asarray(y, dtype=np.float64)
        columns = targets.reshape(targets.shape[0], -1)
        return self.outside_means(columns).reshape(targets.shape)

    def mmd(self, ids_a: ArrayLike, ids_b: ArrayLike) -> float:
        """Maximum mean discrepancy between two samples of rows.

        The biased estimate with the diagonal, from leaf shares alone:
        MMD² = Σ_leaf s_leaf (share of a − share of b)² / B. Zero for samples with
        the same leaf shares.
        """
        gap = self._leaf_shares(ids_a) - self._leaf_shares(ids_b)
        return float(np.sqrt(np.sum(self.scale * gap**2) / self.index.n_trees))

    def _leaf_shares(self, ids: ArrayLike) -> Floats:
        sample = LeafIndex(self._check_ids(ids), self.index.n_leaves)
        return leaf_mass(sample, np.ones(sample.n_rows), n_jobs=self.n_jobs) / (
            sample.n_rows
        )
