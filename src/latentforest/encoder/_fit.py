"""From an encoded table and a forest to an encoder: kernel, map, leaf table."""

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_integer
from latentforest.encoder._encoder import Encoder
from latentforest.encoder._plain import PlainMap
from latentforest.encoder._training import Training
from latentforest.forest import GrownForest
from latentforest.kernel import LeafIndex, LeafKernel
from latentforest.placing import LeafTable
from latentforest.spectral import DiffusionMap
from latentforest.table import EncodedTable


def fit_encoder(
    table: EncodedTable,
    grown: GrownForest,
    diffusion: DiffusionMap,
    *,
    kind: str = "rf",
    landmarks: NDArray[np.int64] | None = None,
    leaf_table: LeafTable | None = None,
    n_jobs: int | None = None,
) -> Encoder:
    """Put kernel, map and leaf table together; the last two wait until they are asked.

    Parameters
    ----------
    table : EncodedTable
        The training rows.
    grown : GrownForest
        The forest, and the leaves of the rows.
    diffusion : DiffusionMap
        Settings of the map; one that is fitted, such as that of a model file, is
        taken as it is.
    kind : {"rf", "scornet"}, default="rf"
        The kernel.
    landmarks : array of int or None, default=None
        The rows that define the kernel; None takes all.
    leaf_table : LeafTable or None, default=None
        The table, where it is known.
    n_jobs : int or None, default=None
        Threads.

    Returns
    -------
    Encoder
    """
    kernel = leaf_kernel(grown, kind, landmarks, n_jobs)
    rows = np.arange(table.n_rows) if landmarks is None else landmarks
    return Encoder(
        grown.forest,
        PlainMap(diffusion, kernel, leaf_table),
        kind,
        None if landmarks is None else len(landmarks),
        n_jobs,
        training=Training(table, grown.leaf_ids, rows, kernel),
    )


def leaf_kernel(
    grown: GrownForest,
    kind: str,
    landmarks: NDArray[np.int64] | None,
    n_jobs: int | None,
) -> LeafKernel:
    """Return the kernel between the rows that define it."""
    index = LeafIndex(grown.leaf_ids, grown.forest.n_leaves)
    if landmarks is not None:
        index = index.take(landmarks)
    return LeafKernel(index, kind, n_jobs=n_jobs)


def draw_landmarks(
    n_rows: int, wanted: int | None, rng: np.random.Generator
) -> NDArray[np.int64] | None:
    """Draw the rows that define the kernel; None stands for all of them."""
    if wanted is None:
        return None
    if check_integer("landmarks", wanted, minimum=2) > n_rows:
        message = (
            f"landmarks={wanted} is more than the {n_rows} rows. "
            "Lower it, or give None for all rows."
        )
        raise ValueError(message)
    return np.sort(rng.choice(n_rows, wanted, replace=False))
