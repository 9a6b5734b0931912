"""Q-values: what share of the cells that are named so odd may be usual."""

import numpy as np
from scipy.stats import false_discovery_control

from latentforest._base._types import Floats


def q_values_of(p_values: Floats) -> Floats:
    """Return the q-values of Benjamini and Hochberg (1995) of cells judged together."""
    if not p_values.size:
        return p_values.copy()
    found: Floats = false_discovery_control(p_values, axis=None, method="bh")
    return found.reshape(p_values.shape)


class Discoveries:
    """Counts of p-values that come block by block, and the q-values of all of them.

    q(p) = min over p' ≥ p of m p' / #{cells with a p-value up to p'}, and at most 1

    where m is the number of cells (Benjamini and Hochberg, 1995). A p-value is a
    multiple of 1 / (1 + n), so that counting needs no more room than the training rows.

    Parameters
    ----------
    n_known : int
        n, the number of training rows.
    """

    def __init__(self, n_known: int) -> None:
        self._counts = np.zeros(n_known + 2, np.int64)  # of p = place / (1 + n)

    def add(self, p_values: Floats) -> None:
        """Count the p-values of more cells."""
        places = self._places(p_values).ravel()
        self._counts += np.bincount(places, minlength=len(self._counts))

    def q_values(self, p_values: Floats) -> Floats:
        """Return q-values of cells that were counted, among all that were."""
        up_to = np.cumsum(self._counts)
        p_of = np.arange(len(up_to)) / (len(up_to) - 1.0)
        share = p_of * up_to[-1] / np.maximum(up_to, 1)
        least = np.minimum.accumulate(share[::-1])[::-1]
        return np.asarray(np.minimum(least, 1.0)[self._places(p_values)])

    def _places(self, p_values: Floats) -> np.ndarray:
        return np.rint(p_values * (len(self._counts) - 1.0)).astype(np.int64)
