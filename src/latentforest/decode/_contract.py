"""What every decoder must do."""

from abc import abstractmethod
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_array, check_is_fitted

from latentforest._base._names import coordinate_names
from latentforest._base._parallel import n_workers
from latentforest._base._random import RandomState, stage_rngs
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes, Coords
from latentforest._base._values import damaged
from latentforest.decode._context import DecoderContext, Rows
from latentforest.forest import BaseForest, GrownForest
from latentforest.neighbours import CellSpread
from latentforest.table import TableCodec

WHAT_IT_NEEDS = {
    "forest": "the forest. Pass forest=",
    "columns": (
        "coordinates that carry certain columns each. Use it in RFAE with "
        "refine=Refinement(start='packed')"
    ),
    "encode": "to place rows of its own. Pass encoder=",
    "spectrum": (
        "the spectrum of the forest's kernel. Use it in RFAE with kernel='rf' and "
        "equal tree weights"
    ),
}


class Decoder(BaseEstimator):
    """Map latent coordinates back to rows of the table.

    Subclasses say in ``needs`` what the context must hold, check their parameters in
    ``check``, learn in ``learn`` and decode in ``decode``. Decoding is a function of
    one row of coordinates: the other rows of a batch, and their order, change nothing.
    """

    n_jobs: int | None

    def needs(self) -> frozenset[str]:
        """Return what the context must hold: ``"forest"``, ``"encode"``, …."""
        return frozenset()

    @abstractmethod
    def check(self) -> None:
        """Check the parameters, before anything expensive is done."""

    @abstractmethod
    def learn(self, context: DecoderContext, rng: np.random.Generator) -> None:
        """Learn from a checked context; all randomness comes from ``rng``."""

    @abstractmethod
    def decode(self, coords: Coords) -> Codes:
        """Codes of the rows at the given coordinates."""

    def without_gaps(self) -> "Decoder":
        """Return a decoder that leaves no cell missing that it has a value for."""
        return self

    def with_context(self, context: DecoderContext) -> Self:
        """Return this decoder for other coordinates of the same rows.

        It equals a fresh fit with the same seed. Decoders that learned something
        apart from the coordinates keep it instead of learning it again.
        """
        fresh: Self = clone(self)
        return fresh.fit_context(context, deepcopy(self.rng_))

    def fit_context(self, context: DecoderContext, rng: np.random.Generator) -> Self:
        """Check the context, then learn from it."""
        self.check()
        for need in sorted(self.needs()):
            if not context.has(need):
                message = (
                    f"{self!r} needs {WHAT_IT_NEEDS[need]}, or choose settings that "
                    "do without."
                )
                raise ValueError(message)
        self.n_components_ = context.coords.shape[1]
        self.codec_ = TableCodec.from_schema(context.table.schema)
        self.rng_ = deepcopy(rng)
        self.learn(context, rng)
        return self

    def put(self, new: NewSection, context: DecoderContext) -> None:
        """Write what was learned to a model file; ``context`` is in the file too."""
        new.generator("generator", self.rng_)

    def take(self, section: Section, context: DecoderContext) -> None:
        """Read what ``put`` wrote; what follows from the rows is worked out again."""
        n_workers(self.n_jobs)
        for need in sorted(self.needs()):
            if not context.has(need):
                raise damaged(f"the decoder needs a {need}, which the model lacks")
        self.n_components_ = context.coords.shape[1]
        self.codec_ = TableCodec.from_schema(context.table.schema)
        self.rng_ = section.generator("generator")

    def fit(
        self,
        Z: Any,
        X: Any,
        *,
        forest: Any = None,
        encoder: Callable[[Any], Any] | None = None,
        random_state: RandomState = None,
    ) -> Self:
        """Learn to decode coordinates from any encoder.

        Parameters
        ----------
        Z : array of shape (n_rows, n_components)
            Coordinates of the rows, from this package or any other.
        X : data frame or array of shape (n_rows, n_columns)
            The rows.
        forest : fitted forest of this package or None, default=None
            The forest whose splits and regions the decoder may use.
        encoder : callable or None, default=None
            Gives the coordinates of a table like ``X``, such as
            ``pipeline.transform``, for decoders that place rows of their own.
        random_state : int, Generator, RandomState or None, default=None
            Seed.

        Returns
        -------
        self
        """
        coords = check_array(Z, dtype=np.float64)
        codec, grown = TableCodec(), None
        if forest is None:
            table = codec.fit_encode(X)
        elif isinstance(forest, BaseForest):
            check_is_fitted(forest, "forest_")
            codec = forest.codec_
            table = codec.encode(X)
            ids = forest.forest_.leaves(table.values, n_jobs=self.n_jobs)
            grown = GrownForest(forest.forest_, ids)
        else:
            message = (
                f"forest={forest!r} is not a forest of latentforest. "
                "Give a fitted one, or None."
            )
            raise TypeError(message)
        encode = None
        if encoder is not None:

            def encode(codes: Codes) -> Coords:
                return check_array(encoder(codec.decode(codes)), dtype=np.float64)

        context = DecoderContext(table, coords, grown, encode=encode)
        return self.fit_context(context, stage_rngs(random_state, "decoder")["decoder"])

    def predict(self, Z: Any, *, index: Any = None) -> Any:
        """Rows of the table at given coordinates.

        Parameters
        ----------
        Z : array of shape (n_rows, n_components)
            Coordinates.
        index : pandas index or None, default=None
            Index of the result where the table is a pandas data frame.

        Returns
        -------
        table of the fitted kind, n_rows rows
        """
        coords = self.check_coords(Z)
        return self.codec_.decode(self.decode(coords), index=index)

    def check_coords(self, Z: Any) -> Coords:
        """Return coordinates as an array, or say what is wrong with them."""
        check_is_fitted(self, "codec_")
        names = coordinate_names(self.n_components_)
        if set(names) == set(getattr(Z, "columns", ())):
            Z = Z[names]  # a frame of coordinates, in any order
        coords: Coords = check_array(Z, dtype=np.float64)
        if coords.shape[1] != self.n_components_:
            message = (
                f"Z has {coords.shape[1]} coordinates, but the decoder was fitted "
                f"with {self.n_components_}."
            )
            raise ValueError(message)
        return coords


class SpreadingDecoder(Decoder):
    """A decoder that can say how sure it is of each cell."""

    @abstractmethod
    def keep(self, rows: Rows, context: DecoderContext | None = None) -> Self:
        """Return a decoder that knows the given rows only.

        They lie where they lay, or as a context of these rows says.
        """

    @abstractmethod
    def decode_with_spread(self, coords: Coords) -> tuple[Codes, CellSpread]:
        """Decode, and say how far the rows behind it disagree, cell by cell."""
