"""How far out a value lies among those of the training rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats

TAIL = 0.1  # share of the values that tell how the tail goes on
STEEPEST = 50.0
ROUNDED = 1e-9  # share of a value


@dataclass(frozen=True, slots=True, eq=False)
class Tail:
    """The upper tail of values that are 0 or more, and beyond the largest of them.

    T(v) = −log of the share of values that are at least v, the new one counted, as far
    as the largest tenth; from there on T(v) = T(a) + α log(v / a), where a is the least
    value of that tenth and 1/α the mean of log(v_i / a) over it (Hill's estimate).
    """

    values: Floats  # sorted
    anchor: float  # a
    rate: float  # α

    @classmethod
    def of_values(cls, values: Floats) -> "Tail":
        """Learn from the values of training rows."""
        known = np.sort(values[~np.isnan(values)])
        positive = known[known > 0]
        if not len(positive):
            return cls(known, 1.0, 1.0)
        n_tail = max(1, round(TAIL * len(known)))
        anchor = max(known[-n_tail], positive[0])
        logs = np.log(positive[positive >= anchor] / anchor)
        mean = max(logs.mean(), 1.0 / STEEPEST)
        return cls(known, float(anchor), float(1.0 / mean))

    def surprise(self, values: Floats) -> Floats:
        """Return T(v)."""
        with np.errstate(divide="ignore"):
            beyond: Floats = self.rate * np.log(values / self.anchor)
        inner: Floats = self.p_values(np.minimum(values, self.anchor))
        return np.maximum(beyond, 0.0) - np.log(inner)

    def p_values(self, values: Floats) -> Floats:
        """Share of the values, the new one counted, that are at least as large.

        p(v) = (1 + #{i : v_i ≥ v}) / (1 + n), the conformal p-value: a new value from
        where the others come from has p ≤ u with a probability of at most u.
        """
        count = count_from(self.values, values)
        return np.asarray((1.0 + count) / (1.0 + len(self.values)), np.float64)


def count_from(known: Floats, values: Floats) -> NDArray[np.int64]:
    """Count the known values, sorted and 0 or more, that are at least as large.

    Those that are smaller by what is rounded off count, too: they tie.
    """
    least = values * (1.0 - ROUNDED)
    return np.asarray(len(known) - np.searchsorted(known, least, side="left"))
