"""Dates, times and decimals of files go through every command and come back."""

import datetime as dt
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from cli_cases import SMALL, invoke
from latentforest.cli._iso import iso_words

PRICE = pa.decimal128(9, 3)
WRITE = {"parquet": pq.write_table, "feather": feather.write_feather}
READ = {"parquet": pq.read_table, "feather": feather.read_table}


def dated_table(n_rows=60):
    rng = np.random.default_rng(0)
    t = rng.random(n_rows)
    days = (18_628 + 365 * t).astype(np.int32)
    seconds = days.astype(np.int64) * 86_400
    gap = rng.random(n_rows) < 0.1

    def column(counts, kind, *, gaps=False):
        return pa.array(counts, mask=gap if gaps else None).cast(kind)

    return pa.table(
        {
            "day": column(days, pa.date32(), gaps=True),
            "when": column(seconds * 10**6, pa.timestamp("us"), gaps=True),
            "there": column(seconds * 1_000, pa.timestamp("ms", "Europe/Berlin")),
            "clock": column(1_000 * (86_399 * t).astype(np.int32), pa.time32("ms")),
            "fine": column((86_399e6 * t).astype(np.int64), pa.time64("us"), gaps=True),
            "length": column((9e6 * (t - 0.5)).astype(np.int64), pa.duration("ms")),
            "price": pa.array([Decimal(round(900 * x)) / 4 for x in t], PRICE),
            "size": pa.array(t),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("dates")
    for suffix, write in WRITE.items():
        write(dated_table(), place / f"t.{suffix}")
    words = ["fit", place / "t.parquet", "-o", place / "m.lf", *SMALL]
    done = invoke(*words)
    assert done.code == 0, done.err
    return place


@pytest.mark.parametrize("suffix", WRITE)
def test_files_come_back_with_their_types(run, folder, tmp_path, suffix):
    out = tmp_path / f"back.{suffix}"
    run("reconstruct", folder / "m.lf", folder / f"t.{suffix}", "-o", out)
    back, table = READ[suffix](out), dated_table()
    assert back.schema.types == table.schema.types
    assert all(d is None or isinstance(d, dt.date) for d in back["day"].to_pylist())
    local = pd.Series(back["there"].to_pandas())
    assert (local.dt.tz_convert("UTC").dt.hour == 0).all()  # as in the table


def test_reports_name_the_kind_and_show_ranges(run, folder, tmp_path):
    report = tmp_path / "lost.json"
    words = ("reconstruct", folder / "m.lf", folder / "t.parquet")
    run(*words, "-o", tmp_path / "b.parquet", "--report", report)
    columns = json.loads(report.read_text())["columns"]
    kinds = {column["name"]: column["kind"] for column in columns}
    assert kinds["day"] == kinds["clock"] == "datetime"
    told = run("inspect", folder / "m.lf").out.decode()
    assert "2021-01-01 to 2021-12-" in told
    assert ", days" in told
    facts = json.loads(run("inspect", folder / "m.lf", "--json").out)
    found = {column["name"]: column for column in facts["schema"]["columns"]}
    assert found["there"]["ticks"]["zone"] == "Europe/Berlin"


def test_text_tables_hold_iso_dates(run, folder, tmp_path):
    run("encode", folder / "m.lf", folder / "t.parquet", "-o", tmp_path / "z.csv")
    run("decode", folder / "m.lf", tmp_path / "z.csv", "-o", tmp_path / "rows.csv")
    frame = pd.read_csv(tmp_path / "rows.csv")
    known = frame["day"].dropna()
    assert known.str.fullmatch(r"2021-\d\d-\d\d").all()
    assert frame["when"].dropna().str.fullmatch(r"2021-\d\d-\d\dT00:00:00").all()
    pattern = r"2021-\d\d-\d\dT0[12]:00:00\+0[12]:00"
    assert frame["there"].str.fullmatch(pattern).all()
    words = pd.read_csv(tmp_path / "rows.csv", dtype=str)
    assert words["price"].str.fullmatch(r"\d+\.\d\d0").all()
    assert frame["clock"].str.fullmatch(r"\d\d:\d\d:\d\d").all()
    assert frame["length"].str.fullmatch(r"-?\d:\d\d:\d\d(\.\d+)?").all()


def test_pictures_and_pages_take_dates(run, folder, tmp_path):
    table = folder / "t.parquet"
    run("plot", folder / "m.lf", table, "--color-by", "when", "-o", tmp_path / "p.png")
    run(
        "explore",
        folder / "m.lf",
        table,
        "--color-by",
        "there",
        "-o",
        tmp_path / "p.html",
    )
    assert "Europe/Berlin" in (tmp_path / "p.html").read_text()


@pytest.mark.parametrize(
    ("cells", "kind", "words"),
    [
        ([0, None], pa.date32(), ["1970-01-01", None]),
        ([1], pa.timestamp("s"), ["1970-01-01T00:00:01"]),
        ([1_500], pa.timestamp("ms"), ["1970-01-01T00:00:01.5"]),
        ([-1], pa.timestamp("ns"), ["1969-12-31T23:59:59.999999999"]),
        ([0], pa.timestamp("us", "UTC"), ["1970-01-01T00:00:00+00:00"]),
        ([0], pa.timestamp("us", "America/Lima"), ["1969-12-31T19:00:00-05:00"]),
        ([1_250], pa.time32("ms"), ["00:00:01.25"]),
        ([-93_600], pa.duration("s"), ["-26:00:00"]),
    ],
)
def test_words(cells, kind, words):
    width = pa.int32() if kind.bit_width == 32 else pa.int64()
    assert iso_words(pa.array(cells, width).cast(kind)).to_pylist() == words
