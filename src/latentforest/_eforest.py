"""AutoEncoder by Forest: leaves as the code, the region where they meet as the row."""

from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from latentforest._base._parallel import n_workers
from latentforest._base._random import RandomState, stage_rngs
from latentforest._base._types import LeafIds
from latentforest._reconstruction import TableAutoencoder
from latentforest.decode import DecoderContext, RegionDecoder
from latentforest.forest import resolve_forest
from latentforest.metrics import Yardstick
from latentforest.table import remember_columns


class EForest(TableAutoencoder):
    """Autoencode tables by the leaves of a forest (Feng and Zhou, 2018).

    The code of a row is its leaf in every tree, and a row is decoded where its leaves
    meet. Nothing is compressed: B numbers per row, one for each tree, stand for the
    columns of the table. It shows how much of a table the leaves of a forest hold, a
    bound on what `RFAE` can recover from fewer numbers.

    Encoding takes one pass down each tree and decoding one back, O(B · depth) steps
    per row; the codes of the training rows take 4 bytes per row and tree.

    Parameters
    ----------
    forest : str or estimator, default="completely_random"
        "adversarial", "completely_random", "shi_horvath" or "supervised" (which
        needs ``y``); one of these forests as an object with its own settings; or a
        fitted forest of this package or of scikit-learn, which is used as it is.
    point : {"middle", "draw"}, default="middle"
        The row made in a region: its middle, with the most frequent level, or drawn
        uniformly.
    kinds : dict or None, default=None
        Column name to "continuous", "integer", "boolean", "category", "ordered" or
        "datetime", for columns whose kind shall not be inferred; or to a list of the
        levels of a column in order, such as ``["low", "mid", "high"]``.
    unseen : {"missing", "error"}, default="missing"
        Categories that ``fit`` has not seen: treat the cell as missing, with a
        warning, or refuse the table. Where levels are numbers in order (integers with
        few values), any number goes to the nearest level.
    random_state : int, Generator, RandomState or None, default=None
        Seed. The same seed gives the same result, whatever ``n_jobs`` is.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.
    verbose : bool, default=False
        Show progress on standard error.

    Attributes
    ----------
    forest_ : ForestArrays
        The trees.
    grower_ : estimator
        The fitted forest estimator.
    codec_ : TableCodec
        Tables to codes and back.
    schema_ : TableSchema
        The columns; ``schema_.report()`` tells how they were read, and why.
    decoder_ : RegionDecoder
        The fitted decoder.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, where the table has names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import EForest
    >>> table = load_iris(as_frame=True).frame
    >>> model = EForest(random_state=0)
    >>> leaves = model.fit_transform(table)
    >>> leaves.shape
    (150, 500)
    >>> decoded = model.inverse_transform(leaves)
    >>> bool((model.transform(decoded) == leaves).all())
    True
    >>> model.score(table) > 0.9
    True
    """

    def __init__(
        self,
        forest: Any = "completely_random",
        *,
        point: Literal["middle", "draw"] = "middle",
        kinds: Any = None,
        unseen: str = "missing",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.forest = forest
        self.point = point
        self.kinds = kinds
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow or read the forest.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            Numbers, booleans and categories; missing values are allowed.
        y : array of shape (n_rows,), default=None
            Target of a supervised forest; other forests ignore it.

        Returns
        -------
        self
        """
        self._grow(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit as ``fit`` does, and return the leaves of the training rows."""
        return self._grow(X, y)

    def transform(self, X: Any) -> Any:
        """Leaves of the rows of a table.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        ndarray of int32 of shape (n_rows, n_trees)
            Leaf numbers, 0 … n_leaves - 1 over the whole forest.
        """
        check_is_fitted(self, "decoder_")
        return self._encode(X)

    def _grow(self, X: Any, y: Any) -> LeafIds:
        n_workers(self.n_jobs)
        decoder = RegionDecoder(point=self.point, n_jobs=self.n_jobs)
        decoder.check()
        given = resolve_forest(self.forest)
        rngs = stage_rngs(self.random_state, "forest", "decoder")
        self.codec_, table, _ = given.read(X, kinds=self.kinds, unseen=self.unseen)
        self.schema_ = self.codec_.schema_.warned()
        remember_columns(self, self.schema_)
        grown, self.grower_ = given.grow(
            table, y, rng=rngs["forest"], n_jobs=self.n_jobs, verbose=self.verbose
        )
        self.forest_ = grown.forest
        context = DecoderContext(table, grown.leaf_ids.astype(np.float64), grown)
        self.decoder_ = decoder.fit_context(context, rngs["decoder"])
        self._yardstick = Yardstick.of_table(table)
        return grown.leaf_ids

    @property
    def yardstick_(self) -> Yardstick:
        """Means, spreads and commonest levels of the training rows."""
        return self._yardstick

    def _encode(self, X: Any) -> LeafIds:
        encoded = self.codec_.encode(X, caller=type(self).__name__)
        return self.forest_.leaves(encoded.values, n_jobs=self.n_jobs)

    @property
    def _n_features_out(self) -> int:
        return self.forest_.n_trees

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # leaves are numbers of their own
        return tags
