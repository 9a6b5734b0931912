"""The random forest autoencoder: the front door of the package."""

from copy import deepcopy
from typing import Any, Self

from latentforest._base._random import RandomState, stage_rngs
from latentforest._long import STAGES, open_source, target_of
from latentforest._plan import Size
from latentforest._planned import PlannedModel, check_room
from latentforest._settings import (
    check_decodable,
    check_enough_rows,
    check_settings,
    paper_settings,
    refined_decoder,
    resolve_refinement,
)
from latentforest._trials import Contest, forests_to_try
from latentforest.choice import Trial
from latentforest.decode import resolve_decoder
from latentforest.encoder import TreeWeights, draw_landmarks, fit_encoder
from latentforest.forest import resolve_forest
from latentforest.kernel import BAG_KINDS
from latentforest.refine import AutoRefinement
from latentforest.spectral import DiffusionMap
from latentforest.table import remember_columns


class RFAE(PlannedModel):
    """Autoencode tables with a random forest.

    A forest is grown on the table (or given), its kernel makes a map of the rows, and
    a decoder maps latent coordinates back to rows of the table, with its columns, kinds
    and levels. As it comes, the model makes maps to look at: rows that share leaves lie
    together, and are moved until the decoder loses least. `RFAE.auto` makes the models
    that lose least, `RFAE.paper` those of the paper.

    Parameters
    ----------
    n_components : int, default=2
        Number of latent coordinates, d_Z in the paper.
    forest : str or estimator, default="auto"
        "auto" (completely random trees: 50 where rows are refined, else 500; or what
        ``refine="auto"`` finds best), "adversarial" (the paper's),
        "completely_random", "shi_horvath" or "supervised" (which needs ``y``); one of
        these as an object with its own settings; or a fitted model of ours, of
        scikit-learn, LightGBM, XGBoost, CatBoost and others, used as it is.
    decoder : str or Decoder, default="auto"
        "auto" (what the rows are refined for; or else the best of the next two on
        held-back training rows), "knn" (the paper's), "local_linear", "packed" (only
        for ``Refinement(start="packed")``, and "auto" there), "relabel", "lasso" or
        "ilp"; or a decoder object with its own settings.
    refine : int, Refinement, "auto", AutoRefinement or None, default="default"
        Rounds in which the coordinates are moved until the decoder loses least, or a
        `Refinement` with its own settings; new rows are moved too. "auto" chooses the
        settings on held-back training rows. None keeps the diffusion map of the forest
        as it is. "default" is ``Refinement()`` where forest and decoder are "auto",
        and else None: who names one of them wants to see what it does.
    diffusion_time : float, default=1.0
        Steps of the random walk, t in the paper; 0 leaves eigenvectors unscaled. Of the
        diffusion map only; a refinement that starts elsewhere warns and leaves it out.
    kernel : {"rf", "scornet", "oob", "gap"}, default="rf"
        The random forest kernel (Eq. 1), or the share of trees in which rows meet; or,
        for forests grown on bootstrap samples, the first without trees that both rows
        are in bag in, or the proximities that give out-of-bag predictions.
    tree_weights : {"equal", "shrinkage", "gain"}, int, array or None, default=None
        What trees count in the kernel: alike (None, "equal"), by their factor in a
        boosted sum, by what their splits reduce the loss by, only the first so many, or
        a number for each. Kernel and weights shape the diffusion map only.
    landmarks : int or None, default=None
        Number of rows, drawn at random, that define the kernel; the other rows are
        placed like new ones. None takes all rows that are kept.
    max_samples : int or None, default=100_000
        Rows of a long table that are kept, drawn by a hash of seed and row number:
        forest, map and decoder are made of these, and the others are placed like new
        ones. Kinds, levels and ranges of columns come from all rows. None keeps all.
    kinds : dict or None, default=None
        Column name to "continuous", "integer", "boolean", "category", "ordered" or
        "datetime", or to its levels in order; the others are inferred.
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
    embedding_ : ndarray of shape (n_rows, n_components)
        Coordinates of the training rows; of a long table those of the rows kept.
    rows_, row_labels_ : ndarray of int, ndarray or None
        Their numbers: positions in the table, or in the file, from 0; and their index
        labels, if the index of the table does not just count its rows.
    n_samples_seen_ : int
        Rows that ``fit`` was given.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the kernel, without the constant one.
    schema_ : TableSchema
        The columns; ``schema_.report()`` tells how they were read, and why.
    encoder_ : Encoder
        What ``transform`` needs, and what it was trained on.
    kernel_ : ForestKernel
        The fitted kernel, with the forest, the leaves and the training rows.
    map_ : DiffusionMap
        The fitted map, with the spectrum.
    decoder_ : Decoder
        The fitted decoder.
    reach_ : Reach
        How far from the training rows a position may lie; ``reach_.is_far(Z)``.
    offset_ : float
        Score below which ``predict`` calls rows odd.
    tried_ : list of Trial
        With ``refine="auto"``: what was tried, best first; else empty.
    distillation_ : Distillation or None
        Of a model that ``distill`` made: its size and fidelity.
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

    tried_: list[Trial]

    def __init__(
        self,
        n_components: int = 2,
        *,
        forest: Any = "auto",
        decoder: Any = "auto",
        refine: Any = "default",
        diffusion_time: float = 1.0,
        kernel: str = "rf",
        tree_weights: TreeWeights = None,
        landmarks: int | None = None,
        max_samples: int | None = 100_000,
        kinds: Any = None,
        unseen: str = "missing",
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
        self.tree_weights = tree_weights
        self.landmarks = landmarks
        self.max_samples = max_samples
        self.kinds = kinds
        self.unseen = unseen
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def paper(
        cls, n_components: int = 2, random_state: Any = None, **more: Any
    ) -> Self:
        """Build the configuration of the paper's benchmark.

        An adversarial forest of 500 trees, one diffusion step, no refinement, k-NN
        decoding with 20 neighbours, rows drawn from their regions.

        Parameters
        ----------
        n_components : int, default=2
            Number of latent coordinates.
        random_state : int, Generator, RandomState or None, default=None
            Seed.
        **more : Any
            Other parameters of the model, such as ``kinds`` or ``n_jobs``.

        Returns
        -------
        RFAE
        """
        settings = paper_settings() | {"random_state": random_state} | more
        return cls(n_components, **settings)

    @classmethod
    def auto(
        cls,
        n_components: int = 2,
        time_budget: float | None = None,
        random_state: Any = None,
        **more: Any,
    ) -> Self:
        """Build the model that chooses forest, start, refinement and decoder itself.

        For the fewest lost cells. Settings are tried on training rows that are held
        back, see `AutoRefinement`; ``tried_`` holds what was tried. Where packed
        coordinates win, the map is not one to look at.

        Parameters
        ----------
        n_components : int, default=2
            Number of latent coordinates.
        time_budget : float or None, default=None
            Seconds for the choice; None sets no limit.
        random_state : int, Generator, RandomState or None, default=None
            Seed.
        **more : Any
            Other parameters, such as ``n_jobs``, or ``verbose``, which shows trials.

        Returns
        -------
        RFAE
        """
        settings = {"refine": AutoRefinement(time_budget)} | more
        return cls(n_components, random_state=random_state, **settings)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow the forest, find the map, and learn to decode.

        Parameters
        ----------
        X : data frame, array of shape (n_rows, n_columns), path or other source
            Numbers, booleans, categories, dates; missing values are allowed. Longer
            than memory: the path of a file, of a folder of files, or a pattern such as
            ``"rows/*.parquet"``; a ``numpy.memmap``; a function that gives the table
            in pieces whenever it is called; a data frame or array of Dask. The result
            does not depend on how the table is cut. Of an AnnData the matrix ``X``; it
            gets the coordinates of its rows as ``obsm["X_rfae"]``.
        y : array of shape (n_rows,), default=None
            Target of a supervised forest; other forests ignore it.

        Returns
        -------
        self
        """
        check_settings(self)
        decoder = resolve_decoder(self.decoder, n_jobs=self.n_jobs)
        check_decodable(decoder, self)
        rngs = stage_rngs(self.random_state, *STAGES)
        rngs |= stage_rngs(rngs["kernel"], "forest", "landmarks")
        self._refine_rng = rngs["refine"]
        forest = resolve_forest(forests_to_try(self)[0])
        self.codec_, table, self._kept = forest.read(
            open_source(X, self),
            kinds=self.kinds,
            unseen=self.unseen,
            most=self.max_samples,
            seed=int(rngs["rows"].integers(2**63)),
        )
        y = target_of(y, self._kept)
        self.schema_ = table.schema.warned()
        remember_columns(self, self.schema_)
        landmarks = draw_landmarks(table.n_rows, self.landmarks, rngs["landmarks"])
        check_enough_rows(self.n_components, table, landmarks)
        check_room(self, Size.of(self.schema_, self._kept.n_rows))

        refinement, self.tried_ = resolve_refinement(self), []
        if isinstance(refinement, AutoRefinement):
            contest = Contest(self, table, y, rngs["choice"])
            self.tried_ = contest.run(refinement.time_budget)
            forest = resolve_forest(self.tried_[0].forest)
            refinement = self.tried_[0].refinement
        grown, self.grower_ = forest.grow(
            table,
            y,
            rng=rngs["forest"],
            bags=self.kernel in BAG_KINDS,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        time = self.diffusion_time
        encoder = fit_encoder(
            table,
            grown,
            DiffusionMap(self.n_components, time=time, random_state=rngs["map"]),
            kind=self.kernel,
            tree_weights=self.tree_weights,
            landmarks=landmarks,
            n_jobs=self.n_jobs,
        )
        if refinement is not None:
            encoder = encoder.refine(refinement, deepcopy(self._refine_rng))
            decoder = refined_decoder(decoder, encoder)
        self._settle(encoder, decoder.fit_context(encoder.context(), rngs["decoder"]))
        return self._note_coords(X)
