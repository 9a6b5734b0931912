"""What rows are measured by: distances, tails, surprise, usual rows, known rows."""

import numpy as np
import pytest

from latentforest.forest import forests_of_columns
from latentforest.kernel import LeafRows
from latentforest.oddness._expect_loops import expect_levels
from latentforest.oddness._known import KnownRows
from latentforest.oddness._near_loops import nearest_squares
from latentforest.oddness._oddness import fit_oddness
from latentforest.oddness._tail import Tail
from latentforest.oddness._usual import isolation_depth, usual_rows
from latentforest.table import TableCodec
from mixed_tables import mixed_frame

RNG = np.random.default_rng(0)


def squared(a, b, apart):
    """Squared distance of two rows, cell by cell."""
    known = ~np.isnan(a) & ~np.isnan(b)
    if not known.any():
        return 2.0 * len(a)
    parts = np.where(apart > 0, apart * (a != b), (a - b) ** 2)
    return parts[known].sum() * len(a) / known.sum()


def test_nearest_squares_are_those_of_all_pairs():
    apart = np.array([0.0, 2.0, 0.0, 2.0])
    rows = np.column_stack(
        [
            RNG.normal(size=40),
            RNG.integers(3, size=40),
            RNG.normal(size=40),
            RNG.integers(2, size=40),
        ]
    )
    rows[RNG.random(rows.shape) < 0.2] = np.nan
    rows[7] = np.nan
    own, found = np.arange(40), np.empty((40, 3))
    nearest_squares(rows, rows, own, apart, 0, 40, found)
    for i in range(40):
        wanted = [squared(rows[i], rows[j], apart) for j in range(40) if j != i]
        np.testing.assert_allclose(found[i], np.sort(wanted)[:3])


def test_levels_have_the_weight_of_their_rows_and_ties_go_to_the_first():
    n_rows, n_trees, n_folds, width, n_levels = 60, 4, 2, 12, 9
    ids = RNG.integers(width - 1, size=(n_rows, n_trees))
    ids[3] = width - 1  # leaves of nobody else
    ids += width * np.arange(n_trees)
    known = RNG.integers(1, n_levels, size=n_rows)
    cells, own = RNG.integers(n_levels, size=n_rows), np.arange(n_rows)
    own[::5] = -1
    own[3] = 3
    copy = np.where(RNG.random(n_rows) < 0.3, RNG.integers(n_rows, size=n_rows), -1)
    fold = np.where(own < 0, -1, RNG.integers(n_folds, size=n_rows))
    leaves, said = LeafRows.of_ids(ids, width * n_trees), np.zeros((n_rows, n_folds, 2))
    likeliest = np.empty(n_rows)
    expect_levels(
        *(ids, leaves.members, leaves.starts, known, own, copy, fold),
        *(cells, likeliest, 0, n_rows, said),
    )
    n_ties = 0
    for row in range(n_rows):
        votes, wanted = np.zeros(n_levels), np.zeros((n_folds, 2))
        for tree in range(n_trees):
            if fold[row] >= 0 and fold[row] != tree % n_folds:
                continue
            there = np.flatnonzero(ids[:, tree] == ids[row, tree])
            there = there[(there != own[row]) & (there != copy[row])]
            if not len(there):
                continue
            share = (known[there] == cells[row]).sum() / len(there)
            wanted[tree % n_folds] += [1, share]
            for other in there:
                votes[known[other]] += 1 / len(there)
        n_ties += (votes == votes.max()).sum() > 1
        assert said[row].tolist() == wanted.tolist()
        assert likeliest[row] == votes.argmax()
    assert n_ties > 3


def test_huge_numbers_are_far_away():
    points, found = RNG.normal(size=(20, 2)), np.empty((1, 3))
    nearest_squares(
        points, np.array([[1e300, 0.0]]), np.array([-1]), np.zeros(2), 0, 1, found
    )
    assert np.isfinite(found).all()
    assert (found > 1e200).all()


