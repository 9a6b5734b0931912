"""P-values of cells: how their surprise ranks among that of the training rows."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from latentforest._base._types import Codes, Floats
from latentforest.oddness._cells import FOLDS, Rows
from latentforest.oddness._tail import count_from


class CellSurprise(NamedTuple):
    """How much the cells of rows surprise."""

    surprise: Floats  # (n_rows, n_columns)
    by_fold: Floats  # (n_rows, n_columns, FOLDS) by the trees grown without each fold
    expected: Codes  # (n_rows, n_columns)


@dataclass(frozen=True, slots=True, eq=False)
class CellRanks:
    """Surprise of the training rows' cells, each by the trees that did not see the row.

    p = (1 + Σ_k #{i in fold k : s_i ≥ s_k}) / (1 + n)

    where s_k is the surprise of a new cell by the trees grown without fold k: a
    cross-conformal p-value (Vovk, 2015). To those trees the rows of the fold are as new
    as the new row. A training row has one surprise, which is compared with all.
    """

    known: list[list[Floats]]  # by fold and column, sorted

    @classmethod
    def of_table(cls, surprise: Floats, fold: Rows) -> "CellRanks":
        """Remember the surprise of the training rows."""
        return cls(
            [
                [np.sort(column) for column in surprise[fold == k].T]
                for k in range(FOLDS)
            ]
        )

    def p_values(self, cells: CellSurprise, fold: Rows) -> Floats:
        """Return p-values of cells; ``fold`` is that of a training row, or −1."""
        is_new = (fold < 0)[:, None]
        count = np.zeros(cells.surprise.shape)
        for k, columns in enumerate(self.known):
            mine = np.where(is_new, cells.by_fold[:, :, k], cells.surprise)
            for column, known in enumerate(columns):
                count[:, column] += count_from(known, mine[:, column])
        n_known = sum(len(columns[0]) for columns in self.known)
        return (1.0 + count) / (1.0 + n_known)
