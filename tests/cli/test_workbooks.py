"""Workbooks that the command line writes: complete, with numbers and dates as such."""

import datetime as dt
import io
import zipfile
from decimal import Decimal
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest import read_table
from latentforest._base._errors import DataError
from latentforest.cli import _sheet_write
from latentforest.cli._sheet_write import SheetSink

calamine = pytest.importorskip("python_calamine", reason="needs the extra 'excel'")

STAMP = dt.datetime(2021, 3, 5, 14, 30, 5)
CELLS = {
    "float": (pa.array([1.5, -2e300, None]), [1.5, -2e300, ""]),
    "nan": (pa.array([float("nan"), float("inf"), 0.1]), ["", "inf", 0.1]),
    "integer": (pa.array([1, None, -(10**14)]), [1, "", -(10**14)]),
    "long": (pa.array([2**60, 10**15, 7]), [str(2**60), str(10**15), 7]),
    "boolean": (pa.array([True, None, False]), [True, "", False]),
    "text": (pa.array(["=1+1", ' a<b>&"c" ', None]), ["=1+1", ' a<b>&"c" ', ""]),
    "levels": (pa.array(["x", "y", None]).dictionary_encode(), ["x", "y", ""]),
    "decimal": (pa.array([Decimal("1.25"), None, Decimal(3)]), [1.25, "", 3]),
    "date": (
        pa.array([dt.date(2021, 3, 5), None, dt.date(1850, 1, 2)]),
        [dt.date(2021, 3, 5), "", "1850-01-02"],
    ),
    "stamp": (pa.array([STAMP, None, STAMP]), [STAMP, "", STAMP]),
    "zoned": (
        pa.array([STAMP, None, None], pa.timestamp("s", "+01:00")),
        ["2021-03-05T15:30:05+01:00", "", ""],
    ),
    "time": (
        pa.array([dt.time(14, 30), None, dt.time(0)]),
        [dt.time(14, 30), "", dt.time(0)],
    ),
    "length": (
        pa.array([dt.timedelta(hours=26), None, dt.timedelta(seconds=-1)]),
        [dt.timedelta(hours=26), "", "-0:00:01"],
    ),
}


def written(*tables):
    stream = io.BytesIO()
    sink = SheetSink(stream, tables[0].schema, "t.xlsx")
    for table in tables:
        sink.write(table)
    sink.close()
    stream.seek(0)
    return stream


def read_back(stream):
    book = calamine.CalamineWorkbook.from_filelike(stream)
    return book.get_sheet_by_index(0).to_python()


@pytest.mark.parametrize("name", CELLS)
def test_cells_come_back(name):
    given, wanted = CELLS[name]
    table = pa.table({"before": ["a", "b", "c"], name: given, "after": [1, 2, 3]})
    names, *rows = read_back(written(table))
    assert names == ["before", name, "after"]
    assert [row[1] for row in rows] == wanted
    assert [row[2] for row in rows] == [1, 2, 3]


@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.text(max_size=8), min_size=1, max_size=5))
def test_any_text_is_kept(words):
    stream = written(pa.table({"x": words}))
    sheet = zipfile.ZipFile(stream).read("xl/worksheets/sheet1.xml")
    cells = {
        c.get("r"): "".join(c.itertext())
        for c in ElementTree.fromstring(sheet).iter()
        if c.tag.endswith("}c")
    }
    for row, word in enumerate(words, start=2):
        kept = cells.get(f"A{row}", "")
        assert (
            _sheet_write.re.sub(
                "_x([0-9A-F]{4})_", lambda found: chr(int(found[1], 16)), kept
            )
            == word
        )


def test_blocks_make_one_sheet_with_the_same_bits():
    table = pa.table({f"c{j}": np.arange(60.0) + j for j in range(30)})
    whole = written(table).getvalue()
    parts = written(table.slice(0, 7), table.slice(7)).getvalue()
    assert whole == parts
    frame = pd.DataFrame(read_back(io.BytesIO(whole))[1:])
    np.testing.assert_array_equal(frame, table.to_pandas())


def test_a_sheet_holds_no_more_than_excel_can_read(monkeypatch):
    monkeypatch.setattr(_sheet_write, "MOST_ROWS", 5)
    written(pa.table({"x": range(4)}))
    with pytest.raises(DataError, match=r"t\.xlsx: .*5 rows.*\.csv or \.parquet"):
        written(pa.table({"x": range(3)}), pa.table({"x": range(2)}))
    monkeypatch.setattr(_sheet_write, "MOST_COLUMNS", 2)
    with pytest.raises(DataError, match=r"no more than 2 columns"):
        written(pa.table({"x": [1], "y": [1], "z": [1]}))
    with pytest.raises(DataError, match=r"32,767 letters in a cell"):
        written(pa.table({"x": ["a" * 32_768]}))


def test_commands_write_workbooks(run, fail, folder, tmp_path, monkeypatch):
    model, table = folder / "m.lf", folder / "t.csv"
    for command, files in (
        ("encode", (model, table)),
        ("decode", (model, folder / "z.csv")),
        ("odd", (model, table)),
    ):
        made = [tmp_path / f"{command}.{suffix}" for suffix in ("xlsx", "csv")]
        for out in made:
            run(command, *files, "-o", out, "--block-rows", "7")
        sheet, text = (read_table(out) for out in made)
        pd.testing.assert_frame_equal(sheet, text, check_dtype=False)
    before = made[0].read_bytes()
    monkeypatch.setattr(_sheet_write, "MOST_ROWS", 20)
    refused = fail("odd", model, table, "-o", made[0], "-q", "--block-rows", "7")
    assert "holds no more than 20 rows" in refused
    assert made[0].read_bytes() == before
    assert sorted(path.name for path in tmp_path.glob("odd*")) == [
        "odd.csv",
        "odd.xlsx",
    ]
