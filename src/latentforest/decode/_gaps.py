"""How much of the weight must be on gaps for a decoded cell to be missing."""

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest.neighbours import Neighbours, Weights

MOST_ROWS = 2_000  # that are decoded to see how many gaps come back
LOST = 0.01  # share of a column's cells that may cease to be gaps
GAINED = 0.02  # share of them that may become gaps where rows were trained on


def rows_to_try(n_rows: int, most: int = MOST_ROWS) -> NDArray[np.int64]:
    """Return rows all over the table."""
    return np.arange(0, n_rows, -(-n_rows // most))


def weight_of_gaps(found: Neighbours, weights: Weights, prototypes: Codes) -> Floats:
    """Return the weight that is on missing cells, (n_queries, n_columns)."""
    scores = weights.average if weights.linear is None else weights.linear
    gaps, weight = np.isnan(prototypes), np.zeros((len(scores), prototypes.shape[1]))
    for score, rows in zip(scores.T, found.rows.T, strict=True):
        weight += score[:, None] * gaps[rows]
    return weight


def limits_for(new: Floats, known: Floats, share: Floats) -> Floats:
    """Weight per column beyond which a cell is missing: half, or less.

    Gaps that have nothing to do with the other cells seldom have half of the weight
    anywhere, and would all be filled. Where new rows would lose more than one in a
    hundred cells that way, the limit is lowered until they lose half of that. Rows that
    were trained on lie where their own gaps are likely: the limit goes no lower than
    where two in a hundred of their cells become gaps.

    Parameters
    ----------
    new : ndarray of shape (n_rows, n_columns)
        Weight on gaps where some training rows would lie if they were new.
    known : ndarray of shape (n_rows, n_columns)
        Weight on gaps where they do lie, themselves among their neighbours.
    share : ndarray of shape (n_columns,)
        Share of gaps in the training rows.
    """
    kept = (new > 0.5).mean(axis=0)
    limit = np.maximum(
        _exceeded_by(new, share - LOST / 2), _exceeded_by(known, share + GAINED)
    )
    limits: Floats = np.where(kept < share - LOST, np.clip(limit, 0.0, 0.5), 0.5)
    return limits


def _exceeded_by(weight: Floats, share: Floats) -> Floats:
    """Return what such a share of each column is above."""
    n_above = np.floor(share * len(weight)).astype(np.int64)
    last = np.minimum(n_above, len(weight) - 1)
    below: Floats = np.sort(weight, axis=0)[::-1][last, np.arange(len(share))]
    return below
