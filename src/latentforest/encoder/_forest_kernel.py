"""The kernel of a forest between rows of tables: the scikit-learn face."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from latentforest._base._checks import check_option
from latentforest._base._random import RandomState, stage_rngs
from latentforest._base._types import Floats, LeafIds
from latentforest.encoder._fit import draw_landmarks, leaf_kernel
from latentforest.encoder._tree_weights import (
    TreeWeights,
    check_tree_weights,
    resolve_tree_weights,
)
from latentforest.forest import GrownForest, resolve_forest
from latentforest.kernel import BAG_KINDS, KERNEL_KINDS, LeafKernel
from latentforest.table import EncodedTable, TableCodec, remember_columns


class ForestKernel(BaseEstimator):
    """Similarity of rows by the leaves they share in a forest.

    The random forest kernel (Eq. 1 of the paper) averages, over trees, one divided by
    the number of training rows in the leaf that two rows share; between training rows
    it is symmetric, positive semi-definite, and its rows sum to 1.

    Parameters
    ----------
    forest : str or estimator, default="adversarial"
        "adversarial", "completely_random", "shi_horvath", "supervised", one of these
        forests as an object, or a fitted forest, which is used as it is.
    kind : {"rf", "scornet", "oob", "gap"}, default="rf"
        The random forest kernel; the share of trees in which two rows meet; the random
        forest kernel without trees that both rows are in bag in; proximities that
        reproduce out-of-bag predictions. The last two need a forest grown on bootstrap
        samples. See `LeafKernel` for formulas.
    tree_weights : str, int, array of float or None, default=None
        What trees count; see `RFAE`.
    landmarks : int or None, default=None
        Number of rows, drawn at random, that define the kernel; None takes all.
    kinds : dict or None, default=None
        Kinds of columns that shall not be inferred; see `TableCodec`.
    unseen : {"missing", "error"}, default="missing"
        Categories that ``fit`` has not seen: treat the cell as missing, with a
        warning, or refuse the table. Where levels are numbers in order (integers with
        few values), any number goes to the nearest level.
    random_state : int, Generator, RandomState or None, default=None
        Seed; also grows the forest unless that has a seed of its own.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.
    verbose : bool, default=False
        Show progress on standard error.

    Attributes
    ----------
    codec_ : TableCodec
        The columns; ``codec_.schema_.report()`` tells how they were read.
    table_ : EncodedTable
        The training rows.
    forest_ : ForestArrays
        The trees.
    grower_ : estimator
        The fitted forest estimator.
    leaf_ids_ : ndarray of shape (n_rows, n_trees)
        Leaves of the training rows.
    landmarks_ : ndarray of shape (n_landmarks,)
        The rows that define the kernel.
    leaf_kernel_ : LeafKernel
        The kernel between them.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, where the table has names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import ForestKernel
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> kernel = ForestKernel("completely_random", random_state=0).fit(X)
    >>> kernel.gram(X).sum(axis=1).round(6).min()
    np.float64(1.0)
    >>> setosa, virginica = X[:50], X[100:]
    >>> kernel.mmd(setosa, virginica) > kernel.mmd(setosa[::2], setosa[1::2])
    True
    """

    def __init__(
        self,
        forest: Any = "adversarial",
        *,
        kind: str = "rf",
        tree_weights: TreeWeights = None,
        landmarks: int | None = None,
        kinds: Mapping[Any, Any] | None = None,
        unseen: str = "missing",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.forest = forest
        self.kind = kind
        self.tree_weights = tree_weights
        self.landmarks = landmarks
        self.kinds = kinds
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow or read the forest and look up the leaves of all rows.

        Parameters
        ----------
        X : data frame, array of shape (n_rows, n_columns) or EncodedTable
            Numbers, booleans and categories; missing values are allowed.
        y : array of shape (n_rows,), default=None
            Target of a supervised forest; other forests ignore it.

        Returns
        -------
        self
        """
        check_option("kind", self.kind, KERNEL_KINDS)
        check_tree_weights(self.tree_weights)
        given = resolve_forest(self.forest)
        codec, table, _ = given.read(X, kinds=self.kinds, unseen=self.unseen)
        rngs = stage_rngs(self.random_state, "forest", "landmarks")
        landmarks = draw_landmarks(table.n_rows, self.landmarks, rngs["landmarks"])
        grown, grower = given.grow(
            table,
            y,
            rng=rngs["forest"],
            n_jobs=self.n_jobs,
            verbose=self.verbose,
            bags=self.kind in BAG_KINDS,
        )
        weights = resolve_tree_weights(self.tree_weights, grown)
        kernel = leaf_kernel(grown, self.kind, weights, landmarks, self.n_jobs)
        rows = np.arange(table.n_rows) if landmarks is None else landmarks
        return self.settle(codec, grower, grown, table, rows, kernel)

    def settle(
        self,
        codec: TableCodec,
        grower: Any,
        grown: GrownForest,
        table: EncodedTable,
        landmarks: NDArray[np.int64],
        kernel: LeafKernel,
    ) -> Self:
        """Take over what was fitted elsewhere."""
        self.codec_, self.grower_, self.table_ = codec, grower, table
        remember_columns(self, codec.schema_)
        self.forest_, self.leaf_ids_ = grown.forest, grown.leaf_ids
        self.landmarks_, self.leaf_kernel_ = landmarks, kernel
        return self

    def leaves(self, X: Any) -> LeafIds:
        """Leaf numbers, 0 … n_leaves - 1 over the whole forest, of every row.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        ndarray of shape (n_rows, n_trees)
        """
        check_is_fitted(self, "leaf_kernel_")
        values = self.codec_.encode(X, caller=type(self).__name__).values
        return self.forest_.leaves(values, n_jobs=self.n_jobs)

    def gram(self, X: Any, Y: Any = None) -> Floats:
        """Kernel between every row of ``X`` and every row of ``Y``.

        Parameters
        ----------
        X : data frame or array of shape (n_rows_x, n_columns)
            A table with the columns of the fitted one. The block is dense: keep the
            tables small.
        Y : data frame or array of shape (n_rows_y, n_columns), default=None
            Another such table; None takes ``X``.

        Returns
        -------
        ndarray of shape (n_rows_x, n_rows_y)
        """
        ids = self.leaves(X)
        return self.leaf_kernel_.gram(ids, ids if Y is None else self.leaves(Y))

    def features(self, X: Any) -> sp.csr_array:
        """Sparse features Φ of every row, with k(x, x') = ⟨φ(x), φ(x')⟩.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        sparse array of shape (n_rows, n_leaves)
        """
        return self.leaf_kernel_.features(self.leaves(X))

    def smooth(
        self, X: Any, y: ArrayLike, *, in_bag: ArrayLike | None = None
    ) -> Floats:
        """Predict ``y`` at the rows of ``X``: Σ_i k(x, x_i) y_i (Eq. 2).

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            Rows to predict at.
        y : array of shape (n_landmarks,) or (n_landmarks, n_outputs)
            Values at the rows that define the kernel.
        in_bag : array of shape (n_landmarks, n_trees), default=None
            Row weights in each tree, such as ``in_bag_`` of a supervised forest,
            under which the result is the forest's own prediction. ``kind="gap"`` knows
            them already.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_outputs)
        """
        ids = self.leaves(X)
        return self.leaf_kernel_.smooth(ids, y, in_bag=in_bag)

    def out_of_bag(self, y: ArrayLike) -> Floats:
        """Predict ``y`` at the training rows by trees that were grown without them.

        With ``kind="gap"`` this is the out-of-bag prediction of the forest, and with
        the identity matrix as ``y`` the proximities themselves.

        Parameters
        ----------
        y : array of shape (n_landmarks,) or (n_landmarks, n_outputs)
            Values at the rows that define the kernel.

        Returns
        -------
        ndarray of shape (n_landmarks,) or (n_landmarks, n_outputs)
        """
        check_is_fitted(self, "leaf_kernel_")
        return self.leaf_kernel_.out_of_bag(y)

    def mmd(self, X: Any, Y: Any) -> float:
        """Maximum mean discrepancy between two tables: 0 if they look alike.

        Parameters
        ----------
        X, Y : data frame or array of shape (n_rows, n_columns)
            Tables with the columns of the fitted one.

        Returns
        -------
        float
        """
        return self.leaf_kernel_.mmd(self.leaves(X), self.leaves(Y))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
