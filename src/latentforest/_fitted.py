"""What a fitted autoencoder consists of: encoder, decoder, what follows from them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from latentforest._base._names import coordinate_names
from latentforest._base._types import Coords, Floats
from latentforest._long import PiecePlacer
from latentforest._reconstruction import TableAutoencoder
from latentforest._settings import is_auto
from latentforest.decode import AutoDecoder, Calibration, Decoder
from latentforest.distill import Distillation
from latentforest.encoder import Encoder, ForestKernel, Regrow
from latentforest.forest import GrownForest, regrower, resolve_forest
from latentforest.metrics import Yardstick
from latentforest.neighbours import NeighbourSearch, Reach
from latentforest.refine import PackedMap
from latentforest.spectral import DiffusionMap
from latentforest.table import Kept, TableCodec

# What is said wherever somebody may look at a map that is none.
PACKED = (
    "The coordinates are packed: each is a code for columns of its own, and rows that "
    "lie near may have little in common. For a map to look at, fit RFAE(), or on the "
    "command line without --auto."
)


class FittedParts(TableAutoencoder):
    """Encoder and decoder; subclasses say in ``fit`` where they come from."""

    n_components: int
    forest: Any
    codec_: TableCodec
    grower_: Any
    encoder_: Encoder
    _refine_rng: np.random.Generator
    _kept: Kept
    distillation_: Distillation | None

    def _settle(self, encoder: Encoder, decoder: Decoder | None) -> None:
        self.encoder_, self._decoder = encoder, decoder
        self._kernel: ForestKernel | None = None
        self._calibration: Calibration | None = None
        self._reach: Reach | None = None
        self.distillation_ = None
        if encoder.training is not None:
            _ = encoder.yardstick  # worked out now, so that use changes nothing

    @property
    def decoder_(self) -> Decoder:  # type: ignore[override]
        """The fitted decoder."""
        if self._decoder is None:
            self.encoder_.trained_on("decoding")
        return self._decoder  # type: ignore[return-value]

    def _regrow(self) -> Regrow | None:
        """Return what grows the forest on some rows; None if it was given fitted."""
        is_given = not is_auto(self.forest)
        if is_given and resolve_forest(self.forest).grower is None:
            return None
        return regrower(self.grower_)

    @property
    def eigenvalues_(self) -> Floats:
        """Eigenvalues of the kernel, without the constant one."""
        return self.encoder_.spectrum.eigenvalues

    @property
    def embedding_(self) -> Coords:
        """Coordinates of the training rows.

        Rows of a long table that were not refined are placed when first asked for.
        """
        return self.encoder_.embedding

    @property
    def yardstick_(self) -> Yardstick:
        """Means, spreads and commonest levels of the training rows."""
        return self.encoder_.yardstick

    @property
    def map_(self) -> DiffusionMap:
        """The fitted diffusion map, before any refinement."""
        self.encoder_.trained_on("map_")
        return self.encoder_.plain.diffusion

    @property
    def kernel_(self) -> ForestKernel:
        """The fitted kernel, with the forest, the leaves and the training rows."""
        training = self.encoder_.trained_on("kernel_")
        if self._kernel is None:
            kernel = ForestKernel(
                self.grower_,
                kind=self.encoder_.kind,
                tree_weights=self.encoder_.tree_weights,
                landmarks=self.encoder_.landmarks,
                unseen=self.codec_.unseen,
                n_jobs=self.encoder_.n_jobs,
            )
            self._kernel = kernel.settle(
                self.codec_,
                self.grower_,
                GrownForest(self.encoder_.forest, training.leaf_ids),
                training.table,
                training.landmarks,
                training.kernel,
            )
        return self._kernel

    @property
    def reach_(self) -> Reach:
        """How far from the training rows a position may lie; ``is_far(Z)`` says who is.

        A position is far from any row if it is farther from all of them than any row is
        from its nearest other one.
        """
        if self._reach is None:
            decoder = self._decoder
            if isinstance(decoder, AutoDecoder):
                decoder = decoder.chosen_
            # A decoder may know the rows where they would lie if they were new.
            search = getattr(decoder, "search_", None)
            if search is None:
                search = NeighbourSearch(self.encoder_.known_coords())
            self._reach = Reach(search, n_jobs=self.encoder_.n_jobs)
        return self._reach

    @property
    def is_packed_(self) -> bool:
        """Whether coordinates are packed: codes for columns, and no map to look at."""
        check_is_fitted(self, "encoder_")
        refined = self.encoder_.refined
        return refined is not None and isinstance(refined.map, PackedMap)

    @property
    def rows_(self) -> NDArray[np.int64]:
        """Numbers of the rows that the model keeps, in the table, counted from 0."""
        check_is_fitted(self, "encoder_")
        self.encoder_.trained_on("rows_")
        return self._kept.in_table().copy()

    @property
    def row_labels_(self) -> NDArray[Any] | None:
        """Index labels of these rows; None where the table's index only counts rows."""
        check_is_fitted(self, "encoder_")
        self.encoder_.trained_on("row_labels_")
        labels = self._kept.labels
        return None if labels is None else labels.copy()

    @property
    def n_samples_seen_(self) -> int:
        """Rows that the model was fitted on, also those that it does not keep."""
        check_is_fitted(self, "encoder_")
        return self._kept.n_rows

    @property
    def _placer(self) -> PiecePlacer:
        return PiecePlacer(self.codec_, self.encoder_, type(self).__name__)

    def _encode(self, X: Any) -> Any:
        codes = self.codec_.encode(X, caller=type(self).__name__).values
        return self.encoder_.locate(codes)

    def _sent(self) -> Any:
        return self._placer.alone()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the coordinates: z1, z2, ….

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "encoder_")
        return np.array(coordinate_names(self.encoder_.n_components), dtype=object)

    @property
    def _n_features_out(self) -> int:
        return self.encoder_.n_components
