"""Leaf vectors fitted anew: ridge regression on rows that the large model placed."""

import numpy as np

from latentforest._base._types import Floats, LeafIds
from latentforest.kernel import (
    LeafIndex,
    divide_or_zero,
    gather_from_leaves,
    leaf_sums,
)

MOST_STEPS, ENOUGH = 40, 1e-3  # of the gradient that may be left


def refit_leaves(
    ids: LeafIds,
    targets: Floats,
    values: Floats,
    degree: Floats,
    *,
    ridge: float,
    n_jobs: int | None = None,
) -> Floats:
    """Move leaf vectors until their sums come as near to targets as they can.

    With A the mean over the leaves of a row, A W = Π W / Π degree, this is

        min over W of  ‖A W − Y‖² + ρ ‖W − W₀‖²,

    solved by conjugate gradients. Leaves that few rows reach stay near what they
    said before, W₀.

    Parameters
    ----------
    ids : array of int, shape (n_rows, n_trees)
        Leaves of rows.
    targets : array of float, shape (n_rows, n_columns)
        What their leaves shall say together.
    values : array of float, shape (n_leaves, n_columns)
        W₀, what each leaf says.
    degree : array of float, shape (n_leaves,)
        What each adds to the degree of a row, see `LeafTable`.
    ridge : float
        ρ, above 0: the rows that W₀ counts for in each leaf.
    n_jobs : int or None, default=None
        Threads.

    Returns
    -------
    array of float, shape (n_leaves, n_columns)
    """
    index = LeafIndex(ids, len(values))
    total = gather_from_leaves(index.ids, degree[:, None], n_jobs=n_jobs)[:, 0]
    share = divide_or_zero(np.ones(len(total)), total)
    unit = 1.0 / share.mean() if share.any() else 1.0  # degrees are 1, or counts
    share *= unit

    def of_rows(vectors: Floats) -> Floats:
        sums = gather_from_leaves(index.ids, vectors, n_jobs=n_jobs)
        return np.asarray(share[:, None] * sums)

    def of_leaves(rows: Floats) -> Floats:
        return leaf_sums(index, rows, weights=share, n_jobs=n_jobs)

    rest = of_leaves(targets - of_rows(values / unit))
    held = of_leaves(share[:, None]) + ridge
    moved, step = np.zeros(values.shape), rest / held
    slope, goal = (rest * step).sum(axis=0), ENOUGH**2 * (rest**2).sum(axis=0)
    for _ in range(MOST_STEPS):
        if ((rest**2).sum(axis=0) <= goal).all():
            break
        bent = of_leaves(of_rows(step)) + ridge * step
        length = divide_or_zero(slope, (step * bent).sum(axis=0))
        moved += length * step
        rest -= length * bent
        scaled = rest / held
        slope, before = (rest * scaled).sum(axis=0), slope
        step = scaled + divide_or_zero(slope, before) * step
    return values + unit * moved
