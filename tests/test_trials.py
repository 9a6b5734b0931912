"""Settings are chosen on training rows that are held back, and on nothing else."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from sklearn.base import clone

from latentforest import (
    RFAE,
    AutoRefinement,
    CompletelyRandomForest,
    PackedDecoder,
    Refinement,
    SpectrumWarning,
    SupervisedForest,
    _trials,
)
from latentforest._trials import CLEARLY, LEAF_SIZES, Contest
from latentforest.choice import Trial
from latentforest.forest import BaseForest
from latentforest.refine._starts import STARTS
from latentforest.table import TableCodec
from mixed_tables import mixed_frame, shuffled, target_of

FOREST = CompletelyRandomForest(20, min_samples_leaf=3)


def auto(n_components=2, **settings):
    settings = {"forest": FOREST, "refine": "auto", "random_state": 0} | settings
    return RFAE(n_components, **settings)


def settings_of(trial):
    return str(trial.forest), *trial.refinement.get_params().items()


def encoded(table):
    return TableCodec().fit_encode(table)


def rng():
    return np.random.default_rng(0)


def curved_frame(n_rows=60):
    """Eight columns that follow two hidden numbers: nothing for single columns."""
    draw = np.random.default_rng(0)
    t, u = 6 * draw.random(n_rows), draw.random(n_rows)
    columns = [np.cos(t), np.sin(t), t, u, t * u, t + u, t**2, t - 3 * u]
    noise = 0.02 * draw.normal(size=(n_rows, len(columns)))
    return pd.DataFrame(np.column_stack(columns) + noise, columns=[*"abcdefgh"])


@pytest.fixture(scope="module")
def packed(table):
    """Choose everything for a table that is best packed."""
    return RFAE.auto(2, random_state=0).fit(table)


@pytest.fixture(scope="module")
def moved():
    """Choose everything for a table whose columns belong together."""
    return RFAE.auto(2, random_state=0).fit(curved_frame())


@pytest.fixture(params=["packed", "moved"])
def chosen(request):
    """Return a model, and the table that it was chosen for."""
    table = mixed_frame() if request.param == "packed" else curved_frame()
    return request.getfixturevalue(request.param), table


# --- the choice -------------------------------------------------------------------


def assert_uses_its_choice(model):
    best, used = model.tried_[0], model.encoder_.refined.map.settings
    assert used.get_params() == best.refinement.get_params()
    grower = model.kernel_.grower_
    assert grower.min_samples_leaf == best.forest.min_samples_leaf
    assert grower.n_estimators == best.forest.n_estimators
    if best.refinement.start == "packed":
        assert isinstance(model.decoder_, PackedDecoder)
    else:
        assert model.decoder_.n_neighbors == best.refinement.n_neighbors
        assert model.decoder_.follow
        assert not model.decoder_.extrapolate


def starts_of(trials):
    return [trial.refinement.start for trial in trials]


def test_what_was_tried_is_told_best_first(chosen):
    model, _ = chosen
    lost = [trial.distortion for trial in model.tried_]
    assert lost == sorted(lost)
    assert len(lost) >= 3
    assert 0 < lost[0] < 0.2
    assert all(trial.seconds > 0 for trial in model.tried_)
    tried = [settings_of(trial) for trial in model.tried_]
    assert len(set(tried)) == len(tried)
    assert str(model.tried_[0]).startswith(f"{lost[0]:.4f}")
    assert_uses_its_choice(model)


def test_all_starts_and_both_forests_take_part(moved):
    assert starts_of(moved.tried_)[0] != "packed"
    assert {*starts_of(moved.tried_)} == set(STARTS)
    assert {trial.forest.min_samples_leaf for trial in moved.tried_} == {5, 20}


def test_packed_rows_that_lose_less_than_half_end_the_choice(packed):
    first, *others = starts_of(packed.tried_)
    assert (first, set(others)) == ("packed", {"linear", "neighbours"})
    assert packed.tried_[1].distortion > CLEARLY * packed.tried_[0].distortion


def test_same_seed_same_choice(chosen):
    model, table = chosen
    again = RFAE.auto(2, random_state=0).fit(table)
    for one, two in zip(again.tried_, model.tried_, strict=True):
        assert settings_of(one) == settings_of(two)
        assert one.distortion == two.distortion
    np.testing.assert_array_equal(again.embedding_, model.embedding_)
    rows = shuffled(table)
    assert_frame_equal(again.reconstruct(rows), model.reconstruct(rows))


def test_threads_do_not_change_the_choice(table):
    one, two = (auto(n_jobs=n_jobs).fit(table) for n_jobs in (1, 2))
    assert [t.distortion for t in one.tried_] == [t.distortion for t in two.tried_]
    np.testing.assert_array_equal(one.embedding_, two.embedding_)


def test_the_chosen_model_is_that_of_its_settings(chosen):
    model, table = chosen
    best = model.tried_[0]
    plain = RFAE(2, forest=best.forest, refine=best.refinement, random_state=0)
    plain.fit(table)
    np.testing.assert_array_equal(plain.embedding_, model.embedding_)
    assert plain.tried_ == []
    assert_frame_equal(plain.reconstruct(table), model.reconstruct(table))


def test_what_is_told_holds_for_new_rows():
    frame = mixed_frame(500, seed=4)
    model = auto(refine=AutoRefinement(0)).fit(frame[:200])
    told = model.tried_[0].distortion
    assert 1 - model.score(frame[200:]) == pytest.approx(told, rel=0.35)


def stub(monkeypatch, distortion_of, *, seconds=1.0):
    """Let the trials end as told, after a while on a clock of their own."""
    clock = [0.0]

    def judge(self, number, refinement):
        clock[0] += seconds
        forest = _trials.forests_to_try(self.model)[number]
        lost = distortion_of(number, refinement)
        return Trial(lost, seconds, forest=forest, refinement=refinement)

    monkeypatch.setattr(Contest, "judge", judge)
    monkeypatch.setattr(_trials, "perf_counter", lambda: clock[0])


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("start", ["forest", "linear", "neighbours"])
@pytest.mark.parametrize("rounds", [3, 8])
def test_the_best_setting_is_fitted(number, start, rounds, monkeypatch, table):
    def distortion_of(forest, refinement):
        wrong_start = (refinement.start != start) + (forest != number)
        off = abs(refinement.n_neighbors - 12) / 100 + (refinement.rounds != rounds)
        return 1 + 10 * wrong_start + off

    if start == "linear":
        number = 0  # which forest stands below does not matter: it is the first
    if start == "neighbours":
        number = 1  # small leaves know relatives better
    stub(monkeypatch, distortion_of)
    model = RFAE.auto(2, random_state=0).fit(table)
    best = model.tried_[0]
    assert best.forest.min_samples_leaf == LEAF_SIZES[number]
    assert (
        best.refinement.get_params()
        == Refinement(rounds, n_neighbors=12, start=start).get_params()
    )
    assert_uses_its_choice(model)


@pytest.mark.parametrize(
    ("others", "n_trials", "best"),
    # Two forests, and one width with few and many rounds.
    [(9.0, 3, "packed"), (2.01, 3, "packed"), (2.0, 7, "packed"), (0.9, 7, "linear")],
)
def test_more_is_tried_unless_packed_rows_lose_far_less(
    others, n_trials, best, monkeypatch, table
):
    def distortion_of(forest, refinement):
        late = refinement.start != "linear"
        return 1.0 if refinement.start == "packed" else others + 0.01 * late

    stub(monkeypatch, distortion_of)
    model = RFAE.auto(2, random_state=0).fit(table)
    assert len(model.tried_) == n_trials
    assert model.tried_[0].refinement.start == best
    # Neither rounds nor neighbours mean anything to packed rows.
    assert starts_of(model.tried_).count("packed") == 1
    assert_uses_its_choice(model)


@pytest.mark.parametrize("lost", [0.0, np.nan, np.inf])
def test_a_single_trial_is_kept_whatever_it_says(lost, monkeypatch, table):
    stub(monkeypatch, lambda forest, refinement: lost)
    model = RFAE.auto(2, 0, random_state=0).fit(table)
    assert starts_of(model.tried_) == ["packed"]
    assert_uses_its_choice(model)


@pytest.mark.parametrize(
    ("n_rows", "n_components", "neighbours"),
    [
        (60, 2, {12, 22}),
        (400, 2, {12, 24, 48, 96}),
        (400, 30, {48, 96}),
        (2100, 2, {12, 24, 48, 96}),
        (2100, 20, {24, 48, 96, 192}),
    ],
)
def test_neighbours_are_tried_within_reason(
    n_rows, n_components, neighbours, monkeypatch
):
    stub(monkeypatch, lambda forest, refinement: 1.0)
    X = np.random.default_rng(0).normal(size=(n_rows, 3))
    trials = Contest(auto(n_components), encoded(X), None, rng()).run(None)
    assert {trial.refinement.n_neighbors for trial in trials} == neighbours
    rounds = {(t.refinement.start == "packed", t.refinement.rounds) for t in trials}
    assert rounds == {(True, 0), (False, 3), (False, 8)}


# --- time -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("time_budget", "n_trials"),
    [(0, 1), (9.9, 1), (10, 1), (20, 2), (29.9, 2), (30, 3), (45.0, 4), (None, 11)],
)
def test_no_trial_would_end_late(time_budget, n_trials, monkeypatch):
    stub(monkeypatch, lambda forest, refinement: 1.0, seconds=10.0)
    X = np.random.default_rng(0).normal(size=(300, 3))
    contest = Contest(auto(), encoded(X), None, rng())
    assert len(contest.run(time_budget)) == n_trials


def test_no_time_means_one_trial(table):
    model = RFAE.auto(2, 0, random_state=0).fit(table)
    assert len(model.tried_) == 1
    assert_uses_its_choice(model)
    assert model.score(table) > 0.8


# --- rows that are held back ------------------------------------------------------


def row_set(values):
    return {tuple(row) for row in np.nan_to_num(values, nan=-999.0)}


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_copies_are_held_back_together(missing):
    frame = mixed_frame(100, missing=missing, seed=6)
    frame = frame.sample(300, replace=True, random_state=0)
    contest = Contest(auto(), encoded(frame), None, rng())
    every = row_set(encoded(frame).values)
    assert len(contest.parts) == 2
    held_rows = []
    for part in contest.parts:
        known, held = row_set(part.known.values), row_set(part.held)
        assert not known & held
        assert known | held == every
        assert len(held) == len(part.held) == len(every) // 4
        held_rows.append(held)
    # Each part is judged by other rows.
    assert not held_rows[0] & held_rows[1]


@pytest.mark.parametrize(
    ("n_rows", "held", "known", "n_parts"),
    [(3, 1, 2, 2), (8, 2, 6, 2), (1999, 499, 1500, 2), (3000, 500, 1500, 1)],
)
def test_long_tables_are_sampled(n_rows, held, known, n_parts):
    X = np.random.default_rng(0).normal(size=(n_rows, 2))
    contest = Contest(auto(1), encoded(X), None, rng())
    assert len(contest.parts) == n_parts
    for part in contest.parts:
        assert len(part.held) == held
        assert part.known.n_rows == known


def test_noise_looks_like_noise():
    # Copies on both sides would be decoded from each other.
    X = np.random.default_rng(0).normal(size=(100, 12))
    frame = pd.DataFrame(X, columns=list("abcdefghijkl"))
    frame = frame.sample(200, replace=True, random_state=0)
    model = auto(1).fit(frame)
    assert model.tried_[0].distortion > 0.6
    assert model.tried_[-1].distortion <= 1


def test_targets_go_with_their_rows():
    X = np.random.default_rng(0).normal(size=(200, 2))
    for y in (X[:, 0], pd.Series(X[:, 0], index=np.arange(200)[::-1])):
        contest = Contest(auto(), encoded(X), y, rng())
        for part in contest.parts:
            np.testing.assert_array_equal(part.y, part.known.values[:, 0])


# --- forests and data -------------------------------------------------------------


def test_nothing_is_told_of_maps_that_were_only_tried(monkeypatch, table):
    def spoilt(self, part, number, refinement):
        warnings.warn("carry nothing", SpectrumWarning, stacklevel=1)
        return part.held

    monkeypatch.setattr(_trials.Contest, "_decoded", spoilt)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RFAE.auto(1, random_state=0).fit(table)


def test_a_fixed_forest_is_the_only_one():
    model = auto().fit(curved_frame())
    assert all(trial.forest is FOREST for trial in model.tried_)
    assert {trial.refinement.start for trial in model.tried_} == set(STARTS)
    assert model.kernel_.grower_.n_estimators == 20
    assert_uses_its_choice(model)
    # Trials leave the forest that was given as it was.
    assert not hasattr(FOREST, "forest_")


def test_supervised_forest(table):
    y = target_of(table)
    forest = SupervisedForest(12, min_samples_leaf=2)
    model = auto(forest=forest).fit(table, y)
    assert all(trial.forest is forest for trial in model.tried_)
    assert_uses_its_choice(model)
    assert model.score(table) > 0.8
    with pytest.raises(ValueError, match="Pass y to fit"):
        auto(forest=forest).fit(table)
    names = auto(forest=forest).fit(table, np.array(["x", "y", "z"])[y])
    np.testing.assert_array_equal(names.embedding_, model.embedding_)


def test_missing_cells(holed_table):
    model = RFAE.auto(2, 0, random_state=0).fit(holed_table)
    assert np.isfinite(model.tried_[0].distortion)
    assert np.isfinite(model.embedding_).all()
    assert model.score(holed_table) > 0.5


@pytest.mark.parametrize("n_rows", [4, 6])
@pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")
def test_few_rows(n_rows):
    frame = mixed_frame(n_rows, columns=("length", "name"))
    model = auto(1).fit(frame)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.tried_[0].distortion)


@pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")
def test_columns_that_tell_nothing(table):
    dull = table[["length", "name"]].assign(
        constant=0.5, one_level=pd.Categorical(["a"] * len(table)), empty=np.nan
    )
    model = auto().fit(dull)
    back = model.reconstruct(dull)
    columns = dull.columns[2:]
    assert_frame_equal(back[columns], dull[columns])
    assert np.isfinite(model.tried_[0].distortion)


# --- mistakes ---------------------------------------------------------------------


@pytest.fixture
def no_growing(monkeypatch):
    """Make growing a forest an error of its own."""

    def explode(*args, **kwargs):
        pytest.fail("a forest was grown before the mistake was found")

    monkeypatch.setattr(BaseForest, "grow_on", explode)


MISTAKES = [
    ({"refine": "x"}, ValueError, "refine='x' is not known. Choose one of"),
    ({"refine": 1.5}, TypeError, r"rounds=1\.5 is a float"),
    ({"refine": AutoRefinement(-1)}, ValueError, "time_budget=-1 is too small"),
    ({"refine": AutoRefinement("1")}, TypeError, "time_budget='1' is a str"),
    ({"refine": AutoRefinement(np.nan)}, ValueError, "time_budget=nan"),
    ({"forest": "random"}, ValueError, "forest='random' is not known"),
    ({"decoder": "nearest"}, ValueError, "decoder='nearest' is not known"),
    ({"n_components": 45}, ValueError, "60 distinct rows are too few.*45 coordinates"),
    ({"kinds": {"few": "number"}}, ValueError, "'number' is not known"),
    ({"unseen": "ignore"}, ValueError, "unseen='ignore' is not known"),
]


@pytest.mark.usefixtures("no_growing")
@pytest.mark.parametrize(("settings", "error", "message"), MISTAKES, ids=str)
def test_mistakes_are_told_before_growing(settings, error, message, table):
    with pytest.raises(error, match=message):
        auto(**settings).fit(table)


@pytest.mark.usefixtures("no_growing")
def test_too_few_distinct_rows(table):
    copies = pd.concat([table.iloc[:2]] * 20)
    with pytest.raises(ValueError, match="2 distinct rows are too few"):
        RFAE.auto(2).fit(copies)


# --- scikit-learn -----------------------------------------------------------------


def test_auto_is_an_estimator_like_any_other():
    model = RFAE.auto(3, 60.0, random_state=5)
    assert (model.n_components, model.forest, model.decoder) == (3, "auto", "auto")
    assert (model.refine.time_budget, model.random_state) == (60.0, 5)
    copy = clone(model)
    assert copy.refine is not model.refine
    assert str(copy.get_params()) == str(model.get_params())
    assert model.get_params()["refine__time_budget"] == 60.0
    other = RFAE().set_params(**model.get_params(deep=False))
    assert str(other.get_params()) == str(model.get_params())
    copy.set_params(refine__time_budget=1.0)
    assert (copy.refine.time_budget, model.refine.time_budget) == (1.0, 60.0)


def test_fit_leaves_the_parameters_alone(chosen):
    model, _ = chosen
    fresh = RFAE.auto(2, random_state=0)
    assert str(model.get_params()) == str(fresh.get_params())
    assert not any(hasattr(trial.forest, "forest_") for trial in model.tried_)


def test_who_changes_a_forest_that_was_tried_changes_no_other_model(table):
    model = RFAE.auto(2, 0, random_state=0).fit(table)
    before = model.embedding_
    model.tried_[0].forest.set_params(n_estimators=1, min_samples_leaf=50)
    again = RFAE.auto(2, 0, random_state=0).fit(table)
    assert again.tried_[0].forest.n_estimators == 200
    np.testing.assert_array_equal(again.embedding_, before)


def test_pickle_and_truncate(chosen):
    model, table = chosen
    rows = shuffled(table)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(rows), model.transform(rows))
    assert [str(t) for t in again.tried_] == [str(t) for t in model.tried_]
    cut = model.truncate(1)
    best = model.tried_[0]
    fresh = RFAE(1, forest=best.forest, refine=best.refinement, random_state=0)
    np.testing.assert_allclose(cut.embedding_, fresh.fit(table).embedding_, atol=1e-6)
    assert cut.reconstruct(rows).shape == rows.shape


def test_what_was_tried_is_forgotten_by_another_fit():
    model = RFAE(2, forest=FOREST, refine=AutoRefinement(0), random_state=0)
    model.fit(mixed_frame())
    assert model.tried_
    model.set_params(refine=None).fit(mixed_frame())
    assert model.tried_ == []


@pytest.mark.parametrize("n_rows", [59, 61])
def test_a_target_of_another_length_is_refused_before_the_trials(n_rows):
    model = RFAE(2, forest="supervised", refine="auto", random_state=0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(mixed_frame(), np.zeros(n_rows))
