"""Names of columns that can be compared."""

from collections.abc import Hashable
from typing import Any

import numpy as np


def one_nan(name: Any) -> Hashable:
    """Return a name in which NaN, if there is one, is always the same object.

    NaN equals nothing, but Python finds an object again, alone or in a tuple.
    """
    if isinstance(name, tuple):
        return tuple(map(one_nan, name))
    nan: Hashable = np.nan
    return nan if isinstance(name, float) and np.isnan(name) else name
