"""How much each cell of a row surprises, given the other cells."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Codes, Floats
from latentforest.forest import ColumnForest, ForestArrays, forests_of_columns
from latentforest.kernel import LeafRows
from latentforest.oddness._expect_loops import expect_levels, expect_numbers
from latentforest.oddness._tail import Tail
from latentforest.table import EncodedTable

MOST_ROWS = 5_000  # that the forests of columns are grown on
MOST_TREES, ALL_TREES, FEWEST_TREES = 45, 1_800, 12
FOLDS = 3  # a third of the trees has not seen a row
LEAF = 3
NOISE = 0.1  # of the mean squared error, below which no leaf is trusted
NEVER = 1e-3  # weight of a level that no leaf knows
SILENCE = 1e-12  # the least noise: a column that follows from others has none
ROUNDED = 1e-9  # error of a number, in standard deviations, that is none
BLOCK = 512

Rows = NDArray[np.int64]


class OwnPlace(NamedTuple):
    """Where rows stand themselves among those that the trees were grown on.

    Trees that saw a training row say nothing of it, and nor does it of itself.
    """

    member: Rows  # place among the rows that trees were grown on, or −1
    copy: Rows  # place of another row there that says nothing of it either, or −1
    fold: Rows  # the fold of a training row, or −1 for new rows


class Surprise(NamedTuple):
    """How much the cells of a column surprise."""

    surprise: Floats  # (n_rows,) by all trees that say something of the row
    by_fold: Floats  # (n_rows, FOLDS) by the trees grown without each fold
    expected: Floats  # (n_rows,) the cell that is expected


@dataclass(frozen=True, slots=True, eq=False)
class CellExpectation:
    """What is expected in the cells of one column, and how unlikely they are."""

    column: int
    forest: ForestArrays
    leaf_rows: LeafRows
    known: Floats | Rows  # (n_grown,) the cells that the trees tell, or levels
    n_levels: int  # 0: a number
    noise: float  # mean squared error of a number
    tail: Tail  # of the errors of numbers, in units of their spread

    def surprise(
        self, codes: Codes, own: OwnPlace, *, n_jobs: int | None = None
    ) -> Surprise:
        """Return −log of how likely each row's cell is, and the cell expected there.

        A level has the weight of its rows in the leaves of the row. A number is as
        likely as numbers that lie at least as far from the mean of the leaves, in units
        of their spread, and as cells without a gap are there; see `Tail`.
        """
        if not self.n_levels:
            said = self._of_numbers(codes, own, n_jobs)
            cells = codes[:, self.column]
            by_fold = self._of_number(cells[:, None], said)
            said = said.sum(axis=1)
            return Surprise(self._of_number(cells, said), by_fold, _mean(said))
        said, likeliest = np.zeros((len(codes), FOLDS, 2)), np.empty(len(codes))
        levels = _levels(codes[:, self.column], self.n_levels)
        self._ask(expect_levels, codes, own, n_jobs, levels, likeliest, said=said)
        expected = np.where(likeliest == self.n_levels, np.nan, likeliest)
        by_fold = self._of_level(said)
        return Surprise(self._of_level(said.sum(axis=1)), by_fold, expected)

    def _of_level(self, said: Floats) -> Floats:
        share = said[..., 1] / np.maximum(said[..., 0], 1.0)
        likely: Floats = (1 - NEVER) * share + NEVER / (self.n_levels + 1)
        return -np.log(likely)

    def _of_number(self, cells: Floats, said: Floats) -> Floats:
        error, n_known = self._error(cells, said), 1 + len(self.known)
        gap = said[..., 1] / np.maximum(said[..., 0], 1.0)
        given = self.tail.surprise(error) - np.log(np.fmax(1 - gap, 1 / n_known))
        missing = -np.log(np.fmax(gap, 0.5 / n_known))
        return np.where(np.isnan(error), missing, given)

    def _error(self, cells: Floats, said: Floats) -> Floats:
        """Error of numbers in units of their spread; what is rounded off is none."""
        mean, n_known = _mean(said), np.maximum(said[..., 2], 1.0)
        spread = np.maximum(said[..., 4] / n_known - mean**2, 0.0) + NOISE * self.noise
        error = np.abs(cells - mean)
        return np.where(error <= ROUNDED, 0.0, error) / np.sqrt(spread)

    def _of_numbers(self, codes: Codes, own: OwnPlace, n_jobs: int | None) -> Floats:
        said = np.zeros((len(codes), FOLDS, 5))
        self._ask(expect_numbers, codes, own, n_jobs, said=said)
        return said

    def _ask(
        self,
        expect: object,
        codes: Codes,
        own: OwnPlace,
        n_jobs: int | None,
        *cells: Floats | Rows,
        said: Floats,
    ) -> None:
        ids = np.ascontiguousarray(self.forest.leaves(codes, n_jobs=n_jobs))
        members, starts, _ = self.leaf_rows

        def work(block: tuple[int, int]) -> None:
            expect(  # type: ignore[operator]
                *(ids, members, starts, self.known, *own, *cells), *block, said
            )

        run_blocks(work, list(blocks_of(len(codes), BLOCK)), n_jobs=n_jobs)


def fit_expectations(
    table: EncodedTable,
    fold: Rows,
    rng: np.random.Generator,
    *,
    n_jobs: int | None = None,
) -> tuple[list[CellExpectation], Rows]:
    """Learn each column from the others.

    Parameters
    ----------
    table : EncodedTable
        The training rows; numbers in units of their standard deviation.
    fold : array of int, shape (n_rows,)
        The fold of each row; a third of the trees does not see it.
    rng : Generator
        Source of the trees; of more than 5,000 rows so many are drawn.
    n_jobs : int or None, default=None
        Threads.

    Returns
    -------
    expectations : list of CellExpectation
        One per column.
    rows : array of int
        The rows that the trees were grown on.
    """
    rows = np.arange(table.n_rows)
    if len(rows) > MOST_ROWS:
        rows = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
    n_trees = ALL_TREES // table.schema.n_columns
    sample, fold = table.take(rows), fold[rows]
    forests = forests_of_columns(
        sample,
        fold,
        n_folds=FOLDS,
        n_trees=min(max(n_trees, FEWEST_TREES), MOST_TREES),
        min_samples_leaf=LEAF,
        rng=rng,
        n_jobs=n_jobs,
    )
    own = OwnPlace(np.arange(len(rows)), np.full(len(rows), -1), fold)
    fitted = [_fit(sample, own, j, grown, n_jobs) for j, grown in enumerate(forests)]
    return fitted, rows


def _fit(
    sample: EncodedTable,
    own: OwnPlace,
    column: int,
    grown: ColumnForest,
    n_jobs: int | None,
) -> CellExpectation:
    n_levels = sample.schema.columns[column].n_levels
    leaf_rows = LeafRows.of_ids(grown.leaf_ids, grown.forest.n_leaves, n_jobs=n_jobs)
    cells = np.ascontiguousarray(sample.values[:, column])
    model = CellExpectation(
        column,
        grown.forest,
        leaf_rows,
        _levels(cells, n_levels) if n_levels else cells,
        n_levels,
        1.0,
        Tail.of_values(np.zeros(0)),
    )
    if n_levels:
        return model
    said = model._of_numbers(sample.values, own, n_jobs).sum(axis=1)
    square = (cells - _mean(said)) ** 2
    known = square[~np.isnan(square)]
    noise = max(float(known.mean()), SILENCE) if len(known) else 1.0
    model = replace(model, noise=noise)
    return replace(model, tail=Tail.of_values(model._error(cells, said)))


def _mean(said: Floats) -> Floats:
    mean: Floats = said[..., 3] / np.maximum(said[..., 2], 1.0)
    return mean


def _levels(cells: Floats, n_levels: int) -> Rows:
    """Levels as numbers of votes; a gap is one more."""
    return np.where(np.isnan(cells), n_levels, cells).astype(np.int64)
