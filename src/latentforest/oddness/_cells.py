"""How much each cell of a row surprises, given the other cells."""

from dataclasses import dataclass, replace

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
MOST_TREES, ALL_TREES, FEWEST_TREES = 30, 1_200, 8
LEAF = 3
NOISE = 0.1  # of the mean squared error, below which no leaf is trusted
NEVER = 1e-3  # weight of a level that no leaf knows
SILENCE = 1e-12  # the least noise: a column that follows from others has none
BLOCK = 512

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CellExpectation:
    """What is expected in the cells of one column, and how unlikely they are."""

    column: int
    forest: ForestArrays
    leaf_rows: LeafRows
    in_bag: NDArray[np.uint16]  # (n_grown, n_trees) what each tree was grown on
    known: (
        Floats | Rows
    )  # (n_grown,) cells that the trees were grown to tell, or levels
    n_levels: int  # 0: a number
    noise: float  # mean squared error of a number
    tail: Tail  # of the errors of numbers, in units of their spread

    def surprise(
        self, codes: Codes, place: Rows, *, n_jobs: int | None = None
    ) -> tuple[Floats, Floats]:
        """Return −log of how likely each row's cell is, and the cell expected there.

        ``place`` is where a row is itself among those that the trees were grown on, or
        −1: trees that drew it say nothing of it, and of itself it says nothing either.

        A level has the weight of its rows in the leaves of the row. A number is as
        likely as numbers that lie at least as far from the mean of the leaves, in units
        of their spread, and as cells without a gap are there; see `Tail`.
        """
        if not self.n_levels:
            error, gap, mean = self._error(codes, place, n_jobs)
            n_known = 1 + len(self.known)
            given = self.tail.surprise(error) - np.log(np.fmax(1 - gap, 1 / n_known))
            missing = -np.log(np.fmax(gap, 0.5 / n_known))
            return np.where(np.isnan(error), missing, given), mean
        said = np.zeros((len(codes), 3))
        cells = _levels(codes[:, self.column], self.n_levels)
        self._ask(expect_levels, codes, place, said, n_jobs, cells)
        share = said[:, 1] / np.maximum(said[:, 0], 1.0)
        likely = (1 - NEVER) * share + NEVER / (self.n_levels + 1)
        expected = np.where(said[:, 2] == self.n_levels, np.nan, said[:, 2])
        return -np.log(likely), expected

    def _error(
        self, codes: Codes, place: Rows, n_jobs: int | None
    ) -> tuple[Floats, Floats, Floats]:
        """Error of a number in units of its spread, share of gaps, and mean."""
        said = np.zeros((len(codes), 5))
        self._ask(expect_numbers, codes, place, said, n_jobs)
        gap = said[:, 1] / np.maximum(said[:, 0], 1.0)
        n_known = np.maximum(said[:, 2], 1.0)
        mean = said[:, 3] / n_known
        spread = np.maximum(said[:, 4] / n_known - mean**2, 0.0) + NOISE * self.noise
        return np.abs(codes[:, self.column] - mean) / np.sqrt(spread), gap, mean

    def _ask(
        self,
        expect: object,
        codes: Codes,
        place: Rows,
        said: Floats,
        n_jobs: int | None,
        *cells: Rows,
    ) -> None:
        ids = np.ascontiguousarray(self.forest.leaves(codes, n_jobs=n_jobs))
        members, starts, _ = self.leaf_rows

        def work(block: tuple[int, int]) -> None:
            expect(  # type: ignore[operator]
                *(ids, self.in_bag, members, starts, self.known, *cells, place),
                *block,
                said,
            )

        run_blocks(work, list(blocks_of(len(codes), BLOCK)), n_jobs=n_jobs)


def fit_expectations(
    table: EncodedTable, rng: np.random.Generator, *, n_jobs: int | None = None
) -> tuple[list[CellExpectation], Rows]:
    """Learn each column from the others.

    Parameters
    ----------
    table : EncodedTable
        The training rows; numbers in units of their standard deviation.
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
    sample = table.take(rows)
    forests = forests_of_columns(
        sample,
        n_trees=min(max(n_trees, FEWEST_TREES), MOST_TREES),
        min_samples_leaf=LEAF,
        rng=rng,
        n_jobs=n_jobs,
    )
    fitted = [_fit(sample, j, grown, n_jobs) for j, grown in enumerate(forests)]
    return fitted, rows


def _fit(
    sample: EncodedTable, column: int, grown: ColumnForest, n_jobs: int | None
) -> CellExpectation:
    n_levels = sample.schema.columns[column].n_levels
    leaf_rows = LeafRows.of_ids(grown.leaf_ids, grown.forest.n_leaves, n_jobs=n_jobs)
    cells = np.ascontiguousarray(sample.values[:, column])
    model = CellExpectation(
        column,
        grown.forest,
        leaf_rows,
        np.ascontiguousarray(grown.in_bag),
        _levels(cells, n_levels) if n_levels else cells,
        n_levels,
        1.0,
        Tail.of_values(np.zeros(0)),
    )
    if n_levels:
        return model
    place = np.arange(sample.n_rows)
    square = (cells - model._error(sample.values, place, n_jobs)[2]) ** 2
    known = square[~np.isnan(square)]
    noise = max(float(known.mean()), SILENCE) if len(known) else 1.0
    model = replace(model, noise=noise)
    error = model._error(sample.values, place, n_jobs)[0]
    return replace(model, tail=Tail.of_values(error))


def _levels(cells: Floats, n_levels: int) -> Rows:
    """Levels as numbers of votes; a gap is one more."""
    return np.where(np.isnan(cells), n_levels, cells).astype(np.int64)
