"""The fitted half of the autoencoder: what an encoder and a decoder can do together."""

from copy import copy, deepcopy
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from latentforest._base._warn import warn
from latentforest._fitted import FittedParts
from latentforest._long import (
    decode_rows,
    open_source,
    place_rows,
    place_with_kept,
)
from latentforest._settings import is_auto, refined_decoder, resolve_refinement
from latentforest.batches import open_batches
from latentforest.decode import (
    AutoDecoder,
    Calibration,
    SpreadingDecoder,
    Uncertainty,
    calibrate,
    spreading,
)
from latentforest.encoder import fill_from_rows
from latentforest.refine import Refinement
from latentforest.table import (
    COORDS,
    Batches,
    EncodedTable,
    Whole,
    fill_table,
    index_of,
    is_anndata,
)


def check_model(model: Any, fitted: str = "encoder_") -> None:
    """Refuse what has no latent coordinates, and what is not fitted yet."""
    if not isinstance(model, LatentModel):
        message = (
            f"model is of type {type(model).__name__}, which has no latent "
            "coordinates. Give a fitted RFAE."
        )
        raise TypeError(message)
    check_is_fitted(model, fitted)


class LatentModel(FittedParts):
    """Coordinates and back."""

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit as ``fit`` does, and return the coordinates of all rows of the table."""
        source = open_source(X, self)
        self.fit(source if isinstance(source, Batches) else X, y)
        if is_anndata(X):
            return X.obsm[COORDS].copy()
        return self._place_all(source)

    def _note_coords(self, X: Any) -> Self:
        """Leave coordinates in an AnnData, where its users look for them."""
        table = X.table if isinstance(X, Whole) else X
        if is_anndata(table):
            table.obsm[COORDS] = self._place_all(Whole(table))
        return self

    def _place_all(self, source: Any) -> Any:
        """Coordinates of all rows of the table that the model was fitted on."""
        if self._kept.is_all and isinstance(source, Whole | EncodedTable):
            # A copy: what is done to the result must not move the model's own rows.
            return self.embedding_.copy()
        if isinstance(source, EncodedTable):
            coords = self.encoder_.locate(source.values)
            coords[self._kept.rows()] = self.embedding_
            return coords
        return place_with_kept(self._placer, source, self._kept, self.embedding_)

    def transform(self, X: Any, *, to: Any = None) -> Any:
        """Coordinates of the rows of a table.

        By the Nyström formula; a refined model gives each row a start and moves it to
        where the decoder comes closest to it. Training rows, and copies of them, get
        their own coordinates, those of ``embedding_``.

        Parameters
        ----------
        X : data frame, array of shape (n_rows, n_columns), dict or list of dicts
            A table with the columns of the fitted one; or rows, each a dict of column
            name to cell; or any other source of a table, see ``fit``. An AnnData gets
            the coordinates as ``obsm["X_rfae"]``, too.
        to : path or None, default=None
            A new folder: the coordinates are written there, as Parquet files, and
            never in memory all at once.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
            A lazy one for Dask; the folder, if ``to`` is given.
        """
        check_is_fitted(self, "encoder_")
        source = open_batches(X, schema=self.schema_, progress=self.verbose)
        if to is None and isinstance(source, Whole):
            coords = self._encode(X)
            if is_anndata(X):
                X.obsm[COORDS] = coords.copy()
            return coords
        return place_rows(self._placer, source, to)

    def inverse_transform(
        self, Z: Any, *, return_uncertainty: bool = False, to: Any = None
    ) -> Any:
        """Rows of the table at given coordinates.

        Parameters
        ----------
        Z : array of shape (n_rows, n_components)
            Latent coordinates, of rows or of any point between them; or any source of
            them that ``transform`` takes or makes, such as a folder of files.
        return_uncertainty : bool, default=False
            Return a pair: the rows, and how sure each cell is. Decoders that blend or
            copy rows can tell: "knn", "local_linear", "packed" and "auto". The first
            call calibrates on training rows that are held back in turn. Far from all
            rows (see `reach_`) intervals grow with the distance to the nearest, and
            probabilities go to the shares of levels in the training rows.
        to : path or None, default=None
            A new folder: the rows are written there, as Parquet files.

        Returns
        -------
        table like the fitted one
            The same library, columns, dtypes and levels; the folder, if ``to`` is
            given.
        uncertainty : Uncertainty
            Only if asked for: ``std``, ``interval(0.9)`` and ``probabilities``.
        """
        check_is_fitted(self, "decoder_")
        source = open_batches(Z, progress=self.verbose)
        if to is not None or not isinstance(source, Whole):
            if return_uncertainty:
                message = (
                    "return_uncertainty=True is for coordinates in memory, and without "
                    "to. Give the coordinates in parts."
                )
                raise ValueError(message)
            return decode_rows(self.decoder_, source, to)
        if not return_uncertainty:
            return super().inverse_transform(Z)
        decoder, coords = spreading(self.decoder_), self.decoder_.check_coords(Z)
        if self._calibration is None:
            self._calibration = self._calibrate(decoder)
        decoded, spread = decoder.decode_with_spread(coords)
        index = index_of(Z)
        stretch = self.reach_.stretch(coords)
        sure = Uncertainty(
            self.schema_, decoded, spread, self._calibration, index, stretch
        )
        return decoder.codec_.decode(decoded, index=index), sure

    def _calibrate(self, decoder: SpreadingDecoder) -> Calibration:
        """Measure errors on rows that forest, map and decoder do without."""
        regrow = self._regrow()
        if regrow is None:
            message = (
                f"the trees of this model ({type(self.grower_).__name__}) cannot be "
                "grown again without the rows that calibrate the intervals. If they "
                "have seen these rows, intervals of new rows may be too narrow. Let "
                "RFAE grow the forest, or give one that was fitted on other rows."
            )
            warn(message)
        context = self.encoder_.context(regrow)
        return calibrate(decoder, context, deepcopy(self.decoder_.rng_))

    def fill_gaps(self, X: Any) -> Any:
        """Fill the missing cells of a table with what the map says of them.

        A by-product of the map, not an imputer. Rows are placed by the cells they have,
        and decoded; where no row near by has a value, the training rows most like the
        row are asked. Few coordinates cannot tell every cell: on most tables a ridge
        regression of each column on the others fills numbers better, and on several so
        does the column's mean or commonest level. To fill gaps for an analysis, use an
        imputer, such as scikit-learn's ``IterativeImputer``. Cells that are there stay
        as they are; a column that is empty in the training rows stays empty.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        table like X
            Of the fitted library, if X is of another.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_iris
        >>> from latentforest import RFAE
        >>> table, _ = load_iris(return_X_y=True, as_frame=True)
        >>> model = RFAE(n_components=2, random_state=0).fit(table)
        >>> holed = table[50:51].assign(**{"petal width (cm)": np.nan})
        >>> float(model.fill_gaps(holed)["petal width (cm)"].iloc[0])
        1.5
        """
        check_is_fitted(self, "decoder_")
        codes = self.codec_.encode(X, caller=type(self).__name__).values
        coords = self.encoder_.place(codes, fill=True)
        decoded = self.decoder_.without_gaps().decode(coords)
        full = np.where(np.isnan(codes), decoded, codes)
        if np.isnan(full).any():
            table = self.encoder_.trained_on("fill_gaps").table
            full = fill_from_rows(codes, full, table, n_jobs=self.encoder_.n_jobs)
        return fill_table(self.codec_, X, full)

    def leave_one_out(self) -> Any:
        """Coordinates of the training rows, each (and its copies) as if it were new.

        Where a row takes part in making the map, its own coordinates are better than
        those a new row like it would get. Use these to learn from coordinates what
        shall hold for new rows.

        On a plain map the row's own part in its leaves is left out. The rows of a
        refined map have drawn each other near: a tenth of them at a time is left out,
        the others move on from where they lie, the tenth is placed, and shifted back
        with its neighbours. Rows then lie as new ones do: as far from rows like them,
        beside rows as unlike them. Decoders of this model still know each row.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
            With ``landmarks``, of a plain map, only those of the landmarks.
        """
        check_is_fitted(self, "encoder_")
        return self.encoder_.leave_one_out(self._regrow())

    def truncate(self, n_components: int) -> Self:
        """Return the same fitted model with the first coordinates only.

        Coordinates of a diffusion map come in order of importance: forest and map are
        shared, and only decoders that depend on more than distances learn anew. A
        refined map is refined anew, with fewer coordinates.

        Parameters
        ----------
        n_components : int
            Number of coordinates to keep, at most as many as were fitted.

        Returns
        -------
        RFAE
        """
        check_is_fitted(self, "decoder_")
        encoder, refined = self.encoder_.truncate(n_components), self.encoder_.refined
        if refined is not None:
            settings = resolve_refinement(self)
            if not isinstance(settings, Refinement):  # they were chosen
                settings = refined.map.settings
            encoder = encoder.refine(settings, deepcopy(self._refine_rng))
        if refined is not None and is_auto(self.decoder):
            fresh = refined_decoder(AutoDecoder(n_jobs=self.n_jobs), encoder)
            decoder = fresh.fit_context(encoder.context(), self.decoder_.rng_)
        else:
            decoder = self.decoder_.with_context(encoder.context())
        small = copy(self).set_params(n_components=n_components)
        small._settle(encoder, decoder)
        return small
