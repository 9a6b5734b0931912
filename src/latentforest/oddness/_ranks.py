"""P-values of cells: how their surprise ranks among that of the training rows."""

from dataclasses import dataclass

import numpy as np

from latentforest._base._types import Floats
from latentforest.oddness._cells import FOLDS, Rows, Surprise
from latentforest.oddness._tail import count_from


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

    def p_values(self, column: int, said: Surprise, fold: Rows) -> Floats:
        """Return p-values in a column; ``fold`` is that of training rows, or −1."""
        count, n_known = np.zeros(len(fold)), 0
        for k, columns in enumerate(self.known):
            mine = np.where(fold < 0, said.by_fold[:, k], said.surprise)
            count += count_from(columns[column], mine)
            n_known += len(columns[column])
        return (1.0 + count) / (1.0 + n_known)
