"""The random forest autoencoder: the front door of the package."""

from copy import copy, deepcopy
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from latentforest._base._random import RandomState, stage_rngs
from latentforest._encoding import Encoding
from latentforest._reconstruction import TableAutoencoder
from latentforest._settings import (
    check_settings,
    decoder_for,
    paper_settings,
    resolve_refinement,
)
from latentforest.decode import (
    Calibration,
    Decoder,
    calibrate,
    resolve_decoder,
    spreading,
    uncertainty_at,
)
from latentforest.kernel import ForestKernel
from latentforest.spectral import DiffusionMap
from latentforest.table import index_of, remember_columns


class RFAE(TableAutoencoder):
    """Autoencode tables with a random forest.

    A forest is grown on the table (or given), the rows are placed by the diffusion
    map of the forest's kernel, and a decoder maps latent coordinates back to rows of
    the table, with its columns, kinds and levels.

    Parameters
    ----------
    n_components : int, default=2
        Number of latent coordinates, d_Z in the paper.
    forest : str or estimator, default="adversarial"
        "adversarial", "completely_random", "shi_horvath" or "supervised" (which
        needs ``y``); one of these forests as an object with its own settings; or a
        fitted forest of this package or of scikit-learn, which is used as it is.
    decoder : str or Decoder, default="auto"
        "auto" (the best of the next two on held-back training rows), "knn" (the
        paper's), "local_linear", "relabel", "lasso" or "ilp"; or a decoder object
        with its own settings.
    refine : int, Refinement or None, default=None
        Rounds in which the coordinates are moved until the decoder loses least, or a
        `Refinement` with its own settings; new rows are moved too. None keeps the
        diffusion map as it is.
    diffusion_time : float, default=1.0
        Steps of the random walk, t in the paper; 0 leaves the eigenvectors unscaled.
    kernel : {"rf", "scornet"}, default="rf"
        The random forest kernel (Eq. 1), or the share of trees in which rows meet.
    landmarks : int or None, default=None
        Number of rows, drawn at random, that define the kernel; the other rows are
        placed like new ones. None takes all rows.
    kinds : dict or None, default=None
        Column name to "continuous", "integer", "boolean", "category" or "ordered",
        for columns whose kind shall not be inferred.
    unseen : {"error", "nearest"}, default="error"
        Categories at ``transform`` that ``fit`` has not seen: refuse them, or treat
        the cell as missing.
    random_state : int, Generator, RandomState or None, default=None
        Seed. The same seed gives the same result, whatever ``n_jobs`` is.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.
    verbose : bool, default=False
        Show progress on standard error.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_rows, n_components)
        Coordinates of the training rows.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the kernel, without the constant one.
    schema_ : TableSchema
        The columns; ``schema_.report()`` tells how they were read, and why.
    kernel_ : ForestKernel
        The fitted kernel, with the forest, the leaves and the training rows.
    map_ : DiffusionMap
        The fitted map, with the spectrum and the table that places new rows.
    decoder_ : Decoder
        The fitted decoder.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, where the table has names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE
    >>> table = load_iris(as_frame=True).frame
    >>> model = RFAE(n_components=2, random_state=0)
    >>> Z = model.fit_transform(table)
    >>> Z.shape
    (150, 2)
    >>> list(model.inverse_transform(Z).columns) == list(table.columns)
    True
    >>> model.score(table) > 0.8
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        forest: Any = "adversarial",
        decoder: Any = "auto",
        refine: Any = None,
        diffusion_time: float = 1.0,
        kernel: str = "rf",
        landmarks: int | None = None,
        kinds: Any = None,
        unseen: str = "error",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.forest = forest
        self.decoder = decoder
        self.refine = refine
        self.diffusion_time = diffusion_time
        self.kernel = kernel
        self.landmarks = landmarks
        self.kinds = kinds
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def paper(cls, n_components: int = 2, random_state: Any = None) -> Self:
        """Build the configuration of the paper's benchmark.

        An adversarial forest of 500 trees, one diffusion step, and k-NN decoding with
        20 neighbours and rows drawn from their regions.

        Parameters
        ----------
        n_components : int, default=2
            Number of latent coordinates.
        random_state : int, Generator, RandomState or None, default=None
            Seed.

        Returns
        -------
        RFAE
        """
        return cls(n_components, random_state=random_state, **paper_settings())

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow the forest, find the map, and learn to decode.

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
        check_settings(self)
        refinement = resolve_refinement(self.refine)
        decoder = resolve_decoder(
            decoder_for(self.decoder, refinement), n_jobs=self.n_jobs
        )
        rngs = stage_rngs(self.random_state, "kernel", "map", "decoder", "refine")

        kernel = self.kernel_ = ForestKernel(
            self.forest,
            kind=self.kernel,
            landmarks=self.landmarks,
            kinds=self.kinds,
            unseen=self.unseen,
            random_state=rngs["kernel"],
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        ).fit(X, y, n_needed=self.n_components + 1)
        self.schema_ = kernel.codec_.schema_
        remember_columns(self, self.schema_)

        self.map_ = DiffusionMap(
            self.n_components, time=self.diffusion_time, random_state=rngs["map"]
        ).fit(kernel.leaf_kernel_)
        self.eigenvalues_ = self.map_.spectrum_.eigenvalues
        encoding = Encoding(kernel, self.map_)
        self._refine_rng = rngs["refine"]
        if refinement is not None:
            encoding = encoding.refine(refinement, deepcopy(self._refine_rng))
        self._settle(encoding, decoder.fit_context(encoding.context(), rngs["decoder"]))
        return self

    def _settle(self, encoding: Encoding, decoder: Decoder) -> None:
        self._encoding, self.decoder_ = encoding, decoder
        self.embedding_ = encoding.embedding()
        self._calibration: Calibration | None = None

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit as ``fit`` does, and return the coordinates of the training rows."""
        # A copy: what is done to the result must not move the model's own rows.
        return self.fit(X, y).embedding_.copy()

    def transform(self, X: Any) -> Any:
        """Coordinates of the rows of a table, by the Nyström formula.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
        """
        check_is_fitted(self, "map_")
        return self._encode(X)

    def inverse_transform(self, Z: Any, *, return_uncertainty: bool = False) -> Any:
        """Rows of the table at given coordinates.

        Parameters
        ----------
        Z : array of shape (n_rows, n_components)
            Latent coordinates, of rows or of any point between them.
        return_uncertainty : bool, default=False
            Return a pair: the rows, and how sure each cell is. Decoders that blend
            rows can tell: "knn", "local_linear" and "auto". The first call calibrates
            on training rows that are held back in turn.

        Returns
        -------
        table like the fitted one
            The same library, columns, dtypes and levels.
        uncertainty : Uncertainty
            Only if asked for: ``std``, ``interval(0.9)`` and ``probabilities``.
        """
        rows = super().inverse_transform(Z)
        if not return_uncertainty:
            return rows
        decoder = spreading(self.decoder_)
        if self._calibration is None:
            rng = deepcopy(self.decoder_.rng_)
            self._calibration = calibrate(decoder, self._encoding.context(), rng)
        coords = check_array(Z, dtype=np.float64)
        calibration, index = self._calibration, index_of(Z)
        return rows, uncertainty_at(decoder, coords, calibration, index)

    def leave_one_out(self) -> Any:
        """Coordinates of the training rows, each (and its copies) as if it were new.

        Returns
        -------
        ndarray of shape (n_landmarks, n_components)
        """
        check_is_fitted(self, "map_")
        return self._encoding.leave_one_out()

    def truncate(self, n_components: int) -> Self:
        """Return the same fitted model with the first coordinates only.

        Coordinates come in order of importance: forest and map are shared, and only
        decoders that depend on more than distances learn anew.

        Parameters
        ----------
        n_components : int
            Number of coordinates to keep, at most as many as were fitted.

        Returns
        -------
        RFAE
        """
        check_is_fitted(self, "decoder_")
        encoding = self._encoding.truncate(n_components)
        refinement = resolve_refinement(self.refine)
        if refinement is not None:
            encoding = encoding.refine(refinement, deepcopy(self._refine_rng))
        small = copy(self)
        small.n_components = n_components
        small.map_ = encoding.diffusion
        small.eigenvalues_ = small.map_.spectrum_.eigenvalues
        small._settle(encoding, self.decoder_.with_context(encoding.context()))
        return small

    def _encode(self, X: Any) -> Any:
        codes = self.kernel_.codec_.encode(X, caller=type(self).__name__).values
        return self._encoding.place(codes)

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])
