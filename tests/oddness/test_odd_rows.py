"""Laws of odd rows: of the detector, and of a fitted model."""

import numpy as np
import pandas as pd
import pytest

from latentforest import RFAE, OddRows
from latentforest._base._errors import DroppedTrainingError
from latentforest.oddness._oddness import fit_oddness
from latentforest.table import TableCodec
from mixed_tables import mixed_frame

TABLE = mixed_frame(150, missing=0.05, seed=1)
NEW = mixed_frame(40, missing=0.05, seed=2)


@pytest.fixture(scope="module")
def finder():
    return OddRows(random_state=0).fit(TABLE)


@pytest.fixture(scope="module")
def model():
    return RFAE(random_state=0).fit(TABLE)


def test_rows_are_judged_each_on_its_own(finder):
    both = pd.concat([NEW, TABLE.iloc[:10]])
    scores, cells = finder.score_samples(both), finder.odd_cells(both)
    for i in (0, 17, len(both) - 1):
        alone = both.iloc[[i]]
        assert finder.score_samples(alone)[0] == scores[i]
        np.testing.assert_array_equal(
            finder.odd_cells(alone).p_values[0], cells.p_values[i]
        )


def test_threads_change_nothing():
    codes = TableCodec().fit_encode(TABLE)
    one, two = (fit_oddness(codes, 3, n_jobs=n) for n in (1, 2))
    for a, b in zip(one.judge(codes.values), two.judge(codes.values), strict=True):
        np.testing.assert_array_equal(a, b)


def test_training_rows_are_judged_left_out(finder):
    np.testing.assert_array_equal(
        finder.score_samples(TABLE), finder.oddness_.own_scores()
    )
    # One cell moved by a hair makes a new row of it, which has its twin beside it.
    moved = TABLE.copy()
    moved["area"] += 1e-9
    assert finder.score_samples(moved).mean() > finder.score_samples(TABLE).mean()


def test_copies_have_one_score():
    copied = pd.concat([TABLE.iloc[:50], TABLE.iloc[[3, 3, 20]]])
    scores = OddRows(random_state=0).fit(copied).score_samples(copied)
    assert scores[50] == scores[51] == scores[3]
    assert scores[52] == scores[20]


def test_p_values_of_rows_like_the_others_are_not_too_small():
    shares = []
    for seed in range(4):
        train, test = (
            mixed_frame(200, missing=0.1, seed=s + 100 * seed) for s in (0, 1)
        )
        found = OddRows(random_state=0).fit(train).odd_cells(test).p_values
        shares.append([(found <= u).mean() for u in (0.01, 0.05, 0.2, 0.5)])
    mean = np.mean(shares, axis=0)
    assert (mean <= np.array([0.02, 0.065, 0.22, 0.53])).all(), mean


def test_swapped_cells_are_found():
    rng = np.random.default_rng(0)
    train, test = mixed_frame(400, seed=1), mixed_frame(200, seed=2)
    names = ["length", "area", "count", "name", "grade"]
    finder = OddRows(random_state=0).fit(train)
    odd, column = test.copy(), []
    for i in range(len(odd)):
        name = names[rng.integers(len(names))]
        j = odd.columns.get_loc(name)
        # From the row at the other end of the hidden number.
        other = (test["count"] - (100 - test["count"].iloc[i])).abs().argmin()
        odd.iloc[i, j] = test.iloc[other, j]
        column.append(j)
    clear = ((test["count"] - 50).abs() > 30).to_numpy()
    cells = finder.odd_cells(odd[clear])
    column = np.array(column)[clear]
    assert (cells.largest(1)[:, 0] == column).mean() > 0.85
    assert (cells.largest(3) == column[:, None]).any(axis=1).mean() > 0.95
    assert (finder.predict(odd[clear]) == -1).mean() > 0.5
    assert (finder.predict(test) == -1).mean() < 0.05
    assert list(cells.expected.columns) == list(odd.columns)
    assert cells.expected.index.equals(odd[clear].index)
    numbers = cells.expected["count"][column == 2]
    assert (numbers - test["count"][clear][column == 2]).abs().median() < 15


def test_the_share_of_odd_rows_is_that_wanted():
    finder = OddRows(0.1, random_state=0).fit(TABLE)
    assert (finder.predict(TABLE) == -1).sum() == 15
    decided = finder.decision_function(TABLE)
    np.testing.assert_array_equal(decided, finder.score_samples(TABLE) - finder.offset_)
    np.testing.assert_array_equal(decided < 0, finder.predict(TABLE) == -1)


def test_gaps_and_levels_that_were_never_there_surprise():
    train = mixed_frame(150, seed=1)
    finder = OddRows(random_state=0).fit(train)
    row = mixed_frame(3, seed=9).astype({"name": object})
    row.iloc[0, row.columns.get_loc("name")] = "zoe"
    cells = finder.odd_cells(row)
    name = list(row.columns).index("name")
    assert cells.p_values[0, name] <= 1 / 151
    assert cells.largest(1)[0, 0] == name
    nothing = finder.oddness_.judge(np.full((1, row.shape[1]), np.nan))
    assert np.isfinite(nothing.scores).all()
    assert nothing.scores[0] < finder.offset_


def test_the_smallest_tables_can_be_judged():
    for rows in (np.array([[1.0], [2.0]]), np.zeros((5, 2)), np.full((4, 2), np.nan)):
        scores = OddRows(random_state=0).fit(rows).score_samples(rows)
        assert np.isfinite(scores).all()
    with pytest.raises(ValueError, match="minimum of 2"):
        OddRows().fit(np.array([[1.0]]))


@pytest.mark.parametrize("share", [0, 0.6, -1, "much", np.nan])
def test_a_share_that_is_none_is_refused(share, model):
    with pytest.raises(ValueError, match="contamination="):
        OddRows(share).fit(TABLE)
    with pytest.raises(ValueError, match="contamination="):
        model.odd_rows(share)


def test_a_model_says_what_its_detector_says(model):
    detector = model.odd_rows()
    np.testing.assert_array_equal(model.score_samples(NEW), detector.score_samples(NEW))
    assert model.offset_ == detector.offset_
    np.testing.assert_array_equal(model.predict(NEW), detector.predict(NEW))
    np.testing.assert_array_equal(
        model.decision_function(NEW), model.score_samples(NEW) - model.offset_
    )
    assert (model.odd_rows(0.2).predict(TABLE) == -1).sum() == 30


def test_files_change_nothing(model, tmp_path):
    loaded = RFAE.load(model.save(tmp_path / "model.lf"))
    np.testing.assert_array_equal(loaded.score_samples(NEW), model.score_samples(NEW))
    np.testing.assert_array_equal(
        loaded.odd_cells(NEW).p_values, model.odd_cells(NEW).p_values
    )
    dropped = RFAE.load(model.save(tmp_path / "small.lf", drop_training=True))
    with pytest.raises(DroppedTrainingError, match="judging rows"):
        dropped.score_samples(NEW)
