"""What stands in for the training rows where a file has none."""

from typing import Any, NoReturn, Self

import numpy as np

from latentforest._base._errors import DroppedTrainingError
from latentforest._base._types import Codes, Coords, Ints, LeafIds
from latentforest.decode import DecoderContext
from latentforest.decode._neighbour_decoder import NeighbourDecoder
from latentforest.kernel import ForestKernel
from latentforest.neighbours import Neighbours, Weights
from latentforest.spectral import DiffusionMap

NEEDS_ROWS = {"table_", "leaf_ids_", "landmarks_", "leaf_kernel_"}


def dropped(what: str) -> DroppedTrainingError:
    """Build the error about something that needs the training rows."""
    return DroppedTrainingError(
        f"this model was saved with drop_training=True: it can transform, but {what} "
        "needs the training rows. Save it again without drop_training."
    )


class DroppedKernel(ForestKernel):
    """A fitted kernel whose rows are gone: it still finds the leaves of new rows.

    ``leaf_mass_`` counts the rows that were in each leaf; ``refined_codes_`` are the
    rows that a refined map searches among.
    """

    leaf_mass_: Ints
    refined_codes_: Codes

    def __getattr__(self, name: str) -> Any:
        if name in NEEDS_ROWS:
            raise dropped(f"kernel_.{name}")
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(message)

    def leaves(self, X: Any) -> LeafIds:
        """Leaf numbers of every row, see `ForestKernel`."""
        values = self.codec_.encode(X, caller=type(self).__name__).values
        return self.forest_.leaves(values, n_jobs=self.n_jobs)


class DroppedMap(DiffusionMap):
    """A fitted map whose rows are gone: it still places new rows."""

    def __getattr__(self, name: str) -> Any:
        if name == "embedding_":
            raise dropped(name)
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(message)


class DroppedDecoder(NeighbourDecoder):
    """A decoder whose rows are gone: it says so."""

    n_neighbors = 1
    n_jobs = None

    def check_coords(self, Z: Any) -> Coords:
        """Refuse: there is nothing to decode with."""
        raise dropped("decoding")

    def predict(self, Z: Any, *, index: Any = None) -> NoReturn:
        """Refuse: there is nothing to decode with."""
        raise dropped("decoding")

    def decode(self, coords: Coords) -> Codes:
        """Refuse: there is nothing to decode with."""
        raise dropped("decoding")

    def with_context(self, context: DecoderContext) -> Self:
        """Refuse: there is nothing to learn from."""
        raise dropped("decoding")

    def points(self, context: DecoderContext) -> Coords:
        """Refuse: there is nothing to learn from."""
        raise dropped("decoding")

    def make_prototypes(
        self, context: DecoderContext, rng: np.random.Generator
    ) -> Codes:
        """Refuse: there is nothing to learn from."""
        raise dropped("decoding")

    def weigh(self, found: Neighbours, queries: Coords) -> Weights:
        """Refuse: there is nothing to decode with."""
        raise dropped("decoding")
