"""Workbooks, JSON lines and databases are read as text tables are."""

import datetime as dt
import gzip
import json
import sqlite3
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from latentforest import MissingExtraError, read_table
from latentforest._base._errors import DataError
from latentforest.reading._values import array_of, join_tables, word_of
from workbook import write_xlsx

FRAME = pd.DataFrame(
    {
        "n": [1, 2, 3],
        "x": [0.1, np.nan, 1e-7],
        "name": ["a", None, " b "],
        "day": pd.to_datetime(["2021-01-05", "2021-02-28", None]).astype("M8[s]"),
        "stamp": pd.to_datetime(["2021-01-05 14:30", None, "2021-02-28 00:00"]).astype(
            "M8[s]"
        ),
        "yes": [True, False, True],
        "price": ["1,234.50 €", "5.00 €", "n.a."],
    }
)


def check(found):
    assert found["n"].tolist() == [1, 2, 3]
    assert found["x"].equals(FRAME["x"])
    assert found["name"].fillna("-").tolist() == ["a", "-", "b"]
    assert found["day"].astype("M8[s]").equals(FRAME["day"])
    assert found["stamp"].astype("M8[s]").equals(FRAME["stamp"])
    assert found["yes"].tolist() == [True, False, True]
    assert found["price"].fillna(0).tolist() == [1234.5, 5.0, 0]


def quietly(*given, **said):
    with pytest.warns(UserWarning, match=r"'n.a.'"):
        return read_table(*given, **said)


def test_workbook(tmp_path):
    pytest.importorskip("python_calamine", reason="needs the extra 'excel'")
    write_xlsx(tmp_path / "t.xlsx", {"data": FRAME})
    check(quietly(tmp_path / "t.xlsx"))


def test_lines_before_the_names_of_a_sheet(tmp_path):
    pytest.importorskip("python_calamine", reason="needs the extra 'excel'")
    path, names = tmp_path / "t.xlsx", ["a", "b", "c"]
    rows = [["Report", None, None], [None] * 3, names, [1, 2, 3], [4, 5, 6]]
    write_xlsx(path, {"data": pd.DataFrame(rows)}, header=False)
    with pytest.warns(UserWarning, match=r"first 2 lines .*'Report'.*skip_rows=0"):
        found = read_table(path)
    assert list(found) == names
    assert found["b"].tolist() == [2, 5]
    pd.testing.assert_frame_equal(found, read_table(path, skip_rows=2))


def test_sheets_are_named(tmp_path):
    pytest.importorskip("python_calamine", reason="needs the extra 'excel'")
    path = tmp_path / "t.xlsx"
    write_xlsx(path, {"old": FRAME[["n"]], "new one": FRAME})
    with pytest.raises(DataError, match=r"sheets 'old', 'new one'.*sheet='old'"):
        read_table(path)
    with pytest.raises(DataError, match=r"'none' is none of them"):
        read_table(path, sheet="none")
    check(quietly(path, sheet="new one"))


def test_sheets_without_names_and_without_rows(tmp_path):
    pytest.importorskip("python_calamine", reason="needs the extra 'excel'")
    path = tmp_path / "t.xlsx"
    write_xlsx(path, {"data": pd.DataFrame([[5, 3], [1, 2]])}, header=False)
    with pytest.warns(UserWarning, match=r"holds no names"):
        assert list(read_table(path)) == ["x0", "x1"]
    write_xlsx(path, {"data": pd.DataFrame()}, header=False)
    with pytest.raises(DataError, match=r"empty"):
        read_table(path)
    path.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(DataError, match=r"cannot be read as a workbook"):
        read_table(path)


def test_without_the_extra_it_is_named(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "python_calamine", None)
    (tmp_path / "t.ods").write_bytes(b"")
    with pytest.raises(MissingExtraError, match=r"latentforest\[excel\]"):
        read_table(tmp_path / "t.ods")


def lines():
    rows = json.loads(FRAME.to_json(orient="records", date_format="iso"))
    for row in rows:
        row["day"] = row["day"] and row["day"][:10]
        row["stamp"] = row["stamp"] and row["stamp"][:19]
    del rows[1]["name"]  # a key that is not there is a gap
    return "\n".join(json.dumps(row) for row in rows).encode() + b"\n\n"


@pytest.mark.parametrize("name", ["t.jsonl", "t.ndjson", "t.jsonl.gz"])
def test_json_lines(name, tmp_path):
    data = lines()
    (tmp_path / name).write_bytes(gzip.compress(data) if "gz" in name else data)
    check(quietly(tmp_path / name))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('{"a": 1}\n{"a": \n', "line 2 is not JSON"),
        ('{"a": ' + "[" * 200_000, "line 1 is not JSON"),
        ("[1, 2]\n", "line 1 is no JSON object"),
        ('{"b": 1}\n{"a": [1]}\n', "'a' holds lists, .*row 1 .*the column out of the"),
        ("", "is empty"),
    ],
    ids=["cut", "deep", "list", "cell", "empty"],
)
def test_json_lines_that_are_wrong(text, match, tmp_path):
    (tmp_path / "t.jsonl").write_text(text)
    with pytest.raises(DataError, match=match):
        read_table(tmp_path / "t.jsonl")


