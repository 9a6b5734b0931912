"""First days of months and years: dates that stand for more than a day."""

import numpy as np

from latentforest.table._zones import Counts

FIRSTS = {"year": "Y", "month": "M"}  # from coarse to fine, with NumPy's letters
_FAR = 10**8  # days from 1970, beyond which there is no calendar


def firsts_of(days: Counts) -> set[str]:
    """Tell whether all days, counted from 1970, are first days of years, or months."""
    return {of for of in FIRSTS if (nearest_first(days, of) == days).all()}


def nearest_first(days: Counts, of: str) -> Counts:
    """Move days, counted from 1970, to the nearest first one, the earlier if two are.

    Examples
    --------
    >>> days = np.array(["2024-02-28", "2024-03-05", "2024-06-30"], "M8[D]")
    >>> nearest_first(days.astype(int), "month").astype("M8[D]").astype(str).tolist()
    ['2024-03-01', '2024-03-01', '2024-07-01']
    """
    near = np.abs(days) < _FAR
    period = np.where(near, days, 0).astype("M8[D]").astype(f"M8[{FIRSTS[of]}]")
    before, after = (
        edge.astype("M8[D]").astype(np.int64) for edge in (period, period + 1)
    )
    nearest = np.where(days - before <= after - days, before, after)
    return np.where(near, nearest, days)
