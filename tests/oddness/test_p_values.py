"""Laws of p-values and q-values of cells."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control

from latentforest import OddRows
from latentforest.forest import forests_of_columns
from latentforest.oddness import Discoveries, fit_oddness
from latentforest.oddness._cells import FOLDS, Surprise
from latentforest.oddness._ranks import CellRanks
from latentforest.oddness._tail import count_from
from latentforest.table import TableCodec
from mixed_tables import mixed_frame

N_TABLES, N_ROWS, N_NEW = 40, 60, 60
LEVELS = np.array([0.05, 0.2])


def words(prefix, numbers):
    return np.array([f"{prefix}{number}" for number in numbers], dtype=object)


def following(n_rows, rng):
    """Columns that follow from others, hardly vary, or have ties."""
    x = rng.normal(size=n_rows)
    group = words("g", np.clip(np.round(x), -1, 1).astype(int))
    return pd.DataFrame(
        {
            "x": x,
            "copy of a number": x,
            "text": group,
            "copy of text": group,
            "function": words("f", (x > 0.3).astype(int)),
            "constant text": words("c", np.zeros(n_rows, int)),
            "constant number": np.full(n_rows, 0.1),
            "seldom another": words("q", (rng.random(n_rows) < 0.02).astype(int)),
            "rare": words("r", rng.zipf(1.6, size=n_rows)),
            "ties": rng.poisson(1.0, size=n_rows).astype(float),
            "gaps": np.where(rng.random(n_rows) < 0.2, np.nan, x),
        }
    )


def few_rows(n_rows, rng):
    """Columns of levels: most new rows are copies of training rows."""
    first = rng.integers(3, size=n_rows)
    other = np.where(rng.random(n_rows) < 0.8, first, rng.integers(3, size=n_rows))
    alone = rng.integers(4, size=n_rows)
    return pd.DataFrame(
        {"a": words("a", first), "b": words("b", other), "alone": words("d", alone)}
    )


@pytest.mark.parametrize("source", [following, few_rows])
def test_of_usual_cells_at_most_a_share_has_small_p_values(source):
    found = []
    for seed in range(N_TABLES):
        whole = source(N_ROWS + N_NEW, np.random.default_rng(seed))
        finder = OddRows(random_state=seed, n_jobs=1).fit(whole.iloc[:N_ROWS])
        p_values = finder.odd_cells(whole.iloc[N_ROWS:]).p_values
        found.append((p_values[..., None] <= LEVELS).mean(axis=0))
    shares, errors = np.mean(found, axis=0), np.std(found, axis=0) / N_TABLES**0.5
    for name, share, error in zip(whole, shares, errors, strict=True):
        assert (share <= LEVELS + 3 * error).all(), (name, share, error)


def test_training_rows_have_small_p_values_no_more_often():
    table = following(100, np.random.default_rng(0))
    cells = OddRows(random_state=0).fit(table).odd_cells(table)
    p_values = cells.p_values
    assert (cells.q_values == 1).all()
    for level in np.linspace(0, 1, 101):
        assert ((p_values <= level).mean(axis=0) <= level).all()


def test_what_cannot_be_otherwise_is_not_odd():
    train, new = (following(n, np.random.default_rng(n)) for n in (90, 50))
    cells = OddRows(random_state=0).fit(train).odd_cells(new)
    for name in ("constant text", "constant number"):
        column = train.columns.get_loc(name)
        assert (cells.p_values[:, column] == 1).all()
        assert (cells.largest(3) != column).all()


def test_numbers_that_follow_from_text_are_not_odd():
    kinds = np.random.default_rng(0).integers(12, size=500)
    table = pd.DataFrame({"kind": words("k", kinds), "number": np.sqrt(2 + kinds)})
    cells = OddRows(random_state=0).fit(table[:300]).odd_cells(table[300:])
    assert (cells.p_values == 1).all()


def test_p_values_count_in_each_fold_who_surprises_as_much():
    rng = np.random.default_rng(0)
    known, fold = rng.integers(9, size=(30, 2)) / 7, rng.permutation(30) % FOLDS
    by_fold, own = rng.integers(9, size=(8, 2, FOLDS)) / 7, rng.integers(9, size=(8, 2))
    new = np.arange(8) < 5
    ranks = CellRanks.of_table(known, fold)
    for column in range(2):
        said = Surprise(own[:, column] / 7, by_fold[:, column], own[:, column])
        found = ranks.p_values(column, said, np.where(new, -1, 0))
        for row in range(8):
            mine = by_fold[row, column][fold] if new[row] else own[row, column] / 7
            count = (known[:, column] >= mine).sum()
            assert found[row] == (1 + count) / 31


def test_values_that_differ_by_what_is_rounded_off_tie():
    values = np.array([0.1, 0.3, 0.7, 2.0])
    assert count_from(values, np.nextafter(values, 9)).tolist() == [4, 3, 2, 1]
    assert count_from(values, values * (1 + 1e-6)).tolist() == [3, 2, 1, 0]


def test_q_values_are_those_of_scipy():
    cells = OddRows(random_state=0).fit(mixed_frame(60)).odd_cells(mixed_frame(80))
    p_values, q_values = cells.p_values.ravel(), cells.q_values.ravel()
    np.testing.assert_array_equal(q_values, false_discovery_control(p_values))
    assert (q_values >= p_values).all()
    assert (np.diff(q_values[np.argsort(p_values)]) >= 0).all()


def test_counted_block_by_block_q_values_are_the_same():
    rng = np.random.default_rng(0)
    for n_known in (2, 30, 1_000):
        p_values = rng.integers(1, n_known + 2, size=(50, 4)) ** 2 / (n_known + 1) ** 2
        p_values = np.ceil(p_values * (n_known + 1)) / (n_known + 1)
        discoveries = Discoveries(n_known)
        for begin in range(0, 50, 7):
            discoveries.add(p_values[begin : begin + 7])
        found = discoveries.q_values(p_values)
        wanted = false_discovery_control(p_values, axis=None)
        np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-12)
        assert (found >= p_values).all()


def test_trees_do_not_see_their_fold():
    frame = mixed_frame(60)
    column = list(frame).index("name")
    changed = frame.copy()
    fold = np.arange(60) % 3
    changed.loc[fold == 1, "name"] = "eve"
    ids = []
    for given in (frame, changed):
        table = TableCodec().fit_encode(given)
        forests = forests_of_columns(
            table,
            fold,
            n_folds=3,
            n_trees=9,
            min_samples_leaf=2,
            rng=np.random.default_rng(0),
        )
        ids.append(list(forests)[column].leaf_ids)
    same = [
        np.array_equal(*(np.unique(i[:, t], return_inverse=True)[1] for i in ids))
        for t in range(9)
    ]
    assert all(same[1::3])
    assert not all(same[0::3])


def test_a_few_copies_share_a_fold_and_many_do_not():
    numbers = np.concatenate([np.repeat(np.arange(40), 4), np.full(60, 99)])
    table = TableCodec().fit_encode(pd.DataFrame({"x": numbers.astype(float)}))
    fold = fit_oddness(table).measures.fold
    few = fold[:160].reshape(40, 4)
    assert (few == few[:, :1]).all()
    assert set(few[:, 0]) == set(fold[160:]) == set(range(FOLDS))
