"""From an encoded table and a forest to an encoder: kernel, map, leaf table."""

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_integer
from latentforest._base._types import Floats
from latentforest.encoder._encoder import Encoder
from latentforest.encoder._plain import PlainMap
from latentforest.encoder._training import Training
from latentforest.encoder._tree_weights import TreeWeights, resolve_tree_weights
from latentforest.forest import GrownForest
from latentforest.kernel import BAG_KINDS, LeafIndex, LeafKernel
from latentforest.placing import LeafTable
from latentforest.spectral import DiffusionMap
from latentforest.table import EncodedTable


def fit_encoder(
    table: EncodedTable,
    grown: GrownForest,
    diffusion: DiffusionMap,
    *,
    kind: str = "rf",
    tree_weights: TreeWeights = None,
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
    kind : {"rf", "scornet", "oob", "gap"}, default="rf"
        The kernel.
    tree_weights : str, int, array of float or None, default=None
        What trees count; see `RFAE`.
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
    given = resolve_tree_weights(tree_weights, grown)
    kernel = leaf_kernel(grown, kind, given, landmarks, n_jobs)
    rows = np.arange(table.n_rows) if landmarks is None else landmarks
    return Encoder(
        grown.forest,
        PlainMap(diffusion, kernel, leaf_table),
        kind,
        None if landmarks is None else len(landmarks),
        n_jobs,
        training=Training(
            table,
            grown.leaf_ids,
            rows,
            kernel,
            grown.facts.in_bag if kind in BAG_KINDS else None,
        ),
        tree_weights=given,
    )


def leaf_kernel(
    grown: GrownForest,
    kind: str,
    tree_weights: Floats | None,
    landmarks: NDArray[np.int64] | None,
    n_jobs: int | None,
) -> LeafKernel:
    """Return the kernel between the rows that define it."""
    forest, in_bag = grown.forest, None
    if kind in BAG_KINDS:
        in_bag = draws_of(grown, kind)
    index = LeafIndex(grown.leaf_ids, forest.n_leaves, forest.leaf_start)
    if landmarks is not None:
        index = index.take(landmarks)
        in_bag = None if in_bag is None else in_bag[landmarks]
    return LeafKernel(
        index, kind, tree_weights=tree_weights, in_bag=in_bag, n_jobs=n_jobs
    )


def draws_of(grown: GrownForest, kind: str) -> NDArray[np.uint16]:
    """Return which rows each tree was grown on, or say why that is not known."""
    if grown.facts.in_bag is None:
        reason = grown.facts.untold or "this forest does not tell"
        message = (
            f"kernel={kind!r} needs to know which rows each tree was grown on, but "
            f"{reason}. Give a SupervisedForest, or a RandomForest* or ExtraTrees* of "
            "scikit-learn with bootstrap=True and the table that it was fitted on."
        )
        raise ValueError(message)
    return grown.facts.in_bag


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
