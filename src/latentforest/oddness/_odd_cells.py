"""Which cells of rows surprise."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_integer
from latentforest._base._types import Floats
from latentforest.oddness._discoveries import q_values_of


@dataclass(frozen=True, slots=True, eq=False)
class OddCells:
    """How much each cell surprises, given the other cells of its row.

    Attributes
    ----------
    scores : ndarray of shape (n_rows,)
        Scores of the rows, as ``score_samples`` gives them.
    p_values : ndarray of shape (n_rows, n_columns)
        Share of the training rows, the row itself counted, whose cell in that column
        surprises at least as much, by trees that saw neither: cross-conformal p-values.
        Of rows like the training rows, about a share p or less has p-values up to p in
        a column.
    surprise : ndarray of shape (n_rows, n_columns)
        −log of how likely the cell is: of a level, or of numbers at least as far from
        what is expected. It orders cells whose p-values tie.
    expected : table like the fitted one
        What the other cells of the row let expect: a mean, or the likeliest level.
    q_values : ndarray of shape (n_rows, n_columns)
        P-values, corrected for how many cells were judged together. Where all cells
        with a q-value up to q are called odd, about a share q of them is usual. If the
        rows are those that were fitted, all are 1: p-values are ranks among them.
    """

    scores: Floats
    p_values: Floats
    surprise: Floats
    expected: Any

    @property
    def q_values(self) -> Floats:
        """Q-values of Benjamini and Hochberg, among all cells of these rows."""
        return q_values_of(self.p_values)

    def largest(self, n: int = 3) -> NDArray[np.int64]:
        """Columns of the most surprising cells of each row, the oddest first.

        Parameters
        ----------
        n : int, default=3
            How many; rows with fewer columns give all.

        Returns
        -------
        ndarray of int, shape (n_rows, n)
        """
        check_integer("n", n, minimum=1)
        order = np.lexsort((-self.surprise, self.p_values), axis=1)
        return order[:, :n]