def test_a_tail_rises_beyond_all_values():
    values = RNG.exponential(size=200)
    tail = Tail.of_values(values)
    at = np.linspace(0, 3 * values.max(), 500)
    surprise = tail.surprise(at)
    assert (np.diff(surprise) >= 0).all()
    assert surprise[0] == 0
    assert (np.diff(surprise[at > values.max()]) > 0).all()
    for value in (0.1, 1.0, 100.0):
        count = (values >= value).sum()
        assert tail.p_values(np.array([value]))[0] == (1 + count) / 201


@pytest.mark.parametrize("values", [np.zeros(5), np.zeros(0), np.ones(4)])
def test_a_tail_of_nothing_is_finite(values):
    found = Tail.of_values(values).surprise(np.array([0.0, 0.5, 7.0]))
    assert np.isfinite(found).all()
    assert (np.diff(found) >= 0).all()


def test_lonely_rows_are_not_usual():
    rows = np.concatenate([RNG.normal(size=(190, 3)), 30 + RNG.normal(size=(10, 3))])
    table = TableCodec().fit_encode(rows)
    depth = isolation_depth(table, np.random.default_rng(0))
    assert depth[190:].max() < np.median(depth[:190])
    usual = usual_rows(table, 0.8, np.random.default_rng(0))
    assert usual.sum() == 160
    assert not usual[190:].any()


def test_no_tree_splits_on_the_column_it_tells():
    table = TableCodec().fit_encode(mixed_frame(60, missing=0.1))
    fold = RNG.integers(3, size=60)
    forests = forests_of_columns(
        table,
        fold,
        n_folds=3,
        n_trees=5,
        min_samples_leaf=2,
        rng=np.random.default_rng(0),
    )
    for column, grown in enumerate(forests):
        assert column not in grown.forest.feature
        assert (grown.forest.feature >= 0).any()
        np.testing.assert_array_equal(grown.forest.leaves(table.values), grown.leaf_ids)


def test_known_rows_find_themselves_and_copies_the_first():
    values = np.array([[1.0, np.nan], [0.0, 2.0], [1.0, np.nan], [-0.0, 2.0]])
    table = TableCodec().fit_encode(values)
    fold = np.array([2, 1, 0, 0])
    known = KnownRows.of_table(table, np.array([2, 3]), np.array([0, 1, 3]), fold)
    new = np.array([[1.0, np.nan], [0.0, 2.0], [1.0, 1.0]])
    points, learned, folds = known.places(new)
    assert points.tolist() == [0, 1, -1]
    assert learned.tolist() == [0, 1, -1]
    assert folds.tolist() == [2, 1, -1]
    assert known.copy.tolist() == [-1, 2, -1, 2]


def test_an_expected_cell_does_not_follow_the_cell_itself():
    """What is expected depends on the other cells alone."""
    frame = mixed_frame(120, missing=0.05, seed=2)
    table = TableCodec().fit_encode(frame)
    oddness = fit_oddness(table)
    rows = mixed_frame(20, seed=5)
    codes = TableCodec.from_schema(table.schema).encode(rows).values
    expected = oddness.judge(codes).expected
    for column in range(codes.shape[1]):
        other = codes.copy()
        other[:, column] = np.roll(other[:, column], 1)
        np.testing.assert_array_equal(
            oddness.judge(other).expected[:, column], expected[:, column]
        )


def test_training_rows_are_measured_against_the_others():
    rows = RNG.normal(size=(60, 3))
    oddness = fit_oddness(TableCodec().fit_encode(rows))
    measures, (usual, any_kind, _) = oddness.measures, oddness.known.measured
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    between = np.linalg.norm(scaled[:, None] - scaled[None], axis=2)
    np.fill_diagonal(between, np.inf)
    at = measures.points_at[: measures.n_usual]
    assert len(at) == 48
    nearest = np.sort(between[:, at], axis=1)[:, :10]
    np.testing.assert_allclose(usual, nearest.mean(axis=1))
    np.testing.assert_allclose(any_kind, np.sort(between, axis=1)[:, :10].mean(axis=1))
