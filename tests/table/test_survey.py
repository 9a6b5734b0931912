"""A table may be cut anywhere: surveys of its pieces merge to that of the whole."""

import datetime as dt
from functools import reduce
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest._base._errors import SchemaError
from latentforest.table import Kept, TableCodec
from latentforest.table._table_survey import TableSurvey

ZONED = pd.date_range("2021-03-20", periods=40, freq="D", tz="Europe/Berlin")
COLUMNS = {
    "float": lambda rng, n: rng.normal(size=n),
    "prices": lambda rng, n: rng.gamma(2, 50, n).round(2),
    "large": lambda rng, n: (
        rng.normal(size=n).round(6) * 10.0 ** rng.integers(0, 12, n)
    ),
    "short": lambda rng, n: rng.normal(size=n).round(1).astype("float32"),
    "gaps": lambda rng, n: np.where(rng.random(n) < 0.6, np.nan, rng.normal(size=n)),
    "whole": lambda rng, n: rng.integers(0, 9, n),
    "few": lambda rng, n: rng.integers(0, 4, n),
    "truth": lambda rng, n: rng.random(n) < 0.5,
    "text": lambda rng, n: rng.choice(["b", "a", "ä", ""], n),
    "object": lambda rng, n: np.where(
        rng.random(n) < 0.5, None, rng.choice(["u", "v"], n).astype(object)
    ),
    "declared": lambda rng, n: pd.Categorical(
        rng.choice(["x", "y"], n), categories=["z", "y", "x"]
    ),
    "days": lambda rng, n: (
        pd.to_datetime("2021-01-01")
        + pd.to_timedelta(rng.integers(-500, 500, n), unit="D")
    ),
    "stamps": lambda rng, n: (
        pd.to_datetime("2021-01-01")
        + pd.to_timedelta(rng.integers(0, 10**6, n) * 15, unit="min")
    ),
    "midnights": lambda rng, n: ZONED[rng.integers(0, 40, n)],
    "hours": lambda rng, n: (
        ZONED[rng.integers(0, 40, n)]
        + pd.to_timedelta(rng.integers(0, 24, n), unit="h")
    ),
    "spans": lambda rng, n: pd.to_timedelta(rng.integers(-90, 90, n), unit="s"),
    "clock": lambda rng, n: np.array(
        [dt.time(int(h), 30) for h in rng.integers(0, 24, n)], dtype=object
    ),
}


def frame(seed, n_rows):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({name: make(rng, n_rows) for name, make in COLUMNS.items()})


def pieces_of(table, cuts):
    ends = sorted({0, len(table), *(cut % len(table) for cut in cuts)})
    return [table[a:b] for a, b in pairwise(ends)]


def merged(pieces, kinds=None):
    return reduce(TableSurvey.merge, (TableSurvey.of(p, kinds) for p in pieces))


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    n_rows=st.integers(2, 60),
    cuts=st.lists(st.integers(0, 10**6), max_size=6),
)
def test_pieces_say_what_the_whole_says(seed, n_rows, cuts):
    table = frame(seed, n_rows)
    whole = TableSurvey.of(table)
    found = merged(pieces_of(table, cuts))
    assert found.n_rows == n_rows
    assert found.schema() == whole.schema() == TableCodec().fit_encode(table).schema


@pytest.mark.parametrize(
    "kind", ["category", "ordered", "integer", "continuous", [3, 4, 0, 2, 1]]
)
def test_kinds_that_the_user_says_hold_for_pieces(kind):
    table = frame(3, 50)[["whole", "few"]]
    kinds = {"few": kind}
    assert merged(pieces_of(table, [7, 20]), kinds).schema() == (
        TableCodec(kinds).fit(table).schema_
    )


def test_integers_with_a_gap_in_one_piece_are_nullable_as_in_pandas():
    table = pd.DataFrame({"n": pd.array([1, 2, 3, 4, 5, 6, None], "Int64")})
    first = table[:4].astype("int64")
    assert merged([first, table[4:]]).schema() == TableCodec().fit(table).schema_


@pytest.mark.parametrize(
    ("one", "other"),
    [("int64", "float64"), ("int16", "int64"), ("float32", "float64")],
)
@pytest.mark.parametrize("said", [None, "category"])
def test_numbers_of_pieces_are_as_wide_as_the_widest(one, other, said):
    # A month with a gap is written as floats, the others as integers.
    narrow = pd.DataFrame({"n": np.array([1, 2, 3, 2], one)})
    wide = pd.DataFrame({"n": np.array([2, 5, 4, 1], other)})
    if other == "float64":
        wide.loc[0, "n"] = np.nan
    kinds = {} if said is None else {"n": said}
    for pieces in ([narrow, wide], [wide, narrow], [narrow, wide, narrow]):
        whole = TableCodec(kinds).fit(pd.concat(pieces)).schema_
        assert merged(pieces, kinds).schema() == whole


def test_a_piece_without_cells_says_nothing_of_their_sort():
    table = pd.DataFrame({"n": [1.5, 2.5, np.nan, np.nan]})
    empty = pd.DataFrame({"n": pd.Series([None, None], dtype=object)})
    assert merged([table[:2], empty]).schema() == TableCodec().fit(table).schema_


def test_levels_of_pieces_are_all_known():
    words = pl.DataFrame({"w": ["b", "a"]}), pl.DataFrame({"w": ["d", "c"]})
    assert merged(words).schema().columns[0].levels == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (pd.DataFrame({"n": ["a", "b"]}), "in one part of the table"),
        (pd.DataFrame({"m": [1.0, 2.0]}), "other columns"),
        (pd.DataFrame({"n": [1.0], "m": [2.0]}), "other columns"),
    ],
)
def test_pieces_of_other_tables_are_refused(other, told):
    with pytest.raises(SchemaError, match=told):
        merged([pd.DataFrame({"n": [1.0, 2.0]}), other])


def test_an_infinite_cell_in_any_piece_is_named():
    pieces = [pd.DataFrame({"n": [1.0, 2.0]}), pd.DataFrame({"n": [np.inf, 0.0]})]
    with pytest.raises(SchemaError, match=r"infinite values: 'n'"):
        merged(pieces).schema()


@given(
    n_rows=st.integers(1, 5_000), most=st.integers(1, 5_000), seed=st.integers(0, 2**63)
)
@settings(deadline=None, max_examples=40)
def test_kept_rows_are_drawn_by_their_numbers(n_rows, most, seed):
    rows = Kept(n_rows, most, seed).rows()
    assert len(rows) == min(n_rows, most)
    assert (np.diff(rows) > 0).all()
    assert rows[0] >= 0
    assert rows[-1] < n_rows
    fewer = Kept(n_rows, max(1, most // 2), seed).rows()
    assert np.isin(fewer, rows).all()


def test_kept_rows_come_from_everywhere():
    rows = Kept(3_000_000, 30_000, 7).rows()
    counts = np.histogram(rows, bins=30, range=(0, 3_000_000))[0]
    assert abs(counts - 1_000).max() < 150
    assert len(np.intersect1d(rows, Kept(3_000_000, 30_000, 8).rows())) < 500


def test_rows_with_the_lowest_hashes_are_kept():
    def mixed(number):  # SplitMix64 in Python's integers
        x = (number * 0x9E3779B97F4A7C15 + 42) % 2**64
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
        return x ^ x >> 31

    lowest = sorted(sorted(range(5_000), key=mixed)[:40])
    assert Kept(5_000, 40, 42).rows().tolist() == lowest
