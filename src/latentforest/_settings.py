"""Settings of the autoencoder: checks before any work, and the paper's choice."""

from typing import Any

import numpy as np

from latentforest._base._checks import check_integer, check_option, check_real
from latentforest._base._parallel import n_workers
from latentforest.decode import KNNDecoder
from latentforest.forest import AdversarialForest
from latentforest.kernel._operator import KERNEL_KINDS


def check_settings(model: Any) -> None:
    """Check the parameters that are no objects with checks of their own."""
    check_integer("n_components", model.n_components, minimum=1)
    check_option("kernel", model.kernel, KERNEL_KINDS)
    time = check_real("diffusion_time", model.diffusion_time, minimum=0.0)
    if not np.isfinite(time):
        message = f"diffusion_time={time} has no map. Give a finite number of steps."
        raise ValueError(message)
    n_workers(model.n_jobs)


def paper_settings() -> dict[str, Any]:
    """Parameters of the paper's benchmark."""
    return {
        "forest": AdversarialForest(500),
        "decoder": KNNDecoder(20, prototypes="draw"),
        "diffusion_time": 1.0,
        "kernel": "rf",
    }
