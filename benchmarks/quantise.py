"""Coordinates in a few bits: the levels that lose least (Lloyd 1982, Max 1960)."""

import numpy as np

SWEEPS = 100


def best_levels(values: np.ndarray, bits: int) -> np.ndarray:
    """Levels for one coordinate, each the mean of the known values nearest to it.

    Half of the first guesses follow the values' quantiles, half their range: a few
    outlying rows then cost neither the crowd its fine steps nor themselves their place.
    """
    values, half = np.sort(values), 2**bits // 2
    crowd = np.quantile(values, (np.arange(half) + 0.5) / half)
    levels = np.unique(np.r_[crowd, np.linspace(values[0], values[-1], half)])
    sums = np.r_[0.0, np.cumsum(values)]
    for _ in range(SWEEPS):
        edges = np.searchsorted(values, (levels[1:] + levels[:-1]) / 2)
        edges = np.r_[0, edges, len(values)]
        sizes, totals = np.diff(edges), np.diff(sums[edges])
        # A level without known values costs nothing and stays for new ones.
        means = np.divide(totals, sizes, out=levels.copy(), where=sizes > 0)
        if np.allclose(means, levels):
            break
        levels = np.unique(means)
    return levels


def quantised(coords: np.ndarray, train: np.ndarray, bits: int) -> np.ndarray:
    """Each coordinate at the nearest of at most ``2 ** bits`` levels of training."""
    columns = []
    for known, new in zip(train.T, coords.T, strict=True):
        levels = best_levels(known, bits)
        columns.append(
            levels[np.searchsorted((levels[1:] + levels[:-1]) / 2, new, "right")]
        )
    return np.column_stack(columns)
