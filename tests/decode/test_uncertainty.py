"""Spreads, intervals and probabilities of decoded cells."""

from datetime import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor

from latentforest import RFAE, CompletelyRandomForest, Refinement
from mixed_tables import factor_frame, mixed_frame

FOREST = CompletelyRandomForest(40)


def noisy_frame(n_rows, seed):
    """One hidden number, columns that follow it with noise that grows with it."""
    rng = np.random.default_rng(seed)
    t = rng.random(n_rows)
    table = {f"x{j}": 10 * t * (1 + 0.2 * rng.normal(size=n_rows)) for j in range(4)}
    table["side"] = np.where(rng.random(n_rows) < t, "right", "left")
    return pd.DataFrame(table)


@pytest.fixture(scope="module", params=["auto", "knn", "local_linear"])
def model(request):
    table = noisy_frame(600, 0)
    return RFAE(1, forest=FOREST, decoder=request.param, random_state=0).fit(table)


def test_intervals_cover_what_they_promise(model):
    new = noisy_frame(2000, 1)
    numbers = new.drop(columns="side")
    _, sure = model.inverse_transform(model.transform(new), return_uncertainty=True)
    for coverage in (0.5, 0.8, 0.9):
        lower, upper = sure.interval(coverage)
        assert list(lower.columns) == list(upper.columns) == list(numbers.columns)
        inside = ((numbers >= lower) & (numbers <= upper)).to_numpy().mean()
        assert inside == pytest.approx(coverage, abs=0.04)


def test_intervals_are_wider_where_the_noise_is(model):
    new = noisy_frame(500, 2).sort_values("x0")
    _, sure = model.inverse_transform(model.transform(new), return_uncertainty=True)
    assert sure.std["x0"][-100:].mean() > 1.5 * sure.std["x0"][:100].mean()
    lower, upper = sure.interval(0.6827)
    np.testing.assert_array_less(0, sure.std)
    assert ((upper - lower) <= 2 * sure.std + 1e-9).all(axis=None)


def test_more_coverage_is_wider_and_keeps_the_sign(model):
    rows, sure = model.inverse_transform(model.embedding_, return_uncertainty=True)
    (low, high), (lower, higher) = sure.interval(0.5), sure.interval(0.99)
    assert (lower <= low).all(axis=None)
    assert (higher >= high).all(axis=None)
    assert (model.schema_.lower[:4] >= 0).all()
    assert (lower.to_numpy() >= 0).all()
    # New rows may lie beyond the largest one of the training rows.
    assert (higher.to_numpy() > model.schema_.upper[:4]).any()
    numbers = rows.drop(columns="side")
    assert ((numbers >= low - 1e-9) & (numbers <= high + 1e-9)).all(axis=None)


def test_probabilities_are_probabilities(model):
    new = noisy_frame(2000, 3)
    rows, sure = model.inverse_transform(model.transform(new), return_uncertainty=True)
    share = sure.probabilities["side"]
    assert list(share.columns) == ["left", "right"]
    assert (share >= 0).all(axis=None)
    np.testing.assert_allclose(share.sum(axis=1), 1)
    assert (share.idxmax(axis=1) == rows["side"]).mean() > 0.99
    likely = share["right"] > 0.8
    assert (new["side"].to_numpy() == "right")[likely].mean() > 0.7


def shares_of(table, name, levels):
    """Share of each level in a table; None stands for missing."""
    cells = table[name].astype(object).where(table[name].notna(), None)
    return [np.mean([cell == level for cell in cells]) for level in levels]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"decoder": "knn"},
        {"decoder": "local_linear"},
        {"refine": 2, "forest": FOREST},
        {"refine": Refinement(start="packed"), "forest": FOREST},
    ],
    ids=str,
)
def test_nothing_is_certain_far_from_all_rows(settings):
    table = mixed_frame(80, missing=0.2, seed=4)
    model = RFAE(2, random_state=0, **{"forest": FOREST} | settings).fit(table)
    Z, limit = model.embedding_, model.reach_.limit
    middle, way = Z.mean(axis=0), np.array([0.6, 0.8])
    farther = [middle + far * limit * way for far in (0, 1e3, 1e4, 1e5, 1e7)]
    _, sure = model.inverse_transform(farther, return_uncertainty=True)
    assert len(sure.probabilities) > 3
    for name, share in sure.probabilities.items():
        known = shares_of(table, name, share.columns)
        assert sum(known) == pytest.approx(1)
        np.testing.assert_allclose(share.sum(axis=1), 1)
        np.testing.assert_allclose(share.iloc[-1], known, atol=1e-6)
        gap = np.abs(share.to_numpy() - known).max(axis=1)[1:]
        assert (np.diff(gap) < 0).all()


