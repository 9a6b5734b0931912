"""What all autoencoders of tables have in common: there and back again."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from latentforest._long import measure_rows, reconstruct_rows
from latentforest.batches import open_batches
from latentforest.decode import Decoder
from latentforest.metrics import Distortion, Yardstick, distortion
from latentforest.table import TableSchema, Whole, index_of


class TableAutoencoder(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
):
    """A transformer of tables whose output can be turned back into rows."""

    decoder_: Decoder
    schema_: TableSchema

    @abstractmethod
    def _encode(self, X: Any) -> Any:
        """Return what ``transform`` returns, as an array."""

    def _sent(self) -> Callable[[Any], Any]:
        """Return what encodes pieces of long tables, maybe on another machine."""
        return self._encode

    def inverse_transform(self, Z: Any) -> Any:
        """Rows of the table at given codes.

        Parameters
        ----------
        Z : array of shape (n_rows, n_features_out)
            Codes as ``transform`` gives them.

        Returns
        -------
        table like the fitted one
            The same library, columns, dtypes and levels.
        """
        check_is_fitted(self, "decoder_")
        return self.decoder_.predict(Z, index=index_of(Z))

    def reconstruct(self, X: Any) -> Any:
        """Encode the rows of a table and decode them again.

        Training rows, and copies of them, come back better than new rows do.

        Parameters
        ----------
        X : data frame, array of shape (n_rows, n_columns), dict or list of dicts
            A table with the columns of the fitted one; or rows, each a dict of column
            name to cell.

        Returns
        -------
        table like the fitted one
        """
        check_is_fitted(self, "decoder_")
        batches = open_batches(X, schema=self.schema_)
        if not isinstance(batches, Whole):
            return reconstruct_rows(self._sent(), self.decoder_, batches)
        return self.decoder_.predict(self._encode(X), index=index_of(X))

    def distortion(self, X: Any) -> Distortion:
        """Return what the rows of a table lose on the way there and back.

        Measured by the spread of the training rows, so that a single row has a
        distortion too; see `latentforest.metrics.distortion` for the paper's measure,
        which takes that of the rows themselves. Training rows have shaped the map:
        they lose less than new rows do.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one. Rows that were trained on lose
            less than new ones.

        Returns
        -------
        Distortion
            One value per column, beside what guessing would lose, and their mean.
        """
        check_is_fitted(self, "decoder_")
        batches = open_batches(X, schema=self.schema_)
        measure = self.yardstick_
        if not isinstance(batches, Whole):
            return measure_rows(self._sent(), self.decoder_, batches, measure)
        return distortion(X, self.reconstruct(X), training=measure)

    @property
    @abstractmethod
    def yardstick_(self) -> Yardstick:
        """Means, spreads and commonest levels of the training rows."""

    def score(self, X: Any, y: Any = None) -> float:
        """Return 1 minus the mean distortion of the reconstructed table.

        The spread of a number is that of the training rows; see ``distortion``.
        Training rows have shaped the map: their score is higher than that of new rows.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.
        y : None
            Ignored.

        Returns
        -------
        float
            1 for a perfect reconstruction.
        """
        return 1.0 - float(self.distortion(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
