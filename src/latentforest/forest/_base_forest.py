"""What all forests that we grow have in common: the scikit-learn face."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from latentforest._base._checks import check_integer
from latentforest._base._random import RandomState, stage_rngs
from latentforest._base._types import LeafIds
from latentforest.forest._grow import GrownForest
from latentforest.table import EncodedTable, TableCodec


class BaseForest(BaseEstimator):
    """A forest that can be fitted on any table and knows the leaf of every row."""

    n_estimators: int
    random_state: RandomState
    n_jobs: int | None
    verbose: bool

    @abstractmethod
    def grow(
        self, encoded: EncodedTable, y: Any, rng: np.random.Generator
    ) -> GrownForest:
        """Grow the forest on an encoded table; sets the fitted attributes."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow the forest on a table.

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
        check_integer("n_estimators", self.n_estimators, minimum=1)
        self.codec_ = TableCodec().fit(X)
        encoded = self.codec_.encode(X)
        rng = stage_rngs(self.random_state, "forest")["forest"]
        self.forest_ = self.grow(encoded, y, rng).forest
        return self

    def apply(self, X: Any) -> LeafIds:
        """Leaf node of every row in every tree, as in scikit-learn.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        ndarray of shape (n_rows, n_estimators)
        """
        check_is_fitted(self, "forest_")
        return self.forest_.route(self.codec_.encode(X).values, n_jobs=self.n_jobs)

    def _progress(self, what: str) -> str | None:
        """Name of the job on the progress bar; None where nothing shall be shown."""
        return what if self.verbose else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