def test_among_the_rows_probabilities_are_the_votes(model):
    decoder = getattr(model.decoder_, "chosen_", model.decoder_)
    Z = model.embedding_[~model.reach_.is_far(model.embedding_)]
    assert len(Z) > 500
    _, sure = model.inverse_transform(Z, return_uncertainty=True)
    _, spread = decoder.decode_with_spread(Z)
    votes = spread.of_column(4, 2)[:, :2]
    np.testing.assert_array_equal(sure.probabilities["side"].to_numpy(), votes)
    assert (votes.max(axis=1) == 1).any()


def test_missing_has_a_probability_where_it_was_seen():
    table = mixed_frame(80, missing=0.3)
    model = RFAE(2, forest=FOREST, random_state=0).fit(table)
    Z = pd.DataFrame(model.embedding_, index=table.index)
    rows, sure = model.inverse_transform(Z, return_uncertainty=True)
    assert list(sure.probabilities["name"].columns) == ["ada", "bob", "eve", None]
    assert list(sure.probabilities["flag"].columns) == [False, True]
    for frame in (sure.std, *sure.interval(), *sure.probabilities.values()):
        assert frame.index.equals(table.index)
    lower, upper = sure.interval()
    gap = rows["length"].isna()
    assert lower["length"].isna().equals(gap)
    assert (lower["length"][~gap] <= upper["length"][~gap]).all()


def test_same_seed_same_intervals_and_copies_forget_nothing():
    table = noisy_frame(200, 0)
    model = RFAE(3, forest=FOREST, decoder="local_linear", random_state=0)
    one, two = clone(model).fit(table), clone(model).set_params(n_jobs=1).fit(table)
    Z = one.embedding_

    def std(model):
        return model.inverse_transform(model.transform(table), return_uncertainty=True)[
            1
        ].std

    pd.testing.assert_frame_equal(std(one), std(two))
    pd.testing.assert_frame_equal(std(one), std(one))
    # Fewer coordinates, and another table, are calibrated anew.
    fewer = one.truncate(1)
    fresh = clone(model).set_params(n_components=1).fit(table)
    np.testing.assert_allclose(std(fewer), std(fresh), rtol=1e-5)
    assert not np.allclose(std(fewer), std(one))
    other = noisy_frame(200, 7)
    np.testing.assert_array_equal(
        one.fit(other).inverse_transform(Z, return_uncertainty=True)[1].std,
        clone(model).fit(other).inverse_transform(Z, return_uncertainty=True)[1].std,
    )


def test_other_frame_libraries_get_pandas_frames():
    table = pl.from_pandas(noisy_frame(100, 0))
    model = RFAE(1, forest=FOREST, random_state=0).fit(table)
    rows, sure = model.inverse_transform(model.embedding_, return_uncertainty=True)
    assert isinstance(rows, pl.DataFrame)
    assert isinstance(sure.std, pd.DataFrame)


def test_too_few_rows_promise_nothing():
    table = noisy_frame(8, 0)
    forest = CompletelyRandomForest(40, min_samples_leaf=3)
    model = RFAE(1, forest=forest, random_state=0).fit(table)
    _, sure = model.inverse_transform(model.embedding_, return_uncertainty=True)
    # Nine tenths of eight errors and a new one are all nine: the new one is unknown,
    # and so is its sign.
    lower, upper = sure.interval(0.9)
    assert (lower["x0"] == -np.inf).all()
    assert (upper["x0"] == np.inf).all()
    lower, upper = sure.interval(0.8)
    assert np.isfinite(lower["x0"]).all()
    assert (lower["x0"] >= 0).all()


