"""The encoder: how rows get their coordinates, and the rows it has learned from."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import DroppedTrainingError
from latentforest._base._types import Coords, Floats, LeafIds
from latentforest.decode import DecoderContext, KernelEigenpairs
from latentforest.encoder._plain import PlainMap
from latentforest.encoder._training import Taught, Training
from latentforest.forest import ForestArrays, GrownForest
from latentforest.kernel import LeafRows
from latentforest.metrics import Yardstick
from latentforest.placing import (
    LeafTable,
    Placer,
    leave_one_out,
    relatives_but,
    relatives_of,
)
from latentforest.refine import (
    Hints,
    PackedMap,
    RefinedRows,
    Refinement,
    refine_rows,
)
from latentforest.spectral import Spectrum
from latentforest.table import EncodedTable

MAP_AGAIN = 2_000  # rows; a plain map of more hardly changes without some of them
# Grows a forest like the fitted one on a table, which holds these training rows.
Regrow: TypeAlias = Callable[[EncodedTable, NDArray[np.integer]], GrownForest]


@dataclass(frozen=True, eq=False)
class Encoder(Placer):
    """What it takes to place rows, and what it was trained on, if that was kept."""

    forest: ForestArrays
    plain: PlainMap
    kind: str  # of the kernel
    landmarks: int | None  # how many rows define the kernel; None: all
    n_jobs: int | None = None
    refined: RefinedRows | None = None
    training: Training | None = None
    tree_weights: Floats | None = None  # (n_trees,) as told; None: all are alike
    taught: Taught | None = None  # where the forest is a distilled one

    @property
    def n_components(self) -> int:
        """Coordinates of a row."""
        return self.plain.n_components

    @property
    def leaf_table(self) -> LeafTable:
        """What each leaf adds to the coordinates of a row."""
        return self.plain.leaf_table

    @property
    def spectrum(self) -> Spectrum:
        """Eigenvalues of the kernel; without vectors if the rows were dropped."""
        if not self.plain.can_be_asked:
            self.trained_on("eigenvalues_")
        return self.plain.spectrum

    def trained_on(self, what: str) -> Training:
        """Return the training part, or say that ``what`` needs it."""
        if self.training is None:
            message = (
                "this model was saved with drop_training=True: it can transform, but "
                f"{what} needs the training rows. Save it again without drop_training."
            )
            raise DroppedTrainingError(message)
        return self.training

    def _own_hints(self, rows: NDArray[np.int64]) -> Hints:
        """Ask the forest about training rows, about each as if it were new."""

        def relatives(n_rows: int) -> NDArray[np.int64]:
            ids = self.trained_on("refinement").leaf_ids[rows]
            leaf_rows = LeafRows.of_ids(ids, self.forest.n_leaves, n_jobs=self.n_jobs)
            return relatives_of(leaf_rows, ids, n_rows, own=True, n_jobs=self.n_jobs)

        return Hints(lambda: self.new_coords[rows], relatives)

    def _refined_ids(self) -> LeafIds:
        if self.training is None or self.refined is None:
            return super()._refined_ids()
        return self.training.leaf_ids[self.refined.rows]

    @cached_property
    def yardstick(self) -> Yardstick:
        """What losses of rows are measured by."""
        return Yardstick.of_table(self.trained_on("score").table)

    @cached_property
    def embedding(self) -> Coords:
        """Coordinates of the training rows."""
        self.trained_on("embedding_")
        if self.refined is None:
            return self._own_coords
        return self._refined_coords(self.refined.map.coords_)

    def known_coords(self) -> Coords:
        """Coordinates of the rows that are on the map from the start.

        All training rows; of a refined map of a long table those that were refined.
        """
        return self._own_coords if self.refined is None else self.refined.map.coords_

    def _refined_coords(self, own: Coords) -> Coords:
        """Coordinates of the training rows, the refined ones where they shall be."""
        assert self.refined is not None, "asked where there are refined rows"
        table = self.trained_on("embedding_").table
        return self.refined.place_all(table, own, self.place)

    @cached_property
    def _own_coords(self) -> Coords:
        """Coordinates of the training rows before refinement."""
        training = self.trained_on("embedding_")
        if self.taught is not None:
            return self.taught.coords
        if self.landmarks is None:
            return self.plain.diffusion.embedding_
        return self.plain.leaf_table.encode(training.leaf_ids, n_jobs=self.n_jobs)

    @cached_property
    def new_coords(self) -> Coords:
        """Coordinates of the training rows as if they were new, before refinement.

        Landmarks are placed without themselves and their copies; other rows are placed
        like new ones already.
        """
        training = self.trained_on("leave_one_out")
        if self.taught is not None:
            return self.taught.new_coords
        coords = self._own_coords.copy()
        coords[training.landmarks] = leave_one_out(
            training.kernel,
            self.plain.diffusion.embedding_,
            self.spectrum.eigenvalues,
            group=training.table.distinct_rows()[training.landmarks],
        )
        return coords

    def leave_one_out(self, regrow: Regrow | None = None) -> Coords:
        """Coordinates of the training rows, each (and its copies) as if it were new.

        Of a plain map those of the landmarks.
        """
        from latentforest.encoder._without import (  # noqa: PLC0415 (builds us)
            refined_as_new,
        )

        training = self.trained_on("leave_one_out")
        if self.refined is None:
            return self.new_coords[training.landmarks]
        return self._refined_coords(refined_as_new(self, regrow))

    def refine(self, settings: Refinement, rng: np.random.Generator) -> "Encoder":
        """Return the encoder with a refined map."""
        table = self.trained_on("refinement").table
        refined = refine_rows(
            settings,
            table,
            self._own_hints,
            self.n_components,
            rng,
            n_jobs=self.n_jobs,
        )
        encoder = replace(self, refined=refined)
        if "new_coords" in vars(self):  # costly, and the same
            vars(encoder)["new_coords"] = self.new_coords
        return encoder

    def truncate(self, n_components: int) -> "Encoder":
        """Return the encoder with the first coordinates only, not refined."""
        self.trained_on("truncate")
        taught = None if self.taught is None else self.taught.first(n_components)
        plain = self.plain.first(n_components)
        return replace(self, plain=plain, refined=None, taught=taught)

    def with_forest(self, forest: ForestArrays, leaf_table: LeafTable) -> "Encoder":
        """Return the encoder that places new rows by another forest.

        Training rows stay where they are.
        """
        from latentforest.encoder._fit import fit_encoder  # noqa: PLC0415 (builds us)

        training = self.trained_on("another forest")
        ids = forest.leaves(training.table.values, n_jobs=self.n_jobs)
        encoder = fit_encoder(
            training.table,
            GrownForest(forest, ids),
            self.plain.diffusion,
            kind=self.kind,
            landmarks=None if self.landmarks is None else training.landmarks,
            leaf_table=leaf_table,
            n_jobs=self.n_jobs,
        )
        return replace(encoder, taught=Taught(self._own_coords, self.new_coords))

    def context(self, regrow: Regrow | None = None) -> DecoderContext:
        """All that decoders may ask for; what is costly is computed when it is asked.

        Decoders of a refined map know the refined rows only. With ``regrow``, which
        grows the forest on other rows, maps without some rows are without them
        altogether.
        """
        from latentforest.encoder._without import (  # noqa: PLC0415 (builds us)
            plain_without,
            refined_without,
        )

        training = self.trained_on("decoding")
        if self.refined is not None:
            leaves = np.asfortranarray(training.leaf_ids[self.refined.rows])
            context = DecoderContext(
                training.table.take(self.refined.rows),
                self.refined.map.coords_,
                GrownForest(self.forest, leaves),
                encode=self.place,
                columns=self.refined.map.columns,
                copies=training.table.share_of_copies,
            )
            if isinstance(self.refined.map, PackedMap):
                return replace(
                    context,
                    leave_out=self.refined.map.leave_one_out,
                    hold_out=self._packed_without,
                )
            can_be_made_again = self.taught is None and len(leaves) >= 3
            hold_out = partial(refined_without, self, regrow)
            return replace(
                context,
                hold_out=hold_out if can_be_made_again else None,
                again=self._place_again,
            )
        # The spectrum of many rows takes long. There, rows are left out of their leaves
        # unless their trees have to be grown without them.
        can_be_made_again = (
            self.taught is None
            and training.table.n_rows >= 3
            and (regrow is not None or training.table.n_rows <= MAP_AGAIN)
        )
        hold_out = partial(plain_without, self, regrow)
        pairs = None
        plain = self.kind == "rf" and self.tree_weights is None
        if plain and self.taught is None:
            pairs = KernelEigenpairs(
                self.plain.diffusion.embedding_,
                self.spectrum.eigenvalues,
                training.kernel.index.ids,
            )
        return DecoderContext(
            training.table,
            self._own_coords,
            GrownForest(self.forest, training.leaf_ids),
            pairs,
            self.place,
            lambda: self.new_coords,
            hold_out if can_be_made_again else None,
        )

    def _place_again(self, rows: NDArray[np.integer]) -> Coords:
        """Place some refined rows as new ones, on the map that they have shaped."""
        assert self.refined is not None, "asked where there are refined rows"
        at = self.refined.rows[rows]
        ids, leaves = self.trained_on("decoding").leaf_ids[at], self._refined_leaves
        relatives = partial(relatives_but, leaves, ids, rows, n_jobs=self.n_jobs)
        hints = Hints(lambda: self.new_coords[at], relatives)
        return self.refined.place_again(rows, hints)

    def _packed_without(
        self, known: NDArray[np.integer], held: NDArray[np.integer]
    ) -> tuple[DecoderContext, Coords]:
        """Leave rows out of a packed map.

        Where known rows lie does not matter to what the held ones lose, but which
        columns go together does, and a map made anew might deal them otherwise.
        """
        assert self.refined is not None, "asked where there are refined rows"
        assert isinstance(self.refined.map, PackedMap), "and these are packed"
        packed = self.refined.map.take(known)
        table = self.trained_on("decoding").table.take(self.refined.rows[known])
        context = DecoderContext(table, packed.coords_, columns=packed.columns)
        return context, packed.nearest(self.refined.map.cells_.take(held))
