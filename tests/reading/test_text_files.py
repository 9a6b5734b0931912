"""Text files of all kinds: separators, encodings, lines of names, nasty ends."""

import codecs
import csv
import io

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest import read_table
from latentforest._base._errors import DataError, UsageError
from latentforest.reading import Dialect
from latentforest.reading._csv_read import TextRows


def opened(text, **said):
    data = text.encode() if isinstance(text, str) else text
    return TextRows(io.BytesIO(data), "t.csv", Dialect(**said))


CELL = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=6)


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(CELL, CELL, st.integers()), min_size=3, max_size=8),
    separator=st.sampled_from(",;\t|"),
)
def test_the_separator_is_found(rows, separator):
    frame = pd.DataFrame(rows, columns=["one", "two", "three"])
    # Quotes are only where they are needed: other separators stand in plain cells.
    text = frame.to_csv(sep=separator, index=False)
    found = opened(text)
    others = set(",;\t|") - {separator}
    if not any(sign in "".join(a + b for a, b, _ in rows) for sign in others):
        assert found.separator == separator
        assert found.names == ("one", "two", "three")


@pytest.mark.parametrize(
    ("text", "separator", "names"),
    [
        ("a;b\n1,5;2,5\n", ";", ("a", "b")),
        ("1,5;2,5\n3,1;4,2\n", ";", ("x0", "x1")),
        ("a,b\n1;2,3\n", ",", ("a", "b")),
        ("a|b|c\n1|2,5|3\n", "|", ("a", "b", "c")),
        ("a\tb\n1, 2\t3\n", "\t", ("a", "b")),
        ("a\n1\n2\n", ",", ("a",)),
        ("price, net;tax\n1,5;2\n", ";", ("price, net", "tax")),
        ('a;b\n"x;y";2\n', ";", ("a", "b")),
        ("sep=;\na;b\n1;2\n", ";", ("a", "b")),
        ("a b\n1 2\n", ",", ("a b",)),
    ],
)
def test_separators_that_commas_hide(text, separator, names):
    found = opened(text)
    assert found.separator == separator
    assert found.names == names


def test_a_separator_that_is_said_is_taken():
    assert opened("a;b,c\n1;2,3\n", separator=",").names == ("a;b", "c")


