"""Models of tables with dates and times, whatever decodes them."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from latentforest import (
    RFAE,
    CompletelyRandomForest,
    EForest,
    KNNDecoder,
    Refinement,
)

FOREST = CompletelyRandomForest(12, min_samples_leaf=3)
# Decoders that blend, copy or draw rows, and those that infer leaves.
MODELS = {
    "refined": RFAE(2, random_state=0),
    "packed": RFAE(3, refine=Refinement(start="packed"), random_state=0),
    "knn": RFAE(2, forest=FOREST, decoder="knn", random_state=0),
    "drawn": RFAE(2, forest=FOREST, decoder=KNNDecoder(3), random_state=0),
    "local_linear": RFAE(2, forest=FOREST, decoder="local_linear", random_state=0),
    "relabel": RFAE(2, forest=FOREST, decoder="relabel", random_state=0),
    "lasso": RFAE(4, forest=FOREST, decoder="lasso", random_state=0),
}


def dated_frame(n_rows=70, seed=0):
    rng = np.random.default_rng(seed)
    t = rng.random(n_rows)

    def near(most):
        noisy = np.clip(t + 0.05 * rng.normal(size=n_rows), 0, 1)
        return (most * noisy).astype(np.int64)

    day = pd.Timestamp("2021-01-01") + pd.to_timedelta(near(365), "D")
    frame = pd.DataFrame(
        {
            "day": day.as_unit("s"),
            "there": day.tz_localize("Europe/Berlin"),
            "hour": (day + pd.to_timedelta(near(24), "h")).tz_localize("UTC"),
            "week": pd.Series(pd.to_timedelta(7 * near(50), "D")),
            "clock": [dt.time(int(k) // 4, 15 * int(k) % 60) for k in near(95)],
            "date": [dt.date(2020, 1, 1) + dt.timedelta(int(k)) for k in near(99)],
            "price": [Decimal(int(k)) / 4 for k in near(400)],
            "size": t,
        }
    )
    frame.loc[rng.random(n_rows) < 0.1, ["day", "clock", "date"]] = None
    return frame


def settled(frame):
    """Whether every cell has the resolution of its column and lies in its range."""
    known = frame.dropna()
    assert (known["day"] == known["day"].dt.normalize()).all()
    assert (known["there"] == known["there"].dt.normalize()).all()
    assert (known["hour"] == known["hour"].dt.floor("h")).all()
    assert (known["week"] == known["week"].dt.floor("D")).all()
    assert all(cell.second == cell.microsecond == 0 for cell in known["clock"])
    assert all(type(cell) is dt.date for cell in known["date"])
    assert all(cell == round(cell, 2) for cell in known["price"])
    assert known["day"].between("2020-06-01", "2022-06-01").all()


@pytest.mark.parametrize("name", MODELS)
def test_reconstructed_cells_have_dtype_zone_and_resolution(name, tmp_path):
    table, new = dated_frame(), dated_frame(20, seed=1)
    model = clone(MODELS[name]).fit(table)
    back = model.reconstruct(new)
    assert back.dtypes.equals(new.dtypes)
    settled(back)
    assert np.isfinite(model.score(new))
    model.save(tmp_path / "m.lf")
    kept = RFAE.load(tmp_path / "m.lf")
    pd.testing.assert_frame_equal(kept.reconstruct(new), back)


def test_a_refined_map_keeps_dates():
    table = dated_frame(200)
    assert RFAE(2, random_state=0).fit(table).score(table) > 0.9


def test_eforest_takes_dates():
    table = dated_frame()
    back = EForest(FOREST, random_state=0).fit(table).reconstruct(table)
    assert back.dtypes.equals(table.dtypes)
    settled(back)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_libraries_give_the_same_coordinates(library):
    table = dated_frame()
    other = pa.Table.from_pandas(table, preserve_index=False)
    other = pl.from_arrow(other) if library == "polars" else other
    model = clone(MODELS["knn"]).fit(table)
    np.testing.assert_array_equal(model.transform(other), model.transform(table))
    fitted = clone(MODELS["knn"]).fit(other)
    np.testing.assert_array_equal(fitted.embedding_, model.embedding_)
    back = fitted.reconstruct(other)
    assert type(back) is type(other)
    assert back.schema == other.schema


def test_shifted_dates_give_the_same_map():
    table = dated_frame()
    later = table.assign(
        day=table["day"] + pd.Timedelta("1000D"),
        hour=table["hour"] + pd.Timedelta("77h"),
    )
    one, other = (clone(MODELS["refined"]).fit(t) for t in (table, later))
    np.testing.assert_array_equal(one.embedding_, other.embedding_)
