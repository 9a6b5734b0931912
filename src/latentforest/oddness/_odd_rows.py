"""The detector of odd rows, with scikit-learn's face."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from latentforest._base._checks import check_real
from latentforest._base._parallel import n_workers
from latentforest._base._random import RandomState
from latentforest.oddness._judge import Question, RowJudge
from latentforest.oddness._oddness import Oddness, fit_oddness
from latentforest.table import TableCodec, remember_columns

SELDOM = 0.01  # share of rows like the training rows that "auto" calls odd


class OddRows(RowJudge, OutlierMixin, BaseEstimator):
    """Find the odd rows of a table, and the cells that make them odd.

    A row is odd if it lies far from the usual rows of the table, or if its cells do not
    go together: each is compared with what forests, one per column, tell from the
    others. Numbers, categories and missing cells are taken as they are. Rows of the
    fitted table are judged as if they had not been in it.

    Parameters
    ----------
    contamination : "auto" or float, default="auto"
        Share of the fitted rows that ``predict`` calls odd, above 0 and up to 0.5.
        "auto" calls one in a hundred of them odd.
    kinds : dict or None, default=None
        Column name to kind, or to levels in order, for columns whose kind shall not
        be inferred.
    random_state : int, Generator, RandomState or None, default=None
        Seed. The same seed gives the same result, whatever ``n_jobs`` is.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.

    Attributes
    ----------
    offset_ : float
        Score below which rows are called odd.
    schema_ : TableSchema
        The columns.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, where the table has names.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import OddRows
    >>> table = load_iris(as_frame=True).frame
    >>> table.loc[3, "petal length (cm)"] = 5.5  # a setosa has 1 to 2
    >>> finder = OddRows(random_state=0).fit(table)
    >>> int(finder.score_samples(table).argmin())
    3
    >>> cells = finder.odd_cells(table.loc[[3]])
    >>> table.columns[cells.largest(1)[0, 0]]
    'petal length (cm)'
    """

    def __init__(
        self,
        contamination: str | float = "auto",
        *,
        kinds: Any = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.contamination = contamination
        self.kinds = kinds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what is usual.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            Numbers, booleans and categories; missing values are allowed.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        check_contamination(self.contamination)
        n_workers(self.n_jobs)
        # A level that was never seen is a gap, which surprises where there were none.
        codec = TableCodec(self.kinds, unseen="nearest")
        table = codec.fit_encode(X)
        if table.n_rows < 2:
            message = (
                f"Found array with {table.n_rows} sample(s) while a minimum of 2 is "
                "required: one row is neither usual nor odd. Add rows."
            )
            raise ValueError(message)
        oddness = fit_oddness(table, self.random_state, n_jobs=self.n_jobs)
        return self.settle(codec, oddness)

    def settle(self, codec: TableCodec, oddness: Oddness) -> Self:
        """Take what was learned elsewhere from a table."""
        self.codec_, self.schema_, self.oddness_ = codec, codec.schema_, oddness
        remember_columns(self, self.schema_)
        self.offset_ = offset_of(oddness, self.contamination)
        return self

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that text, categories and missing cells are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _question(self, X: Any) -> Question:
        check_is_fitted(self, "oddness_")
        name = type(self).__name__
        codes = self.codec_.encode(X, caller=name, to_nearest=False).values
        return Question(codes, self.oddness_, self.offset_)


def offset_of(oddness: Oddness, contamination: str | float) -> float:
    """Return the score that a share of the training rows falls below."""
    check_contamination(contamination)
    share = SELDOM if isinstance(contamination, str) else float(contamination)
    return float(np.percentile(oddness.own_scores(), 100.0 * share))


def check_contamination(contamination: Any) -> None:
    """Refuse what is no share of rows."""
    if isinstance(contamination, str) and contamination == "auto":
        return
    wanted = "Give 'auto', or a share above 0 and up to 0.5."
    if isinstance(contamination, str):
        message = f"contamination={contamination!r} is not known. {wanted}"
        raise ValueError(message)
    share = check_real("contamination", contamination, minimum=0.0)
    if not 0.0 < share <= 0.5:
        message = (
            f"contamination={contamination!r} is not a share of odd rows. {wanted}"
        )
        raise ValueError(message)
