"""What is usual in a table: how far rows lie from it, how much their cells surprise."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._random import RandomState, stage_rngs
from latentforest._base._types import Codes, Floats
from latentforest.oddness._cells import (
    FOLDS,
    CellExpectation,
    OwnPlace,
    Surprise,
    fit_expectations,
)
from latentforest.oddness._discoveries import Discoveries
from latentforest.oddness._known import KnownRows, Places
from latentforest.oddness._near_loops import nearest_squares
from latentforest.oddness._ranks import CellRanks
from latentforest.oddness._tail import Tail
from latentforest.oddness._usual import usual_rows
from latentforest.refine import CellSpace
from latentforest.table import EncodedTable

USUAL = 0.8  # share of the training rows
MOST_POINTS = 20_000  # training rows that others are measured against
NEIGHBOURS = 10
APART = 2.0  # squared distance of two levels, and, on average, of two numbers
OF_NUMBERS, OF_LEVELS = 0.25, 2.0  # weight of surprise against distance
FAR_BLOCK, ROW_BLOCK = 64, 16_384
MANY_COPIES = 10

Rows = NDArray[np.int64]


class Judgement(NamedTuple):
    """What is odd about rows."""

    scores: Floats  # (n_rows,) higher is more usual
    surprise: Floats  # (n_rows, n_columns) of each cell given the others
    p_values: Floats  # (n_rows, n_columns) how seldom cells surprise as much
    expected: Codes  # (n_rows, n_columns) what the others let expect there


@dataclass(frozen=True, eq=False)
class Measures:
    """Distance to usual rows, and surprise of cells given the other cells."""

    space: CellSpace
    points: Floats  # usual rows, then the others
    n_usual: int
    points_at: Rows  # which rows these are
    expectations: list[CellExpectation]
    learned_at: Rows  # the rows that these were learned from
    fold: Rows  # (n_rows,) of every training row
    n_jobs: int | None

    @classmethod
    def of_table(
        cls, table: EncodedTable, random_state: RandomState, n_jobs: int | None
    ) -> "Measures":
        """Find usual rows, and learn what cells follow from others.

        Wild cells say nothing of others, but are judged as they are.
        """
        rngs = stage_rngs(random_state, "usual", "points", "cells", "folds")
        tame = table.at_edges()
        is_usual = usual_rows(tame, USUAL, rngs["usual"], n_jobs=n_jobs)
        chosen = np.arange(table.n_rows)
        if len(chosen) > MOST_POINTS:
            chosen = rngs["points"].choice(chosen, MOST_POINTS, replace=False)
            chosen.sort()
        chosen = np.concatenate([chosen[is_usual[chosen]], chosen[~is_usual[chosen]]])
        space = CellSpace.of_table(table, tell_gaps=False)
        values = space.cells(table.values).values
        scaled = EncodedTable(table.schema, space.cells(tame.values).values)
        fold = _folds(table, rngs["folds"])
        cells, rows = fit_expectations(scaled, fold, rngs["cells"], n_jobs=n_jobs)
        points = np.ascontiguousarray(_stepped(space, values)[chosen])
        n_usual = int(is_usual[chosen].sum())
        return cls(space, points, n_usual, chosen, cells, rows, fold, n_jobs)

    def distances(self, codes: Codes, place: Rows) -> tuple[Floats, Floats]:
        """Mean distance to the nearest usual rows, and to the nearest rows of any kind.

        ``place`` is where a row is itself among the points, or −1.
        """
        queries = _stepped(self.space, self.space.cells(codes).values)
        usual, others = self.points[: self.n_usual], self.points[self.n_usual :]
        place_there = np.where(place < self.n_usual, -1, place - self.n_usual)
        squares = self._nearest(usual, queries, place)
        more = self._nearest(others, queries, place_there)
        both = np.sort(np.concatenate([squares, more], axis=1), axis=1)
        return _mean_root(squares), _mean_root(both[:, :NEIGHBOURS])

    def _nearest(self, points: Floats, queries: Floats, place: Rows) -> Floats:
        """Squared distances to the nearest points; infinite where there are no more."""
        squares = np.full((len(queries), min(NEIGHBOURS, len(points))), np.inf)
        apart = np.where(self.space.schema.split_levels > 0, APART, 0.0)

        def work(block: tuple[int, int]) -> None:
            nearest_squares(points, queries, place, apart, *block, squares)

        if len(points):
            blocks = list(blocks_of(len(queries), FAR_BLOCK))
            run_blocks(work, blocks, n_jobs=self.n_jobs)
        return squares

    def surprises(self, codes: Codes, own: OwnPlace) -> Iterator[Surprise]:
        """Surprise of the cells, column by column, and what is expected there."""
        values = self.space.cells(codes).values
        for column, model in enumerate(self.expectations):
            said = model.surprise(values, own, n_jobs=self.n_jobs)
            scale, mean = self.space.scale[column], self.space.mean[column]
            yield said._replace(expected=said.expected * scale + mean)


@dataclass(frozen=True, eq=False)
class Oddness:
    """What is usual, and how the training rows compare with it, each left out.

    score(x) = −½ T(u(x)) − ½ T(d(x)) − w T(Σ_j s_j(x)²)

    where u(x) is the mean distance to the ten nearest usual rows, d(x) that to the ten
    nearest rows of any kind, s_j the surprise of cell j given the other cells, T(v) the
    −log of the share of training rows that have at least v (`Tail`), and w goes from ¼
    for a table of numbers to 2 for one of categories, about which distance says little.
    A training row, or a copy of one, is judged as if it had not been there.
    """

    measures: Measures
    known: KnownRows
    weight: float
    tails: list[Tail]  # of u, d and Σ_j s_j²
    ranks: CellRanks

    def judge(self, codes: Codes) -> Judgement:
        """Judge rows; each on its own, whatever the others are."""
        scores = np.empty(len(codes))
        surprise, p_values = np.empty(codes.shape), np.empty(codes.shape)
        expected = np.empty(codes.shape)
        for begin, end in blocks_of(len(codes), ROW_BLOCK):
            part = np.ascontiguousarray(codes[begin:end])
            own = self.known.places(part)
            places = _of_cells(own)
            for column, said in enumerate(self.measures.surprises(part, places)):
                surprise[begin:end, column] = said.surprise
                expected[begin:end, column] = said.expected
                p_values[begin:end, column] = self.ranks.p_values(
                    column, said, own.fold
                )
            of_row = _of_rows(self.measures, own, part, surprise[begin:end])
            scores[begin:end] = self._combined(of_row)
        return Judgement(scores, surprise, p_values, expected)

    def _combined(self, of_row: Floats) -> Floats:
        far, apart, odd = (
            tail.surprise(values)
            for tail, values in zip(self.tails, of_row, strict=True)
        )
        return -(0.5 * far + 0.5 * apart + self.weight * odd)

    def discoveries(self) -> Discoveries:
        """Return a count of p-values, none so far."""
        return Discoveries(len(self.known.values))

    def own_scores(self) -> Floats:
        """Scores of the training rows, each left out."""
        return self._combined(self.known.measured)


def fit_oddness(
    table: EncodedTable, random_state: RandomState = 0, *, n_jobs: int | None = None
) -> Oddness:
    """Learn what is usual in a table.

    Parameters
    ----------
    table : EncodedTable
        The training rows.
    random_state : int, Generator, RandomState or None, default=0
        Seed.
    n_jobs : int or None, default=None
        Threads; the result is the same for any number.

    Returns
    -------
    Oddness
    """
    measures = Measures.of_table(table, random_state, n_jobs)
    known = KnownRows.of_table(
        table, measures.points_at, measures.learned_at, measures.fold
    )
    of_row, surprise = np.empty((3, table.n_rows)), np.empty(table.values.shape)
    for begin, end in blocks_of(table.n_rows, ROW_BLOCK):
        own = Places(*(place[begin:end] for place in known.own))
        part, mine = table.values[begin:end], surprise[begin:end]
        for column, said in enumerate(measures.surprises(part, _of_cells(own))):
            mine[:, column] = said.surprise
        of_row[:, begin:end] = _of_rows(measures, own, part, mine)
    ranks = CellRanks.of_table(_as_new(measures, known, surprise), known.own.fold)
    share = float((~table.schema.is_number).mean())
    return Oddness(
        measures,
        known.with_measures(of_row),
        OF_NUMBERS + (OF_LEVELS - OF_NUMBERS) * share,
        [Tail.of_values(values) for values in of_row],
        ranks,
    )


def _folds(table: EncodedTable, rng: np.random.Generator) -> Rows:
    """Draw the fold of each row.

    A few copies share one, so that trees grown without a row know none of it. Of many,
    one more or less makes no difference, and all trees are to know such rows.
    """
    number = table.distinct_rows()
    n_copies = np.bincount(number)[number]
    of_distinct = rng.permutation(number.max() + 1) % FOLDS
    of_row = rng.permutation(table.n_rows) % FOLDS
    return np.where(n_copies < MANY_COPIES, of_distinct[number], of_row)


def _as_new(measures: Measures, known: KnownRows, surprise: Floats) -> Floats:
    """Surprise of the training rows' cells if each came as a new row.

    A new row that is a copy of a training row is judged as if that had not been there.
    So a training row with copies is, too: without itself and without one of them.
    """
    found, copied = surprise.copy(), np.flatnonzero(known.copy >= 0)
    for begin, end in blocks_of(len(copied), ROW_BLOCK):
        rows = copied[begin:end]
        own = OwnPlace(
            known.own.at_learned[rows], known.copy[rows], known.own.fold[rows]
        )
        for column, said in enumerate(measures.surprises(known.values[rows], own)):
            found[rows, column] = said.surprise
    return found


def _of_cells(own: Places) -> OwnPlace:
    return OwnPlace(own.at_learned, np.full(len(own.fold), -1), own.fold)


def _of_rows(measures: Measures, own: Places, codes: Codes, surprise: Floats) -> Floats:
    """Measure u, d and Σ_j s_j² of rows."""
    usual, distance = measures.distances(codes, own.at_points)
    return np.stack([usual, distance, _row_sums(surprise**2)])


def _stepped(space: CellSpace, values: Floats) -> Floats:
    """Let ordered levels lie as far apart as numbers do."""
    return np.ascontiguousarray(values * np.where(space.step > 0, space.step, 1.0))


def _mean_root(squares: Floats) -> Floats:
    """Mean distance; where there are fewer points than wanted, of those there are."""
    known = np.isfinite(squares)
    total = _row_sums(np.sqrt(np.where(known, squares, 0.0)))
    return total / np.maximum(_row_sums(known.astype(np.float64)), 1.0)


def _row_sums(values: Floats) -> Floats:
    """Add up rows column by column: how numpy adds depends on their number."""
    total = np.zeros(len(values))
    for column in values.T:
        total += column
    return total
