"""Columns as small whole numbers: what the compiled growers read.

A number becomes the rank of its value among the distinct values of its column (or,
past `MAX_BINS` of them, the rank of a group of neighbouring values), a category its
level. Ranks lose nothing: a threshold between two bins is a threshold between values.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import run_blocks
from latentforest._base._types import Codes, Floats, Ints

MAX_BINS = 65_534  # uint16, with one code left for missing cells


class BinnedTable(NamedTuple):
    """A table of bin numbers, column by column; compiled loops read it as it is."""

    bins: NDArray[np.uint16]  # (n_columns, n_rows); n_bins[j] marks a missing cell
    n_bins: Ints  # (n_columns,)
    split_levels: Ints  # (n_columns,) levels of an unordered category, 0 for numbers
    lower: Floats  # smallest value of each bin, columns one after the other
    upper: Floats  # largest value of each bin
    start: NDArray[
        np.int64
    ]  # (n_columns + 1,) where each column begins in lower, upper


def bin_table(
    values: Codes, split_levels: Ints, *, n_jobs: int | None = None
) -> BinnedTable:
    """Bin every column of a table of codes.

    ``split_levels[j]`` is the number of levels of an unordered category, or 0 where
    thresholds on the codes make sense.
    """
    n_rows, n_columns = values.shape
    bins = np.empty((n_columns, n_rows), np.uint16)

    def work(column: int) -> tuple[Floats, Floats]:
        codes = values[:, column]
        if split_levels[column] > MAX_BINS:
            message = (
                f"column {column} is a category of {split_levels[column]} levels, but "
                f"at most {MAX_BINS} can be split. Drop it, or join rare levels."
            )
            raise ValueError(message)
        if split_levels[column]:
            lower = upper = np.arange(split_levels[column], dtype=np.float64)
            ranks = codes
        else:
            lower, upper, ranks = _rank(codes)
        bins[column] = np.where(np.isnan(codes), len(lower), ranks)
        return lower, upper

    edges = run_blocks(work, range(n_columns), n_jobs=n_jobs)
    lowers, uppers = [lower for lower, _ in edges], [upper for _, upper in edges]
    n_bins = np.array([len(lower) for lower in lowers], np.int32)
    return BinnedTable(
        bins,
        n_bins,
        np.asarray(split_levels, np.int32),
        np.concatenate(lowers),
        np.concatenate(uppers),
        np.concatenate([[0], np.cumsum(n_bins, dtype=np.int64)]),
    )


def _rank(codes: Floats) -> tuple[Floats, Floats, Floats]:
    """Smallest and largest value of each bin, and the bin of every row."""
    distinct = np.unique(codes[~np.isnan(codes)])
    n_bins = min(len(distinct), MAX_BINS)
    if n_bins == 0:  # all missing: one empty bin keeps the arrays regular
        return np.zeros(1), np.zeros(1), np.zeros(len(codes))
    first = np.arange(n_bins) * len(distinct) // n_bins
    lower = distinct[first]
    upper: Floats = distinct[np.append(first[1:], len(distinct)) - 1]
    ranks = np.searchsorted(lower, codes, side="right") - 1
    return lower, upper, ranks.astype(np.float64)
