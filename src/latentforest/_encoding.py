"""The encoder as decoders see it: forest, kernel and map behind the coordinates."""

from latentforest._base._types import Codes, Coords
from latentforest.decode import DecoderContext, KernelSpectrum
from latentforest.forest import GrownForest
from latentforest.kernel import ForestKernel
from latentforest.spectral import DiffusionMap


def leave_one_out(kernel: ForestKernel, diffusion: DiffusionMap) -> Coords:
    """Coordinates of the landmarks, each without itself and its copies."""
    group = kernel.table_.distinct_rows()[kernel.landmarks_]
    return diffusion.leave_one_out(kernel.leaf_kernel_, group=group)


def decoder_context(
    kernel: ForestKernel, diffusion: DiffusionMap, coords: Coords
) -> DecoderContext:
    """All that decoders may ask for; what is costly is computed when it is asked."""

    def encode(codes: Codes) -> Coords:
        ids = kernel.forest_.leaves(codes, n_jobs=kernel.n_jobs)
        return diffusion.leaf_table_.encode(ids, n_jobs=kernel.n_jobs)

    def leave_out() -> Coords:
        # Rows that are no landmarks are placed like new ones already.
        moved = coords.copy()
        moved[kernel.landmarks_] = leave_one_out(kernel, diffusion)
        return moved

    spectrum = None
    if kernel.kind == "rf":
        spectrum = KernelSpectrum(
            diffusion.embedding_,
            diffusion.spectrum_.eigenvalues,
            kernel.leaf_kernel_.index.ids,
        )
    return DecoderContext(
        kernel.table_,
        coords,
        GrownForest(kernel.forest_, kernel.leaf_ids_),
        spectrum,
        encode,
        leave_out,
    )
