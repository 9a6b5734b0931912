"""Means and standard deviations of numbers of any size."""

import numpy as np

from latentforest._base._types import Floats

_FAR = 480  # binary digits; squares of such numbers, and sums of them, are finite


def mean_of(numbers: Floats) -> float:
    """Mean of at least one finite number; it is finite, and lies among them.

    Examples
    --------
    >>> mean_of(np.array([1.5e308, 1.5e308]))
    1.5e+308
    """
    scaled, digits = _scaled(numbers)
    # Rounding may carry the mean of equal values past them.
    middle = scaled.mean().clip(scaled.min(), scaled.max())
    return float(np.ldexp(middle, digits))


def std_of(numbers: Floats) -> float:
    """Return the standard deviation of at least one finite number; it is finite.

    Examples
    --------
    >>> std_of(np.array([-1.5e308, 1.5e308]))
    1.5e+308
    """
    scaled, digits = _scaled(numbers)
    return float(np.ldexp(scaled.std(), digits))


def _scaled(numbers: Floats) -> tuple[Floats, int]:
    """Numbers near 1, and the power of two that was taken out; none if all is well."""
    digits = int(np.frexp(np.abs(numbers).max())[1])
    if abs(digits) <= _FAR:
        return numbers, 0
    return np.ldexp(numbers, -digits), digits
