"""Settings of the autoencoder: checks before any work, and the paper's choice."""

from typing import Any

import numpy as np

from latentforest._base._checks import check_integer, check_option, check_real
from latentforest._base._parallel import n_workers
from latentforest.decode import KNNDecoder
from latentforest.forest import AdversarialForest
from latentforest.kernel._operator import KERNEL_KINDS
from latentforest.refine import Refinement


def check_settings(model: Any) -> None:
    """Check the parameters that are no objects with checks of their own."""
    check_integer("n_components", model.n_components, minimum=1)
    check_option("kernel", model.kernel, KERNEL_KINDS)
    time = check_real("diffusion_time", model.diffusion_time, minimum=0.0)
    if not np.isfinite(time):
        message = f"diffusion_time={time} has no map. Give a finite number of steps."
        raise ValueError(message)
    n_workers(model.n_jobs)


def resolve_refinement(refine: Any) -> Refinement | None:
    """Read a ``refine`` parameter: nothing, a number of rounds, or all settings."""
    if refine is None:
        return None
    settings = refine if isinstance(refine, Refinement) else Refinement(refine)
    settings.check()
    return settings


def decoder_for(decoder: Any, refinement: Refinement | None) -> Any:
    """Return the decoder to use: "auto", refined, is what rows were refined for."""
    if refinement is None or decoder != "auto":
        return decoder
    return refinement.decoder()


def paper_settings() -> dict[str, Any]:
    """Parameters of the paper's benchmark."""
    return {
        "forest": AdversarialForest(500),
        "decoder": KNNDecoder(20, prototypes="draw"),
        "diffusion_time": 1.0,
        "kernel": "rf",
    }
