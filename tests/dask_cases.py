"""A table of mixed columns, and what a model must say of it wherever it lies."""

import numpy as np
import pandas as pd

from latentforest import RFAE

N_ROWS, KEPT = 260, 120
SETTINGS = {"random_state": 0, "max_samples": KEPT, "n_jobs": 1}


def make_table(n_rows=N_ROWS):
    rng = np.random.default_rng(0)
    days = pd.to_timedelta(rng.integers(0, 400, n_rows), "D")
    table = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows).round(2),
            "count": rng.integers(0, 50, n_rows),
            "few": rng.integers(0, 3, n_rows),
            "name": pd.array(rng.choice(list("abcde"), n_rows), "string[pyarrow]"),
            "flag": rng.random(n_rows) < 0.5,
            "level": pd.Categorical(rng.choice(["u", "v", "w"], n_rows)),
            "day": pd.Timestamp("2020-01-01") + days,
        }
    )
    table.loc[::17, "size"] = np.nan
    table.loc[3:20, "name"] = pd.NA
    return table


TABLE = make_table()


def check_same(frame, in_memory):
    """All that a model says of a table of Dask is what it says in memory."""
    own, all_coords, new_coords = in_memory
    model = RFAE(**SETTINGS)
    coords = model.fit_transform(frame)
    assert model.schema_ == own.schema_
    assert np.array_equal(model.rows_, own.rows_)
    assert np.array_equal(model.embedding_, own.embedding_)
    assert coords.shape == all_coords.shape
    assert np.array_equal(coords.compute(), all_coords)
    assert np.array_equal(model.transform(frame).compute(), new_coords)
    decoded = model.inverse_transform(coords)
    expected = own.inverse_transform(all_coords)
    pd.testing.assert_frame_equal(decoded._meta, expected[:0])
    pd.testing.assert_frame_equal(decoded.compute(), expected)
    return model


def fit_in_memory():
    model = RFAE(**SETTINGS)
    return model, model.fit_transform(TABLE), model.transform(TABLE)
