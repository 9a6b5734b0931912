"""Thresholds of libraries that round values to single precision first."""

import numpy as np

from latentforest._base._types import Floats


def in_double_precision(threshold: Floats) -> Floats:
    """Move thresholds so that ``x <= t`` in doubles says what scikit-learn says.

    scikit-learn rounds x to single precision first. With f the largest single not
    above t, x goes left exactly if it rounds to f or below: up to the point halfway
    to the next single, that point included if f is even (ties round to even).
    An infinite threshold tells missing from known cells and stays as it is.
    """
    moved = threshold.copy()
    finite = np.isfinite(threshold)
    threshold = threshold[finite]
    with np.errstate(over="ignore"):
        single = threshold.astype(np.float32)
        single = np.where(
            single > threshold, np.nextafter(single, np.float32(-np.inf)), single
        )
        above = np.nextafter(single, np.float32(np.inf))
    half = single.astype(np.float64) + (above.astype(np.float64) - single) / 2
    rounds_up = half.astype(np.float32) > single
    moved[finite] = np.where(rounds_up, np.nextafter(half, -np.inf), half)
    return moved