def test_keys_that_come_late_are_columns(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n{"b": 2}\n')
    found = read_table(tmp_path / "t.jsonl")
    assert list(found) == ["a", "b"]
    assert found["b"].isna().tolist() == [True, False]


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "t #1.sqlite"
    frame = FRAME.assign(day=FRAME["day"].astype(str).replace("NaT", None))
    frame["stamp"] = FRAME["stamp"].astype(str).replace("NaT", None)
    with sqlite3.connect(path) as open_:
        frame.to_sql("rows", open_, index=False)
    open_.close()
    return path


def test_sqlite(database):
    found = quietly(database)
    assert found["yes"].tolist() == [1, 0, 1]  # SQLite has no booleans
    check(found.assign(yes=found["yes"] == 1))


def test_tables_are_named(database):
    open_ = sqlite3.connect(database)
    with open_:
        open_.execute('create table "an ""other""" (a, b)')
        rows = [(1, "x"), (2, "y")]
        open_.executemany('insert into "an ""other""" values (?, ?)', rows)
        open_.execute("create view some as select n from rows")
    open_.close()
    with pytest.raises(DataError, match=r"tables .*'rows', 'some'.*sheet="):
        read_table(database)
    found = read_table(database, sheet='an "other"')
    assert found["b"].tolist() == ["x", "y"]
    assert read_table(database, sheet="some")["n"].tolist() == [1, 2, 3]


def test_what_is_no_database_is_said(tmp_path):
    (tmp_path / "t.db").write_bytes(b"not a database, but long enough to be one" * 9)
    with pytest.raises(DataError, match=r"cannot be read as a database"):
        read_table(tmp_path / "t.db")


def test_duckdb(tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="needs the extra 'duckdb'")
    open_ = duckdb.connect(tmp_path / "t.duckdb")
    open_.execute("create table t (n int, day date, clock time, cost decimal(9, 2))")
    open_.execute("insert into t values (1, '2021-01-05', '14:30', 5.25)")
    open_.execute("insert into t values (2, null, null, 3)")
    open_.close()
    found = read_table(tmp_path / "t.duckdb")
    assert found["n"].tolist() == [1, 2]
    assert found["day"][0] == dt.date(2021, 1, 5)
    assert found["clock"][0] == dt.time(14, 30)
    assert found["cost"].tolist() == [5.25, 3.0]


VALUES = {
    "double": [1, 2.5, None],
    "int64": [1, None, 3],
    "bool": [True, None],
    "date32[day]": [dt.date(2021, 1, 5), dt.datetime(2021, 1, 6), None],
    "timestamp[us]": [dt.datetime(2021, 1, 5), dt.datetime(2021, 1, 6, 1)],
    "time64[us]": [dt.time(1), None],
    "duration[us]": [dt.timedelta(1), None],
    "string": [1, "a", None, True, 2.5, dt.datetime(2021, 1, 6), dt.date(2021, 1, 6)],
}


@pytest.mark.parametrize("kind", VALUES)
def test_columns_of_one_sort_keep_it(kind):
    array = array_of(VALUES[kind])
    assert str(array.type) == kind
    if kind == "string":
        words = ["1", "a", "", "True", "2.5", "2021-01-06", "2021-01-06"]
        assert array.to_pylist() == words


def test_integers_that_are_too_large_are_words():
    assert array_of([10**30, 1]).to_pylist() == [str(10**30), "1"]
    values = [2**60 + 1, 2.5]
    blocks = [pa.table({"x": array_of([value])}) for value in values]
    words = [str(2**60 + 1), "2.5"]
    assert join_tables(blocks)["x"].to_pylist() == words
    assert array_of(values).to_pylist() == words


@pytest.mark.parametrize("first", VALUES)
@pytest.mark.parametrize("second", VALUES)
def test_blocks_of_several_sorts_are_joined(first, second):
    tables = [pa.table({"x": array_of(VALUES[kind])}) for kind in (first, second)]
    joined = join_tables(tables)
    assert joined.num_rows == len(VALUES[first]) + len(VALUES[second])
    kinds = {first, second}
    if kinds == {"int64", "double"}:
        assert str(joined["x"].type) == "double"
    elif kinds == {"date32[day]", "timestamp[us]"}:
        assert str(joined["x"].type) == "timestamp[us]"
    elif len(kinds) > 1:
        words = [word_of(v) for kind in (first, second) for v in VALUES[kind]]
        assert joined["x"].to_pylist() == words


def test_a_late_word_in_a_long_file_is_seen(tmp_path):
    rows = [json.dumps({"x": n, "y": n / 2}) for n in range(10_000)]
    rows[9_000] = '{"x": "unknown", "y": 1}'
    (tmp_path / "t.jsonl").write_text("\n".join(rows))
    with pytest.warns(UserWarning, match="'unknown'"):
        found = read_table(tmp_path / "t.jsonl")
    assert found["x"].isna().sum() == 1
    assert found["y"].dtype == float


def test_durations_keep_their_fraction():
    assert word_of(dt.timedelta(days=1, seconds=1.5)) == "24:00:01.5"
    assert word_of(-dt.timedelta(microseconds=1)) == "-0:00:00.000001"


@pytest.mark.parametrize(
    ("value", "word"),
    [(1.0, "1"), (-3.0, "-3"), (2.5, "2.5"), (1e300, "1e+300"), (float("inf"), "inf")],
)
def test_whole_floats_are_worded_as_integers(value, word):
    assert word_of(value) == word
    assert word_of(Decimal(value)) == word


CELLS = ("1", "2.5", "1.0", '"a"', '"b"', '"c"', '"d"', '"e"')
WORDS = ("1", "2.5", "1", "a", "b", "c", "d", "e")


def test_words_do_not_depend_on_the_blocks_of_rows(tmp_path, monkeypatch):
    lines = [f'{{"x": {cell}}}' for cell in CELLS] * 3
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    for batch in (1, 2, 3, 100):
        monkeypatch.setattr("latentforest.reading._records.BATCH", batch)
        found = read_table(tmp_path / "t.jsonl")
        assert found["x"].tolist() == [*WORDS] * 3
