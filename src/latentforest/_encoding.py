"""The encoder: forest, kernel and map, and the refinement of the map if any."""

from dataclasses import dataclass, replace

import numpy as np

from latentforest._base._types import Codes, Coords
from latentforest.decode import DecoderContext, KernelSpectrum
from latentforest.forest import GrownForest
from latentforest.kernel import ForestKernel
from latentforest.refine import RefinedRows, Refinement, refine_rows
from latentforest.spectral import DiffusionMap


@dataclass(frozen=True, slots=True)
class Encoding:
    """How rows get their coordinates, and what decoders may learn from."""

    kernel: ForestKernel
    diffusion: DiffusionMap
    refined: RefinedRows | None = None

    def place(self, codes: Codes) -> Coords:
        """Coordinates of rows: by the Nyström formula, then refined if wanted."""
        refined = self.refined
        if refined is not None and not refined.needs_forest:
            return refined.place(codes)  # no tree is asked
        coords = self.kernel.place(codes, self.diffusion.leaf_table_)
        return coords if refined is None else refined.place(codes, coords)

    def embedding(self) -> Coords:
        """Coordinates of the training rows."""
        if self.refined is None:
            return self._plain()
        start = self._plain() if self.refined.needs_forest else None
        return self.refined.place_all(self.kernel.table_, start)

    def _plain(self) -> Coords:
        if self.kernel.landmarks is None:
            return self.diffusion.embedding_
        return self.diffusion.leaf_table_.encode(
            self.kernel.leaf_ids_, n_jobs=self.kernel.n_jobs
        )

    def leave_one_out(self) -> Coords:
        """Coordinates of the landmarks, each without itself and its copies."""
        group = self.kernel.table_.distinct_rows()[self.kernel.landmarks_]
        return self.diffusion.leave_one_out(self.kernel.leaf_kernel_, group=group)

    def new_coords(self) -> Coords:
        """Coordinates of the training rows as if they were new."""
        # Rows that are no landmarks are placed like new ones already.
        moved = self._plain().copy()
        moved[self.kernel.landmarks_] = self.leave_one_out()
        return moved

    def refine(self, settings: Refinement, rng: np.random.Generator) -> "Encoding":
        """Return the encoder with a refined map."""
        kernel = self.kernel
        refined = refine_rows(
            settings, kernel.table_, self.new_coords(), rng, n_jobs=kernel.n_jobs
        )
        return replace(self, refined=refined)

    def truncate(self, n_components: int) -> "Encoding":
        """Return the encoder with the first coordinates only, not refined."""
        return Encoding(self.kernel, self.diffusion.truncate(n_components))

    def context(self) -> DecoderContext:
        """All that decoders may ask for; what is costly is computed when it is asked.

        Decoders of a refined map know the refined rows only. These were moved without
        themselves, so that they lie like new rows already.
        """
        kernel, diffusion, refined = self.kernel, self.diffusion, self.refined
        if refined is not None:
            leaves = np.asfortranarray(kernel.leaf_ids_[refined.rows])
            return DecoderContext(
                kernel.table_.take(refined.rows),
                refined.map.coords_,
                GrownForest(kernel.forest_, leaves),
                encode=self.place,
            )
        spectrum = None
        if kernel.kind == "rf":
            spectrum = KernelSpectrum(
                diffusion.embedding_,
                diffusion.spectrum_.eigenvalues,
                kernel.leaf_kernel_.index.ids,
            )
        return DecoderContext(
            kernel.table_,
            self._plain(),
            GrownForest(kernel.forest_, kernel.leaf_ids_),
            spectrum,
            self.place,
            self.new_coords,
        )
