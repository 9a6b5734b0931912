"""Settings of the autoencoder: checks before any work, and the paper's choice."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_integer, check_option, check_real
from latentforest._base._parallel import n_workers
from latentforest._base._warn import warn
from latentforest.decode import AutoDecoder, Decoder, KNNDecoder
from latentforest.encoder import Encoder, check_tree_weights
from latentforest.forest import AdversarialForest
from latentforest.kernel import KERNEL_KINDS
from latentforest.refine import AutoRefinement, Refinement
from latentforest.table import EncodedTable


def check_settings(model: Any) -> None:
    """Check the parameters that are not objects with checks of their own."""
    check_integer("n_components", model.n_components, minimum=1)
    check_option("kernel", model.kernel, KERNEL_KINDS)
    check_tree_weights(model.tree_weights)
    time = check_real("diffusion_time", model.diffusion_time, minimum=0.0)
    if not np.isfinite(time):
        message = f"diffusion_time={time} is not finite. Give a finite number of steps."
        raise ValueError(message)
    n_workers(model.n_jobs)
    if model.landmarks is not None:
        check_integer("landmarks", model.landmarks, minimum=2)
    if model.max_samples is not None:
        check_integer("max_samples", model.max_samples, minimum=2)
    refinement = resolve_refinement(model)
    elsewhere = isinstance(refinement, Refinement) and refinement.start != "forest"
    weighed = model.tree_weights is not None
    if elsewhere and (time != 1.0 or model.kernel != "rf" or weighed):
        chosen = ", tree_weights" if weighed else ""
        message = (
            f"diffusion_time={model.diffusion_time}, kernel={model.kernel!r}{chosen}: "
            "they shape the diffusion map, which is refined here from another start. "
            "Give refine=None to look at it, or Refinement(start='forest')."
        )
        warn(message)


def check_enough_rows(
    n_components: int, table: EncodedTable, landmarks: NDArray[np.int64] | None
) -> None:
    """Refuse more coordinates than the rows that define the kernel can have."""
    n_rows = table.n_rows if landmarks is None else len(landmarks)
    if n_rows <= n_components:
        message = (
            f"Found array with {n_rows} sample(s) while a minimum of "
            f"{n_components + 1} is required: a map of {n_components} coordinates "
            "needs one row more than that. Lower the number of components, or add rows."
        )
        raise ValueError(message)


def is_auto(choice: Any) -> bool:
    """Whether a forest or decoder is left to us."""
    return isinstance(choice, str) and choice == "auto"


def check_decodable(decoder: Decoder, model: Any) -> None:
    """Refuse a decoder that has no use for the map."""
    refinement = resolve_refinement(model)
    is_packed = isinstance(refinement, Refinement) and refinement.start == "packed"
    if "columns" in decoder.needs() and not is_packed:
        message = (
            f"{decoder!r} reads columns off coordinates that carry certain ones each, "
            f"which those of refine={model.refine!r} do not. Give "
            "refine=Refinement(start='packed'), or another decoder."
        )
        raise ValueError(message)
    if refinement is not None and "spectrum" in decoder.needs():
        message = (
            f"{decoder!r} reads coordinates by the eigenvalues of the kernel, which "
            f"refine={model.refine!r} moves them away from. Give refine=None, or "
            "another decoder."
        )
        raise ValueError(message)


def resolve_refinement(model: Any) -> Refinement | AutoRefinement | None:
    """Read the ``refine`` parameter: nothing, rounds, a word, or all settings.

    "default" is for those who leave the rest to us too: who names a forest or a decoder
    wants to see what it does.
    """
    refine = model.refine
    if isinstance(refine, str):
        others = ", None for a plain map, a number of rounds or a Refinement"
        check_option("refine", refine, ("default", "auto"), others)
        if refine == "auto":
            refine = AutoRefinement()
        else:
            all_ours = is_auto(model.forest) and is_auto(model.decoder)
            refine = Refinement() if all_ours else None
    if refine is None:
        return None
    settings: Refinement | AutoRefinement = (
        refine
        if isinstance(refine, (Refinement, AutoRefinement))
        else Refinement(refine)
    )
    settings.check()
    return settings


def refined_decoder(decoder: Decoder, encoder: Encoder) -> Decoder:
    """Return the decoder to use: "auto" becomes what the rows are refined for."""
    if isinstance(decoder, AutoDecoder) and encoder.refined is not None:
        refined = encoder.refined.map
        return refined.settings.decoder(
            refined.coords_, extrapolate=decoder.extrapolate, n_jobs=decoder.n_jobs
        )
    return decoder


def paper_settings() -> dict[str, Any]:
    """Parameters of the paper's benchmark."""
    return {
        "forest": AdversarialForest(500, round_estimators=None),
        "decoder": KNNDecoder(20, prototypes="draw"),
        "diffusion_time": 1.0,
        "kernel": "rf",
        "refine": None,
    }
