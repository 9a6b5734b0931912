"""Which columns of a table coordinates go with."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from latentforest._base._types import Coords, Floats
from latentforest.table import EncodedTable

MOST_ROWS = 10_000  # that are looked at


@dataclass(frozen=True, slots=True)
class Associations:
    """How far each column explains the order of the rows along each coordinate."""

    strength: Floats  # (n_components, n_columns) share of the variance of ranks
    direction: Floats  # (n_components, n_columns) sign for numbers, 0 for levels

    def strongest(self, coordinate: int, n: int) -> list[int]:
        """Return the columns that go most with a coordinate, the first of equals."""
        order = np.argsort(-self.strength[coordinate], kind="stable")[:n]
        return [int(j) for j in order if self.strength[coordinate, j] > 0]


def associations(coords: Coords, table: EncodedTable) -> Associations:
    """Measure how far columns go with coordinates, on up to 10,000 rows.

    With r the ranks of the rows along a coordinate, a number has the square of its rank
    correlation, ρ². A column of levels has the share of the variance of r that lies
    between them, η² = 1 − SS_within / SS_total, less what as many levels have by
    chance: η² − (1 − η²) (L − 1) / (n − L). Rows with a missing cell do not count.
    """
    step = -(-len(coords) // MOST_ROWS)
    coords, values = coords[::step], table.values[::step]
    shape = coords.shape[1], table.schema.n_columns
    strength, direction = np.zeros(shape), np.zeros(shape)
    for column, spec in enumerate(table.schema.columns):
        known = ~np.isnan(values[:, column])
        cells = values[known, column]
        if len(cells) < 3 or cells.min() == cells.max():
            continue
        for j, along in enumerate(coords[known].T):
            if along.min() == along.max():
                continue
            ranks = rankdata(along)
            if spec.is_number or spec.is_scale:
                rho = float(np.corrcoef(ranks, rankdata(cells))[0, 1])
                strength[j, column], direction[j, column] = rho**2, np.sign(rho)
            else:
                strength[j, column] = _between(ranks, cells)
    return Associations(strength, direction)


def _between(ranks: Floats, levels: Floats) -> float:
    """Return η² of ranks between levels, less what chance gives."""
    _, group, size = np.unique(levels, return_inverse=True, return_counts=True)
    middle = ranks.mean()
    means = np.bincount(group, ranks) / size
    eta = float((size * (means - middle) ** 2).sum() / ((ranks - middle) ** 2).sum())
    free = len(ranks) - len(size)
    return max(eta - (1 - eta) * (len(size) - 1) / free, 0.0) if free else 0.0
