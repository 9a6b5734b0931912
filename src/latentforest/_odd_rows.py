"""What a fitted model says of rows: how odd they are, which others are like them."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from latentforest._base._checks import check_integer
from latentforest._base._types import Bools, Codes, Floats
from latentforest._latent import LatentModel
from latentforest.decode import Decoder
from latentforest.encoder import Encoder
from latentforest.kernel import LeafRows, largest_entries
from latentforest.oddness import (
    OddRows,
    Question,
    RowJudge,
    check_contamination,
    fit_oddness,
)
from latentforest.table import TableSchema, index_of

OUTSIDE = 0.1  # of the range of a number, beyond its ends, is outside
RANK, TRAINING_ROW, KERNEL = "rank", "training_row", "kernel"
TRAINING_LABEL = "training_label"
ODDNESS = "oddness"  # what pictures call minus the score


class Finder:
    """The detector of a model, made when first asked for."""

    made: OddRows | None = None


class JudgingModel(RowJudge, LatentModel):
    """A fitted model that can tell odd rows, and rows that are alike.

    The first question about odd rows learns what is usual.
    """

    _finder: Finder

    def _settle(self, encoder: Encoder, decoder: Decoder | None) -> None:
        super()._settle(encoder, decoder)
        self._finder = Finder()

    def odd_rows(self, contamination: str | float = "auto") -> OddRows:
        """Return a detector of odd rows that was fitted on the model's training rows.

        What the model says itself is said by this detector with "auto".

        Parameters
        ----------
        contamination : "auto" or float, default="auto"
            Share of the training rows that it calls odd; see `OddRows`.

        Returns
        -------
        OddRows
        """
        check_is_fitted(self, "encoder_")
        check_contamination(contamination)
        table = self.encoder_.trained_on("judging rows").table
        if self._finder.made is None:
            # One seed for all models: the same table, the same scores.
            oddness = fit_oddness(table, 0, n_jobs=self.encoder_.n_jobs)
            self._finder.made = OddRows(random_state=0).settle(self.codec_, oddness)
        if isinstance(contamination, str) and contamination == "auto":
            return self._finder.made
        other = OddRows(contamination, random_state=0)
        return other.settle(self.codec_, self._finder.made.oddness_)

    @property
    def offset_(self) -> float:
        """Score below which ``predict`` calls rows odd: that of one row in 100.

        ``odd_rows(contamination)`` returns a detector with another share.
        """
        return self.odd_rows().offset_

    def _question(self, X: Any) -> Question:
        codes, finder = self._as_codes(X, to_nearest=False), self.odd_rows()
        return Question(codes, finder.oddness_, finder.offset_)

    def similar(self, rows: Any, n: int = 5) -> Any:
        """Find the training rows that share most leaves with each of the given rows.

        By the random forest kernel (Eq. 1), the mean over the trees of
        1 / (rows in the leaf) where both are in one leaf, and of 0 elsewhere.
        A training row finds itself, unless others that share all its leaves come first.

        Parameters
        ----------
        rows : data frame or array of shape (n_rows, n_columns)
            Rows with the columns of the fitted table.
        n : int, default=5
            How many to find for each.

        Returns
        -------
        pandas data frame
            For each given row, one line with itself (rank 0) and one for each row like
            it, the most similar first, and of equals the one that came first: ``rank``,
            ``training_row`` (its number, as in ``rows_``: its position in the fitted
            table, from 0; -1 for the given row), ``kernel``, ``training_label`` (its
            index label, only if the fitted table had an index; see ``row_labels_``),
            and the cells. The index is that of the given rows. Where the table has a
            column of that name, ours is called ``_rank`` and so on.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from latentforest import RFAE
        >>> table = load_iris(as_frame=True).frame
        >>> model = RFAE(random_state=0).fit(table)
        >>> found = model.similar(table.iloc[[0]], n=2)
        >>> found["rank"].tolist(), found["training_row"].tolist()[:2]
        ([0, 1, 2], [-1, 0])
        """
        check_integer("n", n, minimum=1)
        codes = self._as_codes(rows)
        training, forest = self.encoder_.trained_on("similar"), self.encoder_.forest
        n_jobs = self.encoder_.n_jobs
        known = training.leaf_ids[training.landmarks]
        leaf_rows = LeafRows.of_ids(known, forest.n_leaves, n_jobs=n_jobs)
        ids = forest.leaves(codes, n_jobs=n_jobs)
        n_found = min(n, len(known))
        found, kernel = largest_entries(leaf_rows, ids, n_found, n_jobs=n_jobs)
        given = np.repeat(np.arange(len(codes)), n_found + 1)
        rank = np.tile(np.arange(n_found + 1), len(codes))
        place = np.insert(found, 0, -1, axis=1).ravel()
        value = np.insert(kernel, 0, np.nan, axis=1).ravel()
        there = (rank == 0) | (place >= 0)
        given, rank, place, value = (
            given[there],
            rank[there],
            place[there],
            value[there],
        )
        row = np.where(place < 0, -1, training.landmarks[place])
        cells = np.where((rank == 0)[:, None], codes[given], training.table.values[row])
        return self._side_by_side(rows, given, rank, row, value, cells)

    def _side_by_side(
        self,
        rows: Any,
        given: NDArray[np.int64],
        rank: NDArray[np.int64],
        row: NDArray[np.int64],
        kernel: Floats,
        cells: Codes,
    ) -> Any:
        number = np.where(row < 0, row, self._kept.in_table()[row])
        columns = {RANK: rank, TRAINING_ROW: number, KERNEL: kernel}
        columns |= self._labels_at(row)
        frame, index = self._beside_cells(columns, cells), index_of(rows)
        return frame.set_axis(given if index is None else index[given], axis=0)

    def _labels_at(self, rows: NDArray[np.int64]) -> dict[str, Any]:
        """Return a column of labels of training rows, if they have any; -1 has none."""
        import pandas as pd  # noqa: PLC0415 (only who asks for a frame pays for it)

        labels = self._kept.labels
        if labels is None:
            return {}
        column = pd.Series(labels[rows])
        if (rows < 0).any():
            whole = labels.dtype == np.int64
            column = (column.astype("Int64") if whole else column).mask(rows < 0)
        return {TRAINING_LABEL: column}

    def _beside_cells(self, columns: dict[str, Any], cells: Codes) -> Any:
        """Return a pandas data frame: columns of ours, then those of the table."""
        import pandas as pd  # noqa: PLC0415 (only who asks for a frame pays for it)

        decoded = self.codec_.decode(np.ascontiguousarray(cells))
        if hasattr(decoded, "to_pandas"):
            decoded = decoded.to_pandas()
        frame = pd.DataFrame(decoded).reset_index(drop=True)
        frame.columns = pd.Index(list(self.schema_.names), tupleize_cols=False)
        for place, (name, column) in enumerate(columns.items()):
            frame.insert(place, _free(name, self.schema_.names), column)
        return frame

    def far_rows(self, X: Any) -> Bools:
        """Tell which rows lie far from all training rows.

        A number of theirs is outside the range of the training rows by more than a
        tenth of it. Of positions, ``reach_.is_far(Z)`` tells.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        ndarray of bool, shape (n_rows,)
        """
        return outside(self.schema_, self._as_codes(X))

    def _as_codes(self, X: Any, *, to_nearest: bool = True) -> Codes:
        check_is_fitted(self, "encoder_")
        name = type(self).__name__
        return self.codec_.encode(X, caller=name, to_nearest=to_nearest).values


def oddness_of(model: JudgingModel, table: Any) -> Floats:
    """Return minus the scores of rows, or of the training rows for None."""
    if table is not None:
        return -model.score_samples(table)
    codes = model.encoder_.trained_on("oddness").table.values
    return -model.odd_rows().oddness_.judge(codes).scores


def outside(schema: TableSchema, codes: Codes) -> Bools:
    """Tell which rows have a number outside the range by more than a tenth of it."""
    with np.errstate(over="ignore"):
        room = OUTSIDE * (schema.upper - schema.lower)
        lowest, highest = schema.lower - room, schema.upper + room
    beyond = (codes < lowest) | (codes > highest)
    return np.logical_or.reduce(beyond & schema.is_number, axis=1)


def _free(name: str, taken: Sequence[Hashable]) -> str:
    """Return a name that no column has."""
    while name in taken:
        name = f"_{name}"
    return name
