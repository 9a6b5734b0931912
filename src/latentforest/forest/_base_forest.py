"""What all forests that we grow have in common: the scikit-learn face."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from latentforest._base._checks import check_integer
from latentforest._base._errors import SchemaError
from latentforest._base._random import RandomState, stage_rngs
from latentforest._base._section import NewSection, Section
from latentforest._base._types import LeafIds
from latentforest.forest._growing._bins import MAX_BINS
from latentforest.forest._growing._grow import GrownForest
from latentforest.table import (
    EncodedTable,
    TableCodec,
    TableSchema,
    remember_columns,
)

MOST_TREES = 100_000


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
        """Grow the trees on an encoded table."""

    def check(self) -> None:
        """Check how much there is to grow."""
        check_integer("n_estimators", self.n_estimators, minimum=1, maximum=MOST_TREES)

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
        rng = stage_rngs(self.random_state, "forest")["forest"]
        self.grow_on(TableCodec().fit_encode(X), y, rng)
        return self

    def grow_on(
        self, encoded: EncodedTable, y: Any, rng: np.random.Generator
    ) -> GrownForest:
        """Fit on an encoded table; also return the leaves of its rows."""
        self.check()
        self.codec_ = TableCodec.from_schema(encoded.schema)
        remember_columns(self, encoded.schema)
        _check_levels(encoded.schema)
        grown = self.grow(encoded.at_edges(), y, rng)
        self.forest_ = grown.forest
        return grown

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
        encoded = self.codec_.encode(X, caller=type(self).__name__)
        return self.forest_.route(encoded.values, n_jobs=self.n_jobs)

    def response_of(self, rows: NDArray[np.integer]) -> NDArray[Any] | None:
        """Return what ``y`` was for some of the rows; None if it was not asked."""
        return None

    def fits_in_file(self) -> bool:
        """Whether a model file can hold all that was fitted."""
        return True

    def put(self, new: NewSection) -> None:
        """Write what was fitted, beside the trees, to a model file."""

    def take(self, section: Section) -> None:
        """Read what ``put`` wrote; the trees are there already."""

    def _progress(self, what: str) -> str | None:
        """Name of the job on the progress bar; None where nothing shall be shown."""
        return what if self.verbose else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags


def _check_levels(schema: TableSchema) -> None:
    for name, n_levels in zip(schema.names, schema.split_levels, strict=True):
        if n_levels > MAX_BINS:
            message = (
                f"Column {name!r} has {n_levels} levels, more than the {MAX_BINS} that "
                "a split can tell apart. Drop it if it is an id, or convert it."
            )
            raise SchemaError(message)
