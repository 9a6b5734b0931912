"""Which cells of rows surprise."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_integer
from latentforest._base._types import Floats


@dataclass(frozen=True, slots=True, eq=False)
class OddCells:
    """How much each cell surprises, given the other cells of its row.

    Attributes
    ----------
    scores : ndarray of shape (n_rows,)
        Scores of the rows, as ``score_samples`` gives them.
    p_values : ndarray of shape (n_rows, n_columns)
        Share of the training rows, each left out and the row itself counted, whose cell
        in that column surprises at least as much: conformal p-values. Of rows like the
        training rows, no more than a share p has p-values up to p in a column.
    surprise : ndarray of shape (n_rows, n_columns)
        −log of how likely the cell is: of a level, or of numbers at least as far from
        what is expected. It orders cells whose p-values tie.
    expected : table like the fitted one
        What the other cells of the row let expect: a mean, or the likeliest level.
    """

    scores: Floats
    p_values: Floats
    surprise: Floats
    expected: Any

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