def wide_frame(n_rows, seed):
    """Two numbers among twelve categories of noise: few rows are easily learned."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n_rows, 2)), columns=["x", "y"])
    for j in range(12):
        table[f"c{j}"] = rng.choice(list("abc"), n_rows)
    return table


SETTINGS = {
    "auto": {},
    "knn": {"decoder": "knn"},
    "local linear": {"decoder": "local_linear"},
    "refined": {"refine": 4},
    "refined, linear": {"refine": Refinement(4, start="linear")},
}


def coverage_of(settings, tables, coverages):
    """Mean coverage of fresh rows, over models that are fitted on the tables."""
    shares = []
    for seed, table in enumerate(tables):
        model = RFAE(4, forest=FOREST, random_state=seed, **settings)
        model.set_params(unseen="nearest").fit(table)
        new = wide_frame(400, 1000 + seed)
        _, sure = model.inverse_transform(model.transform(new), return_uncertainty=True)
        ends = [sure.interval(coverage) for coverage in coverages]
        numbers = new[["x", "y"]]
        shares.append(
            [((numbers >= a) & (numbers <= b)).to_numpy().mean() for a, b in ends]
        )
    return np.mean(shares, axis=0)


@pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("n_rows", [12, 30])
def test_few_rows_cover_what_they_promise(name, n_rows):
    coverages = np.array([0.5, 0.8, 0.9, 0.99])
    tables = [wide_frame(n_rows, seed) for seed in range(40)]
    found = coverage_of(SETTINGS[name], tables, coverages)
    # Settings are chosen on the rows that calibrate, which counts where they are few.
    assert (found > coverages - 0.06).all()


@pytest.mark.parametrize("name", SETTINGS)
def test_copies_of_rows_change_no_promise(name):
    coverages = np.array([0.5, 0.9])
    tables = [
        wide_frame(150, seed).sample(450, replace=True, random_state=seed)
        for seed in range(4)
    ]
    found = coverage_of(SETTINGS[name], tables, coverages)
    np.testing.assert_allclose(found, coverages, atol=0.06)


@pytest.mark.parametrize("forest", [None, "supervised"])
def test_long_tables_cover_what_they_promise(forest):
    coverages, found = np.array([0.5, 0.8, 0.9]), []
    for seed in range(2):
        rows = factor_frame(5_000, seed)
        train, new = rows[:2_500], rows[2_500:].reset_index(drop=True)
        given = {} if forest is None else {"forest": forest}
        target = train["two"] if forest == "supervised" else None
        model = RFAE(4, random_state=seed, **given).fit(train, target)
        _, sure = model.inverse_transform(model.transform(new), return_uncertainty=True)
        ends = [sure.interval(coverage) for coverage in coverages]
        cells = new[ends[0][0].columns]
        inside = [((cells >= a) & (cells <= b)).mean() for a, b in ends]
        found.append([share.drop("count") for share in inside])  # which has ties
    shares = np.mean(found, axis=0)
    np.testing.assert_allclose(shares.mean(axis=1), coverages, atol=0.03)
    assert (coverages - 0.07 < shares.T).all()


def test_a_forest_that_was_given_fitted_is_said_to_know_the_rows():
    table = noisy_frame(300, 0)
    forest = RandomForestRegressor(20, min_samples_leaf=20, random_state=0)
    numbers = table.drop(columns="side")
    forest.fit(numbers, numbers["x0"])
    model = RFAE(1, forest=forest, random_state=0).fit(numbers)
    with pytest.warns(UserWarning, match="cannot be grown again"):
        model.inverse_transform(model.embedding_, return_uncertainty=True)


@pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")
@pytest.mark.parametrize("refine", [None, 2, Refinement(2, start="linear")])
@pytest.mark.parametrize("landmarks", [None, 2])
def test_the_smallest_tables_have_intervals(refine, landmarks):
    table = noisy_frame(4, 0)
    model = RFAE(1, forest=FOREST, refine=refine, landmarks=landmarks, random_state=0)
    Z = model.fit(table).leave_one_out()
    _, sure = model.inverse_transform(Z, return_uncertainty=True)
    assert np.isfinite(Z).all()
    assert not sure.std.isna().any(axis=None)


def test_copies_are_covered_where_a_map_loses_nothing():
    coverages, found = (0.5, 0.8, 0.95), []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        pool = noisy_frame(1_200, seed)[["x0", "x1", "side"]]
        train, new = (
            pool.iloc[rng.integers(len(pool), size=n)].reset_index(drop=True)
            for n in (1_200, 2_000)
        )
        model = RFAE(4, random_state=seed).fit(train)
        _, sure = model.inverse_transform(model.transform(new), return_uncertainty=True)
        cells = new[["x0", "x1"]]
        ends = [sure.interval(coverage) for coverage in coverages]
        found.append([((cells >= a) & (cells <= b)).to_numpy().mean() for a, b in ends])
    assert (np.mean(found, axis=0) > np.array(coverages) - 0.03).all()


@pytest.mark.parametrize("coverage", [0, 1, -0.5, 90])
def test_bad_coverage_is_refused(coverage):
    model = RFAE(1, forest=FOREST, random_state=0).fit(noisy_frame(50, 0))
    _, sure = model.inverse_transform(model.embedding_, return_uncertainty=True)
    with pytest.raises(ValueError, match="coverage="):
        sure.interval(coverage)


def dated_frame(n_rows, seed):
    """Follow a hidden number with dates, times of day and durations."""
    rng = np.random.default_rng(seed)
    t = rng.random(n_rows)
    near = np.clip(t + 0.02 * rng.normal(size=n_rows), 0, 1)
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta((365 * near).astype(int), "D")
    minutes = (1_439 * near).astype(int).tolist()
    return pd.DataFrame(
        {
            "day": day,
            "there": pd.DatetimeIndex(day).tz_localize("Europe/Berlin"),
            "clock": [time(minute // 60, minute % 60) for minute in minutes],
            "length": pd.to_timedelta((1_000 * near).astype(int), "s"),
            "size": t,
        }
    )


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_intervals_of_dates_are_dates_and_cover(library):
    model = RFAE(1, forest=FOREST, decoder="knn", random_state=0)
    model.fit(library(dated_frame(400, 0)))
    new = dated_frame(600, 1)
    Z = model.transform(library(new))
    _, sure = model.inverse_transform(Z, return_uncertainty=True)
    lower, upper = sure.interval(0.8)
    assert list(lower) == list(upper) == list(new)
    for name in new:
        inside = (lower[name] <= new[name]) & (new[name] <= upper[name])
        assert 0.75 < inside.mean() < 0.97, name
    for end in (lower, upper):
        assert str(end["there"].dt.tz) == "Europe/Berlin"
        assert (end["there"].dt.hour == 0).all()
        assert (end["day"] == end["day"].dt.normalize()).all()
    assert (lower["length"] >= pd.Timedelta(0)).all()
    # No day is the first of all: nothing is known of a sign.
    assert (sure.interval(0.98)[0]["day"] < pd.Timestamp("2021-01-01")).any()
    low, high = sure.interval(0.6827)
    assert ((high["day"] - low["day"]) >= 2 * sure.std["day"]).all()
    std = sure.std
    for name in ("day", "there", "clock", "length"):
        assert std[name].dtype.kind == "m"
    assert pd.Timedelta("1D") < std["day"].median() < pd.Timedelta("40D")


def test_ends_of_dates_that_nobody_can_tell_are_missing():
    model = RFAE(1, forest=FOREST, decoder="knn", random_state=0)
    model.fit(dated_frame(12, 0))
    _, sure = model.inverse_transform(model.embedding_, return_uncertainty=True)
    lower, _ = sure.interval(0.99)
    assert lower["day"].isna().all()
    assert np.isinf(lower["size"]).all()
