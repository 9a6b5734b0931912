"""How much of the weight must be on gaps for a decoded cell to be missing."""

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest.neighbours import Neighbours, Weights

MOST_ROWS = 2_000  # that are decoded to see how many gaps come back
LOST = 0.01  # share of a column's cells that may cease to be gaps


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


def limits_for(weight: Floats, share: Floats) -> Floats:
    """Weight per column beyond which a cell is missing: half, or less.

    Gaps that have nothing to do with the other cells seldom have half of the weight
    anywhere, and would all be filled. Where that would take more than one in a
    hundred cells, the limit is lowered until it does not.

    Parameters
    ----------
    weight : ndarray of shape (n_rows, n_columns)
        Weight on gaps at the places of some training rows, each without itself.
    share : ndarray of shape (n_columns,)
        Share of gaps in the training rows.
    """
    ordered = np.sort(weight, axis=0)[::-1]
    limits = np.full(len(share), 0.5)
    for column, wanted in enumerate(np.floor((share - LOST) * len(weight))):
        n_gaps = int(wanted)
        if n_gaps >= 1 and (ordered[:, column] > 0.5).sum() < n_gaps:
            below = ordered[min(n_gaps, len(weight) - 1), column]
            limits[column] = min(max(below, 0.0), 0.5)
    return limits