TEXT = "name,größe\nJosé,1\nZoë,2\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TEXT.encode(), None),
        (codecs.BOM_UTF8 + TEXT.encode(), None),
        (TEXT.encode("utf-16"), None),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), None),
        (TEXT.encode("utf-16-le"), "utf-16-le"),
        (TEXT.encode("cp1252"), "cp1252"),
        (TEXT.encode("latin-1"), "latin-1"),
    ],
)
def test_encodings(data, encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    frame = read_table(path, encoding=encoding)
    assert list(frame.columns) == ["name", "größe"]
    assert list(frame["name"]) == ["José", "Zoë"]
    assert list(frame["größe"]) == [1, 2]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_open_text_is_decoded_once(encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TEXT, encoding=encoding)
    with path.open(encoding=encoding) as file:
        frame = read_table(file, encoding=encoding)
    assert list(frame["name"]) == ["José", "Zoë"]


@settings(max_examples=20, deadline=None)
@given(piece=st.integers(1, 64), encoding=st.sampled_from(["utf-16", "cp1252"]))
def test_pieces_tear_no_character(piece, encoding):
    from latentforest.reading import _csv_read

    before, _csv_read.PIECE = _csv_read.PIECE, piece
    try:
        rows = opened((TEXT * 3).encode(encoding), encoding=encoding)
        cells = [c for t in rows.tables(["name"]) for c in t.column(0).to_pylist()]
    finally:
        _csv_read.PIECE = before
    assert cells == ["José", "Zoë", "name"] * 2 + ["José", "Zoë"]


def test_text_that_is_not_utf8_asks_for_its_encoding():
    with pytest.raises(DataError, match=r"not UTF-8.*--encoding cp1252"):
        opened(TEXT.encode("cp1252"))
    late = b"a\n" + b"x\n" * 40_000 + "Zoë\n".encode("cp1252")
    with pytest.raises(DataError, match=r"not UTF-8.*--encoding cp1252"):
        list(opened(late).tables(["a"]))
    with pytest.raises(DataError, match=r"encoding='cp1252'"):
        read_table(io.BytesIO(TEXT.encode("cp1252")))


def test_utf16_without_a_mark_is_named():
    with pytest.raises(DataError, match=r"UTF-16 without a mark needs --encoding"):
        opened("name,size\nx,1\n".encode("utf-16-le"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1.5,2\n3,4\n", ("x0", "x1")),
        ("5,3\n3,4\n", ("x0", "x1")),
        ("0,0\n3,4\n", ("x0", "x1")),
        ("-1,2\n3,4\n", ("x0", "x1")),
        ("7\n8\n", ("x0",)),
        ("a,0,b,0\nc,1,d,1\n", ("x0", "x1", "x2", "x3")),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", ("x0", "x1", "x2")),
        ("name,0.25,0.5,0.75\na,1,2,3\n", ("name", "0.25", "0.5", "0.75")),
        ("0,1,2\n5,5,5\n", ("0", "1", "2")),
        ("2019,2020\n5,5\n", ("2019", "2020")),
        ("0\n5\n", ("0",)),
        ("a,1\n5,5\n", ("a", "1")),
    ],
)
def test_a_missing_line_of_names_is_seen_where_that_is_safe(text, names):
    found = opened(text)
    assert found.names == names
    assert bool(found.notes) == bool({"x0", "0.5", "2019"} & {*names})
    n_lines = text.count("\n")
    rows = sum(t.num_rows for t in found.tables(names))
    assert rows == (n_lines if names[0] == "x0" else n_lines - 1)


def test_the_user_decides_on_the_line_of_names():
    assert opened("1.5,2\n3,4\n", header=True).names == ("1.5", "2")
    assert opened("a,b\n3,4\n", header=False).names == ("x0", "x1")
    assert opened("1.5,2\n3,4\n", header=True).notes == []


def test_names_that_look_like_cells_are_noted():
    assert "--no-header" in opened("5.1,name,city\n4.9,a,b\n").notes[0]


def test_repeated_names_may_be_a_row(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,a\nc,d,e\n")
    with pytest.raises(DataError, match=r"more than once: 'a'.*no line of names"):
        read_table(tmp_path / "t.csv")
    frame = read_table(tmp_path / "t.csv", header=False)
    assert frame.to_numpy().tolist() == [["a", "b", "a"], ["c", "d", "e"]]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b\n", "no rows"),
        ("a,b\n1,2\n1,2,3\n", "row 1 .* has 3 cells"),
        ("a\0b\n1\n", "not a text table"),
        ('a,b\n1,x\n1,"x\n2,y\n', "row 1 .* does not end in the file. Is a quote"),
        ('"a,b\n1,x\n', "the first line does not end in the file. Is"),
    ],
)
def test_nasty_files_are_refused(text, match):
    with pytest.raises(DataError, match=match):
        read_table(io.StringIO(text))


def test_quotes_within_cells_are_signs_like_others():
    lines = ['a,size 5",c', *(f"{i},x,y" for i in range(100))]
    lines[51] = '50,5" pipe,y'
    one = "\n".join(lines) + "\n"
    for text in (one, one.replace('5" pipe', "pipe"), one.replace(',size 5"', ",size")):
        rows = opened(text)
        cells = [c for t in rows.tables(["a"]) for c in t.column(0).to_pylist()]
        assert cells == [str(i) for i in range(100)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_line_ends_are_known(end):
    frame = read_table(io.BytesIO(end.join(["a,b", "1,x", "2,y"]).encode()))
    assert frame.to_numpy().tolist() == [[1, "x"], [2, "y"]]


WRITTEN = st.sampled_from(
    ['5"', 'a"b"c', '"x"', '"a""b"', '"a\nb"', '"\r\n"', '""', "z", '"a"b', '"a,b"']
)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(WRITTEN, WRITTEN), min_size=2, max_size=8),
    piece=st.integers(1, 40),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_rows_are_those_of_the_csv_module_whatever_the_pieces(rows, piece, end):
    from latentforest.reading import _csv_read

    text = "".join(f"{one},{two}{end}" for one, two in rows)
    expected = list(csv.reader(io.StringIO(text, newline="")))
    before = _csv_read.PIECE, _csv_read.SAMPLE
    _csv_read.PIECE, _csv_read.SAMPLE = piece, 1
    try:
        found = opened(text, separator=",", header=True, strip=False)
        tables = list(found.tables(found.names)) if len({*found.names}) > 1 else None
    finally:
        _csv_read.PIECE, _csv_read.SAMPLE = before
    names = [name or f"Unnamed: {j}" for j, name in enumerate(expected[0])]
    assert list(found.names) == names
    if tables is not None:
        got = [list(row.values()) for t in tables for row in t.to_pylist()]
        assert got == expected[1:]


