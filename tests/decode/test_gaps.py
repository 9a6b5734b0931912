"""Gaps: as many come back as went in, where they were if the table knows where."""

from copy import copy

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from latentforest import RFAE, KNNDecoder, LocalLinearDecoder, Refinement
from latentforest.decode._gaps import limits_for
from latentforest.neighbours import NeighbourSearch

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


@pytest.mark.parametrize("at_random", [True, False])
def test_rows_trained_on_have_it_too(at_random):
    table = table_with_gaps(3_000, at_random=at_random)
    train, new = table[:1_500], table[1_500:]
    model = RFAE(2, random_state=0).fit(train)
    for rows in (train, new):
        gap = model.reconstruct(rows).isna().mean() - train.isna().mean()
        assert gap.abs().max() < 0.03, gap


def test_the_limit_is_half_unless_gaps_would_be_lost():
    rng = np.random.default_rng(0)
    gap = rng.random(1_000) < 0.3
    told = np.where(gap, 0.9, 0.1)  # the neighbours know
    chance = rng.normal(0.3, 0.05, 1_000)  # they do not
    new, share = np.column_stack([told, chance]), np.full(2, gap.mean())
    limits = limits_for(new, new, share)
    assert limits[0] == 0.5
    assert (chance > limits[1]).mean() == pytest.approx(gap.mean() - 0.005, abs=0.001)


def test_the_limit_spares_rows_that_were_trained_on():
    rng = np.random.default_rng(0)
    new = rng.normal(0.3, 0.05, (1_000, 1))
    for nearer, spared in ((0.002, False), (0.05, True)):
        limit = limits_for(new, new + nearer, np.array([0.3]))
        assert (new + nearer > limit).mean() <= 0.32
        assert ((new > limit).mean() < 0.29) == spared


def test_a_row_placed_anew_is_one_the_map_does_not_know():
    table = table_with_gaps(120)
    encoder = RFAE(2, random_state=0).fit(table).encoder_
    refined = encoder.refined
    known, cells = refined.map, refined.map.cells_
    starts = [known.coords_[::-1], known.coords_ + 0.3]
    placed = known.place(starts, cells, np.arange(len(known.coords_)))
    for row in range(0, len(placed), 17):
        others = np.delete(np.arange(len(placed)), row)
        without = copy(known)
        without.coords_ = known.coords_[others]
        without.search_ = NeighbourSearch(without.coords_)
        without.keep(cells.take(others), known.fill_)
        one = [start[[row]] for start in starts]
        alone = without.place(one, cells.take(np.array([row])))
        np.testing.assert_array_equal(placed[[row]], alone)
    again = encoder.context().place_anew(np.arange(9))
    assert (again != known.coords_[:9]).any(axis=1).all()


def test_limits_do_not_depend_on_threads():
    table = table_with_gaps()
    one, two = (RFAE(2, random_state=0, n_jobs=n).fit(table) for n in (1, 2))
    limits = one.decoder_.priority_.absent_above
    assert (limits < 0.5).any()
    np.testing.assert_array_equal(limits, two.decoder_.priority_.absent_above)


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
