"""Gaps: as many come back as went in, where they were if the table knows where."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from latentforest import RFAE, KNNDecoder, LocalLinearDecoder, Refinement
from latentforest.decode._gaps import limits_for

SHARES = {"a": 0.01, "b": 0.1, "c": 0.3, "d": 0.05, "e": 0.2}


def table_with_gaps(n_rows=900, *, at_random=True):
    rng = np.random.default_rng(0)
    hidden = rng.uniform(-1, 1, (n_rows, 2))
    wave = np.sin(hidden @ rng.normal(0, 2, (2, 5)))
    table = pd.DataFrame(
        {
            "a": wave[:, 0],
            "b": wave[:, 1],
            "c": wave[:, 2],
            "d": np.array(list("vwxyz"))[pd.cut(wave[:, 3], 5, labels=False)],
            "e": np.array(list("no"))[(wave[:, 4] > 0).astype(int)],
        }
    )
    for name, share in SHARES.items():
        where = rng.random(n_rows) if at_random else (hidden[:, 0] + 1) / 2
        table[name] = table[name].where(where > share)
    return table


MODELS = {
    "default": RFAE(2, random_state=0),
    "five": RFAE(5, random_state=0),
    "knn": RFAE(2, forest="completely_random", decoder=KNNDecoder(10), random_state=0),
    "plane": RFAE(
        2, forest="completely_random", decoder=LocalLinearDecoder(), random_state=0
    ),
    "packed": RFAE(2, refine=Refinement(start="packed"), random_state=0),
}


@pytest.mark.parametrize("at_random", [True, False])
@pytest.mark.parametrize("name", MODELS)
def test_new_rows_have_their_share_of_gaps(name, at_random):
    table = table_with_gaps(at_random=at_random)
    train, new = table[:600], table[600:]
    back = MODELS[name].fit(train).reconstruct(new)
    gap = back.isna().mean() - train.isna().mean()
    assert gap.abs().max() < 0.06, gap  # 300 rows: two standard deviations of chance


def test_gaps_that_the_table_explains_come_back_where_they_were():
    table = table_with_gaps(at_random=False)
    back = RFAE(2, random_state=0).fit(table[:600]).reconstruct(table[600:])
    was, came = table[600:].isna(), back.isna()
    assert (was & came).sum().sum() > 0.8 * was.sum().sum()
    assert (was & came).sum().sum() > 0.8 * came.sum().sum()


def test_the_limit_is_half_unless_gaps_would_be_lost():
    rng = np.random.default_rng(0)
    gap = rng.random(1_000) < 0.3
    told = np.where(gap, 0.9, 0.1)  # the neighbours know
    chance = rng.normal(0.3, 0.05, 1_000)  # they do not
    limits = limits_for(np.column_stack([told, chance]), np.full(2, gap.mean()))
    assert limits[0] == 0.5
    assert (chance > limits[1]).mean() == pytest.approx(gap.mean(), abs=0.02)


def test_limits_are_saved(tmp_path):
    table = table_with_gaps()
    model = RFAE(2, random_state=0).fit(table)
    assert (model.decoder_.priority_.absent_above < 0.5).any()
    model.save(tmp_path / "m.lf")
    loaded = RFAE.load(tmp_path / "m.lf")
    pd.testing.assert_frame_equal(loaded.reconstruct(table), model.reconstruct(table))


@pytest.mark.parametrize("at_random", [True, False])
@pytest.mark.parametrize("name", [*MODELS, "relabel"])
def test_no_gap_is_left(name, at_random):
    table = table_with_gaps(at_random=at_random)
    relabel = RFAE(2, forest="completely_random", decoder="relabel", random_state=0)
    model = clone({**MODELS, "relabel": relabel}[name]).fit(table[:600])
    full = model.fill_gaps(table[600:])
    assert not full.isna().any().any()
    was = table[600:].notna()
    pd.testing.assert_frame_equal(full[was], table[600:][was])


def test_a_column_without_any_value_stays_empty():
    table = table_with_gaps(200).assign(void=np.nan)
    full = RFAE(2, random_state=0).fit(table).fill_gaps(table)
    assert full["void"].isna().all()
    assert full.drop(columns="void").notna().all().all()


def test_cells_that_are_there_stay_whatever_they_are():
    table = table_with_gaps(200).assign(k=np.arange(200) % 4)
    model = RFAE(2, random_state=0).fit(table)
    new = table[:4].assign(k=999, d="new", a=[1.123456789, 50.0, np.nan, 2.0])
    with pytest.warns(UserWarning, match="not seen in fit: 'new'"):
        full = model.fill_gaps(new[new.columns[::-1]])
    assert list(full.columns) == list(new.columns[::-1])
    was = new.notna()
    pd.testing.assert_frame_equal(full[new.columns][was], new[was])
    assert full.notna().all().all()


@pytest.mark.parametrize("library", ["polars", "pyarrow", "numpy"])
def test_other_libraries_are_filled_in_place_too(library):
    table = table_with_gaps(200)[["a", "b", "c"]]
    given = {
        "polars": lambda: pl.from_pandas(table),
        "pyarrow": lambda: pa.Table.from_pandas(table),
        "numpy": table.to_numpy,
    }[library]()
    full = RFAE(2, random_state=0).fit(given).fill_gaps(given)
    assert type(full) is type(given)
    if library != "numpy":
        full = np.column_stack([np.asarray(full[name]) for name in "abc"])
    known = table.notna().to_numpy()
    np.testing.assert_array_equal(full[known], table.to_numpy()[known])
    assert not np.isnan(full).any()