def test_a_stray_quote_does_not_hold_rows_back(monkeypatch):
    from latentforest.reading import _csv_read

    monkeypatch.setattr(_csv_read, "PIECE", 100)
    monkeypatch.setattr(_csv_read, "SAMPLE", 100)
    text = 'a,b\n1,5"\n' + '2,"x\ny"\n' * 200
    sizes = [t.num_rows for t in opened(text).tables(["a"])]
    assert sum(sizes) == 201
    assert max(sizes) < 20


TITLES = {
    "title": "Sales report 2021\n",
    "lines": "Sales report\nof 2021\n\n",
    "commas": "Sales report, 2021\n\n",
    "empty cells": "Sales report;;;\n;;;\n",
    "quoted": '"Sales\nreport"\n\n',
    "blank first": "\n\nSales report\n\n\n",
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", TITLES)
def test_lines_before_the_names_are_left_out_and_said(name, end):
    table = "id;price;city;share\n1;2,5;Bonn;5 %\n2;3,5;Ulm;7 %\n3;4,5;Jena;9 %\n"
    before = TITLES[name]
    text = (before + table).replace("\n", end)
    with pytest.warns(UserWarning, match=r"Sales.*If not so, give skip_rows=0"):
        found = read_table(io.StringIO(text, newline=""))
    pd.testing.assert_frame_equal(found, read_table(io.StringIO(table)))
    n_lines = before.count("\n") - (name == "quoted")
    said = read_table(io.StringIO(text, newline=""), skip_rows=n_lines)
    pd.testing.assert_frame_equal(found, said)


TABLES = {
    "row names": ("a,b\n1,2,3\n4,5,6\n", 2),
    "people": ("name\nSmith, John\nDoe, Jane\n", 1),
    "one column": ("name\nSmith\nDoe\n", 1),
    "index": (",a\n0,5\n1,6\n", 2),
    "half a header": ("a,\n1,2\n3,4\n", 2),
    "a number first": ("5,,\n1,2,3\n4,5,6\n", 3),
    "no names": (",,\n1,2,3\n4,5,6\n", 3),
    "one row": ("title\n\na,b\n", 1),
    "ragged": ("title\na,b,c\n1,2,3\n1,2\n", 1),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_line_of_names_is_no_title(name):
    text, n_names = TABLES[name]
    found = opened(text)
    assert len(found.names) == n_names
    assert not any("left out" in note for note in found.notes)


def test_a_line_that_is_a_row_stays_if_the_user_says_so():
    text = "only this,,\na,b,c\n1,2,3\n"
    assert opened(text).names == ("a", "b", "c")
    assert opened(text, skip_rows=0).names == ("only this", "Unnamed: 1", "Unnamed: 2")
    assert opened(text, skip_rows=2, header=False).names == ("x0", "x1", "x2")
    with pytest.raises(DataError, match="is empty"):
        opened(text, skip_rows=3)


def test_wider_rows_than_names_are_refused_with_a_way_on():
    rows = opened("a,b\n1,2,3\n4,5,6\n")
    with pytest.raises(DataError, match=r"lines are before .* --skip-rows"):
        list(rows.tables(rows.names))


def test_skipped_lines_are_for_lines(tmp_path):
    with pytest.raises(UsageError, match="skip_rows=-1 is not known"):
        read_table(io.StringIO("a\n1\n"), skip_rows=-1)
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(UsageError, match="skip_rows=2 is for text and workbooks"):
        read_table(tmp_path / "t.parquet", skip_rows=2)
