"""What every decoder is given, and what it must give back."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted

from latentforest._base._random import RandomState, stage_rngs
from latentforest._base._types import Codes, Coords
from latentforest.forest import BaseForest, GrownForest
from latentforest.table import EncodedTable, TableCodec


@dataclass(frozen=True, slots=True)
class DecoderContext:
    """What decoders learn from: rows, their coordinates, and the forest if any."""

    table: EncodedTable
    coords: Coords  # (n_rows, n_components)
    grown: GrownForest | None  # the forest and the leaves of the rows

    def __post_init__(self) -> None:
        if len(self.coords) != self.table.n_rows:
            message = (
                f"there are {len(self.coords)} rows of coordinates, but the table has "
                f"{self.table.n_rows} rows. Give one row of coordinates per row."
            )
            raise ValueError(message)


class Decoder(BaseEstimator):
    """Map latent coordinates back to rows of the table.

    Subclasses say in ``needs`` what the context must hold, check their parameters in
    ``check``, learn in ``learn`` and decode in ``decode``. Decoding is a function of
    one row of coordinates: the other rows of a batch, and their order, change nothing.
    """

    n_jobs: int | None

    def needs(self) -> frozenset[str]:
        """Return what the context must hold: ``{"forest"}`` or nothing."""
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

    @abstractmethod
    def with_coords(self, coords: Coords) -> Self:
        """Return this fitted decoder for other coordinates of the same rows."""

    def fit_context(self, context: DecoderContext, rng: np.random.Generator) -> Self:
        """Check the context, then learn from it."""
        self.check()
        if "forest" in self.needs() and context.grown is None:
            message = (
                f"{self!r} needs the forest. Pass forest=, "
                f"or choose settings that do without."
            )
            raise ValueError(message)
        self.n_components_ = context.coords.shape[1]
        self.codec_ = TableCodec.from_schema(context.table.schema)
        self.learn(context, rng)
        return self

    def fit(
        self, Z: Any, X: Any, *, forest: Any = None, random_state: RandomState = None
    ) -> Self:
        """Learn to decode coordinates from any encoder.

        Parameters
        ----------
        Z : array of shape (n_rows, n_components)
            Coordinates of the rows, from this package or any other.
        X : data frame or array of shape (n_rows, n_columns)
            The rows.
        forest : fitted forest of this package or None, default=None
            The forest whose regions the decoder may use.
        random_state : int, Generator, RandomState or None, default=None
            Seed.

        Returns
        -------
        self
        """
        coords = check_array(Z, dtype=np.float64)
        if forest is None:
            context = DecoderContext(TableCodec().fit_encode(X), coords, None)
        elif isinstance(forest, BaseForest):
            check_is_fitted(forest, "forest_")
            table = forest.codec_.encode(X)
            ids = forest.forest_.leaves(table.values, n_jobs=self.n_jobs)
            grown = GrownForest(forest.forest_, ids)
            context = DecoderContext(table, coords, grown)
        else:
            message = (
                f"forest={forest!r} is not a forest of latentforest. "
                "Give a fitted one, or None."
            )
            raise TypeError(message)
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
        check_is_fitted(self, "codec_")
        coords = check_array(Z, dtype=np.float64)
        if coords.shape[1] != self.n_components_:
            message = (
                f"Z has {coords.shape[1]} coordinates, but the decoder was fitted "
                f"with {self.n_components_}."
            )
            raise ValueError(message)
        return self.codec_.decode(self.decode(coords), index=index)
