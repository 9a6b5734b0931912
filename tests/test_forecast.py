"""What a fit will cost: laws of the forecast, and fits that have no room."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier

from latentforest import (
    RFAE,
    AdversarialForest,
    CompletelyRandomForest,
    Refinement,
    RoomError,
    SupervisedForest,
    _planned,
)
from latentforest._plan import Size
from latentforest._planned import MARGIN, check_room
from latentforest.forest import FORESTS
from latentforest.table import TableCodec

ROOT = Path(__file__).parents[1]
MEASURED = [
    json.loads(line)
    for line in (ROOT / "benchmarks/results/forecast.jsonl").read_text().splitlines()
]


def model_of(case):
    """Return the model of a measured case, as benchmarks/forecast.py makes it."""
    more = {"max_samples": None, "landmarks": case.get("landmarks"), "n_jobs": 1}
    if case["forest"] == "auto":
        return RFAE.auto(case["k"], **more)
    if case["forest"] == "paper":
        return RFAE.paper(case["k"], **more)
    if case["forest"] == "default":
        forest = CompletelyRandomForest(case["trees"])
        return RFAE(case["k"], forest=forest, refine=4, **more)
    return RFAE(case["k"], forest=FORESTS[case["forest"]](case["trees"]), **more)


@pytest.mark.parametrize("measured", MEASURED, ids=lambda m: str(m["case"]))
def test_forecast_is_near_what_was_measured(measured):
    case = measured["case"]
    size = {name: case[name] for name in ("rows", "columns", "levels")}
    cost = model_of(case).estimate(**size)
    assert 0.5 < cost.fit_bytes / measured["fit_bytes"] < 2
    if case["forest"] != "auto":  # what it ends with is not known before
        assert 0.5 < cost.fit_seconds / measured["fit_seconds"] < 2
        assert 0.5 < cost.file_bytes / measured["file_bytes"] < 2


MODELS = {
    "default": RFAE(max_samples=None),
    "plain": RFAE(refine=None, max_samples=None),
    "linear": RFAE(4, max_samples=None),
    "many": RFAE(12, max_samples=None),
    "packed": RFAE(refine=Refinement(start="packed"), max_samples=None),
    "adversarial": RFAE.paper(max_samples=None),
    "supervised": RFAE(forest="supervised", max_samples=None),
    "auto": RFAE.auto(max_samples=None),
}
FIGURES = ("fit_bytes", "more_bytes", "fit_seconds", "file_bytes", "encode_seconds")


@pytest.mark.parametrize("name", MODELS)
def test_more_rows_columns_or_levels_never_cost_less(name):
    def costs(rows, columns, *levels):
        told = MODELS[name].estimate(rows=rows, columns=columns, levels=levels)
        return np.array([getattr(told, figure) for figure in FIGURES])

    for series in (
        [costs(rows, 10, 5) for rows in (2, 100, 10_000, 99_999, 200_000, 10**7)],
        [costs(rows, 300) for rows in (50_000, 60_000, 100_000)],
        [costs(10_000, columns) for columns in (1, 10, 100, 1_000)],
        [costs(10_000, 10, levels) for levels in (2, 10, 100, 500)],
        # Beyond, levels are written out for a few rows at a time.
        [costs(10_000, 10, levels) for levels in (2_001, 10_000, 60_000)],
        [costs(10_000, 10, *[50] * n) for n in range(1, 6)],
    ):
        assert (np.diff(series, axis=0) >= 0).all()
    assert (costs(20_000, 10)[:3] > costs(10_000, 10)[:3]).all()


@pytest.mark.parametrize("refine", [None, Refinement(), "auto"])
@pytest.mark.parametrize("kind", FORESTS)
def test_more_trees_cost_more(kind, refine):
    few, many = (
        RFAE(forest=FORESTS[kind](n), refine=refine).estimate(rows=5_000, columns=9)
        for n in (20, 60)
    )
    for figure in FIGURES:
        assert getattr(many, figure) > getattr(few, figure)


def test_every_setting_counts():
    def cost(model=None, **more):
        model = RFAE(**more) if model is None else model
        return model.estimate(rows=500_000, columns=10)

    default = cost()
    assert cost(max_samples=10_000).more_bytes < default.more_bytes / 5
    assert cost(max_samples=None).more_bytes > 4 * default.more_bytes
    assert cost(refine=8).fit_seconds > default.fit_seconds
    plain = cost(refine=None)
    assert plain.more_bytes > default.more_bytes  # of 500 trees
    assert cost(refine=None, landmarks=1_000).fit_seconds < plain.fit_seconds
    assert cost(n_components=5).fit_seconds > default.fit_seconds
    chosen = cost(RFAE.auto())
    assert chosen.choice_seconds > 0 == default.choice_seconds
    assert cost(RFAE.auto(2, 0.001)).choice_seconds == 0.001
    small = AdversarialForest(50, min_samples_leaf=50)
    assert cost(forest=small).file_bytes < cost(forest=AdversarialForest(50)).file_bytes
    short = SupervisedForest(50, max_depth=3)
    assert cost(forest=short).file_bytes < cost(forest=SupervisedForest(50)).file_bytes
    one, four = (cost(n_jobs=n).fit_seconds for n in (1, 4))
    assert one == pytest.approx(4 * four)


def test_forests_that_are_grown_need_no_growing(tiny):
    kinds = RandomForestClassifier(30), CompletelyRandomForest(30)
    y = np.arange(len(tiny)) % 2
    for forest in kinds:
        new = RFAE(forest=CompletelyRandomForest(30)).estimate(rows=9_000, columns=2)
        old = RFAE(forest=forest.fit(tiny, y)).estimate(rows=9_000, columns=2)
        assert old.fit_seconds < new.fit_seconds
        assert "30 trees" in str(old)


@pytest.fixture(name="tiny")
def _tiny():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(60, 2)).round(2), columns=["a", "b"])


@pytest.fixture(name="mixed")
def _mixed(tiny):
    return tiny.assign(c=[f"l{i % 7}" for i in range(len(tiny))], d=tiny["a"] > 0)


def test_a_table_is_counted_whatever_holds_it(mixed, tmp_path):
    pytest.importorskip("pyarrow")
    model = RFAE()
    numbers = model.estimate(rows=60, columns=4, levels=[7, 2])
    assert model.estimate(mixed) == numbers
    assert model.estimate(TableCodec().fit_encode(mixed)) == numbers
    for part, rows in enumerate((slice(0, 25), slice(25, None))):
        mixed[rows].to_parquet(tmp_path / f"{part}.parquet")
    pieces = model.estimate(tmp_path)
    assert pieces.more_bytes == numbers.more_bytes
    assert pieces.fit_bytes < numbers.fit_bytes  # the table is not held
    assert "60 rows, read in pieces, 4 columns, 9 levels" in str(pieces)
    assert pieces == model.estimate(lambda: iter([mixed[:10], mixed[10:]]))


@pytest.mark.parametrize("name", MODELS)
def test_a_forecast_is_told_in_80_columns(name):
    for size in ((3, 1, ()), (10**9, 1_000, (60_000,))):
        told = str(MODELS[name].estimate(**dict(zip(NAMES, size, strict=True))))
        assert max(map(len, told.splitlines())) <= 80
        assert "memory to fit" in told


NAMES = "rows", "columns", "levels"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Neither X nor rows"),
        ({"rows": 5}, "Neither X nor rows"),
        ({"X": np.eye(3), "rows": 5}, "numbers instead of one"),
        ({"rows": 0, "columns": 3}, "rows"),
        ({"rows": 5, "columns": 1, "levels": [2, 2]}, "columns"),
        ({"rows": 5, "columns": 1, "levels": 0}, "levels"),
    ],
)
def test_what_cannot_be_estimated_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        RFAE().estimate(**given)


@pytest.fixture(name="free")
def _free(monkeypatch):
    """Say how much memory is free."""
    return lambda n: monkeypatch.setattr(_planned, "free_memory", lambda: n)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("rows", [500, 50_000, 10**7])
def test_refused_is_what_does_not_fit_and_nothing_else(free, name, rows):
    size = Size(rows, 12, (100,))
    need = MODELS[name].estimate(rows=rows, columns=12, levels=100).more_bytes
    free(None)  # nobody can tell
    check_room(MODELS[name], size)
    free(need / MARGIN + 1)
    check_room(MODELS[name], size)
    free(need / MARGIN - 1)
    with pytest.raises(RoomError, match="are free"):
        check_room(MODELS[name], size)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("gigabytes", [0.2, 1, 8])
def test_what_is_advised_fits(free, name, gigabytes):
    model, size = MODELS[name], Size(10**8, 12, (100,))
    free(gigabytes * 1e9)
    with pytest.raises(RoomError) as caught:
        check_room(model, size)
    remedies = caught.value.remedies
    assert "max_samples" in remedies
    assert f"max_samples={remedies['max_samples']:_}" in str(caught.value)
    for setting in ("max_samples", "landmarks"):
        if setting in remedies:
            changed = clone(model).set_params(**{setting: remedies[setting]})
            told = changed.estimate(rows=size.rows, columns=12, levels=100)
            assert told.more_bytes <= gigabytes * 1e9
            # Not far from the most that would.
            changed.set_params(**{setting: 3 * remedies[setting]})
            told = changed.estimate(rows=size.rows, columns=12, levels=100)
            assert told.more_bytes > gigabytes * 1e9


def test_fewer_trees_are_advised_where_they_help(free):
    forest = CompletelyRandomForest(3_000)
    free(0.5e9)
    with pytest.raises(RoomError, match="a forest of at most") as caught:
        check_room(RFAE(forest=forest), Size(50_000, 10))
    n_trees = caught.value.remedies["n_trees"]
    check_room(RFAE(forest=CompletelyRandomForest(n_trees)), Size(50_000, 10))


def test_where_nothing_helps_that_is_said(free):
    free(0)
    with pytest.raises(RoomError, match="Give fewer rows or columns, or a larger"):
        check_room(RFAE(), Size(50_000, 10))


def test_fit_is_refused_before_the_forest_grows(free, tiny, monkeypatch):
    def grow(*_, **__):
        pytest.fail("the forest was grown")

    free(1_000)
    monkeypatch.setattr(CompletelyRandomForest, "grow", grow)
    with pytest.raises(MemoryError, match=r"Fitting 60 rows of 2 columns needs about"):
        RFAE().fit(tiny)
