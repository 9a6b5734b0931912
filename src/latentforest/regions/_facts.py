"""What was observed of each column."""

from dataclasses import dataclass

import numpy as np

from latentforest._base._moments import mean_of
from latentforest._base._types import Bools, Codes, Floats, Ints


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What a row made from a region must respect, read off the training rows."""

    lower: Floats  # (n_columns,) observed range of the codes
    upper: Floats
    whole: Bools  # columns whose codes are whole numbers
    centre: Floats  # mean of a number, most frequent level of a category
    level_counts: Floats  # rows of each level, one category after the other


def column_facts(values: Codes, split_levels: Ints, whole: Bools) -> ColumnFacts:
    """Ranges, means and level counts of a table of codes."""
    n_columns = values.shape[1]
    lower, upper, centre = np.full((3, n_columns), np.nan)
    counts: list[Floats] = [np.empty(0)]
    for column in range(n_columns):
        seen = values[~np.isnan(values[:, column]), column]
        n_levels = int(split_levels[column])
        if n_levels:
            count = np.bincount(seen.astype(np.int64), minlength=n_levels)
            counts.append(count.astype(np.float64))
        if len(seen):
            middle = counts[-1].argmax() if n_levels else mean_of(seen)
            lower[column], upper[column] = seen.min(), seen.max()
            centre[column] = np.round(middle) if whole[column] else middle
    return ColumnFacts(lower, upper, np.asarray(whole), centre, np.concatenate(counts))
