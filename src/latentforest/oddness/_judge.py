"""What everyone says of rows who can tell odd ones."""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest.oddness._odd_cells import OddCells
from latentforest.oddness._oddness import Oddness
from latentforest.table import TableCodec, index_of


class Question(NamedTuple):
    """Rows to judge, and what they are judged by."""

    codes: Codes
    oddness: Oddness
    offset: float  # score below which rows are odd


class RowJudge:
    """Scores of rows, odd rows and odd cells, by what was learned to be usual."""

    codec_: TableCodec

    @abstractmethod
    def _question(self, X: Any) -> Question:
        """Read rows of a table, and say what they are judged by."""

    def score_samples(self, X: Any) -> Floats:
        """Score rows: 0 is the most usual, and the lower the odder.

        A row of the training table is judged as if it had not been there.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        question = self._question(X)
        return question.oddness.judge(question.codes).scores

    def decision_function(self, X: Any) -> Floats:
        """Scores minus ``offset_``: negative for odd rows.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        question = self._question(X)
        return question.oddness.judge(question.codes).scores - question.offset

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Return 1 for usual rows and -1 for odd ones.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        ndarray of int, shape (n_rows,)
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def odd_cells(self, X: Any) -> OddCells:
        """Tell which cells surprise given the others, and what was expected there.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        OddCells
        """
        question = self._question(X)
        return odd_cells(question.oddness, self.codec_, question.codes, index_of(X))


def odd_cells(
    oddness: Oddness, codec: TableCodec, codes: Floats, index: Any = None
) -> OddCells:
    """Judge the cells of rows that are given as codes."""
    judged = oddness.judge(codes)
    schema = codec.schema_
    # Of a column that has no value at all, none is expected.
    void = np.where(schema.is_number, np.isnan(schema.lower), schema.n_levels == 0)
    expected = np.where(void, np.nan, judged.expected)
    return OddCells(
        judged.scores,
        judged.p_values,
        judged.surprise,
        codec.decode(expected, index=index),
    )
