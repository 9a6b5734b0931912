"""Words of text tables: fit and every later command read a cell in the same way."""

import csv
import datetime as dt
import io
from itertools import chain

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest import RFAE
from latentforest.cli._csv_write import TextSink
from latentforest.reading import Dialect, infer_columns, read_cells
from latentforest.reading._csv_read import TextRows
from latentforest.reading._dialect import MISSING
from latentforest.table import ColumnKind, ColumnSpec
from latentforest.table._kinds import Storage

PLAIN = Dialect()


def inferred(*words, kind=None, **said):
    kinds = {} if kind is None else {"x": kind}
    column = infer_columns({"x": pa.array(words)}, Dialect(**said), kinds)["x"]
    return str(column.values.type), column.values.to_pylist()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("1", "-2", "+3"), ("int64", [1, -2, 3])),
        (("1", "", "NA", "3"), ("int64", [1, None, None, 3])),
        ((" 1", "2 "), ("int64", [1, 2])),
        (("1", "2.5", "1e3"), ("double", [1.0, 2.5, 1000.0])),
        (("5.", ".5", "-0"), ("double", [5.0, 0.5, -0.0])),
        (("99999999999999999999",), ("string", ["99999999999999999999"])),
        (("inf", "1"), ("double", [np.inf, 1.0])),
        (("True", "false", ""), ("bool", [True, False, None])),
        (("True", "1"), ("string", ["True", "1"])),
        (("007", "010"), ("string", ["007", "010"])),
        (("0", "0.5"), ("double", [0.0, 0.5])),
        (("0x10",), ("string", ["0x10"])),
        (("1,5",), ("double", [1.5])),
        (("1", "x", "NA"), ("string", ["1", "x", None])),
        ((" a", "a "), ("string", ["a", "a"])),
        (("", "NA"), ("double", [None, None])),
        (("2020-01-01",), ("timestamp[s]", [dt.datetime(2020, 1, 1)])),
    ],
)
def test_columns_are_inferred_as_a_whole(words, expected):
    assert inferred(*words) == expected


def test_kind_makes_numbers_of_what_looks_like_names():
    assert inferred("007", "010", kind="integer") == ("double", [7.0, 10.0])


def test_own_words_for_missing():
    assert inferred("1", "gap", na=("gap",)) == ("int64", [1, None])
    assert inferred("NA", "b", "", only_na=True) == ("string", ["NA", "b", None])


def spec(levels=(), storage=Storage.text, kind=ColumnKind.category):
    return ColumnSpec("x", kind, tuple(levels), storage=storage)


def test_a_level_is_never_missing():
    words = pa.array(["NA", "b", "None", ""])
    column = read_cells(spec(["NA", "b"]), words, PLAIN, 0)
    assert column.to_pylist() == ["NA", "b", None, None]


def test_text_stays_text_whatever_a_block_holds():
    column = read_cells(spec(["1", "2", "x"]), pa.array(["1", "2"]), PLAIN, 0)
    assert column.to_pylist() == ["1", "2"]


def test_levels_that_are_numbers_are_read_as_numbers():
    digits = spec([1, 2], Storage.dictionary)
    assert read_cells(digits, pa.array(["1", "2.0"]), PLAIN, 0).to_pylist() == [1, 2]
    flags = spec([False, True], Storage.boolean, ColumnKind.boolean)
    for words in (["True", "false"], ["1", "0"]):
        column = read_cells(flags, pa.array([*words, "NA"]), PLAIN, 0)
        assert column.to_pylist() == [True, False, None]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["NA", "", "b", "long one"])), st.data())
def test_a_block_is_read_as_if_it_were_a_table_of_its_own(words, data):
    first = data.draw(st.integers(0, len(words)))
    block = pa.chunked_array([pa.array(words, pa.string()).slice(first)])
    column = read_cells(spec(["b", "long one"]), block, PLAIN, first)
    column.validate(full=True)
    wanted = [None if word in MISSING else word for word in words[first:]]
    assert column.to_pylist() == wanted


def test_the_row_of_a_bad_cell_is_told():
    number = spec(storage=Storage.float, kind=ColumnKind.continuous)
    with pytest.raises(ValueError, match=r"'x' holds 'tall' in row 102"):
        read_cells(number, pa.array(["1", "", "tall"]), PLAIN, 100)


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8),
    st.sampled_from([",", "\t", ";"]),
)
def test_any_text_survives_writing_and_reading(rows, separator):
    table = pa.table({name: [row[j] for row in rows] for j, name in enumerate("ab")})
    stream = io.BytesIO()
    TextSink(stream, table.schema, separator).write(table)
    found = TextRows(
        io.BytesIO(stream.getvalue()), "t", Dialect(separator, header=True)
    )
    assert found.names == ("a", "b")
    assert pa.concat_tables(found.tables(["a", "b"])).to_pylist() == table.to_pylist()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(), min_size=1))
def test_floats_survive_to_the_last_bit(numbers):
    table = pa.table({"x": pa.array(numbers, pa.float64())})
    stream = io.BytesIO()
    TextSink(stream, table.schema, ",").write(table)
    words = stream.getvalue().decode().splitlines()[1:]
    assert [np.float64(w).tobytes() for w in words if w != "nan"] == [
        np.float64(x).tobytes() for x in numbers if not np.isnan(x)
    ]
    assert all("." in w or "e" in w or "n" in w for w in words)


FINITE = st.floats(allow_nan=False, allow_infinity=False)
RISKY = st.one_of(
    CELLS,
    st.tuples(st.sampled_from("=+-@\t\r\n'"), CELLS).map("".join),
    st.sampled_from(["-5", "+5", "-.5e-3", "1", "-5\n=1", "a;=1", "-", "-1-1"]),
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(RISKY, FINITE), min_size=1, max_size=8),
    RISKY,
    st.sampled_from([",", "\t", ";"]),
)
def test_safe_text_holds_no_formula(rows, name, separator):
    """Numbers and harmless text stay, and an apostrophe is all that is ever added."""
    columns = {name: [row[0] for row in rows], "number": [row[1] for row in rows]}
    table = pa.table({**columns, "gap": pa.nulls(len(rows), pa.string())})
    plain, safe = io.BytesIO(), io.BytesIO()
    TextSink(plain, table.schema, separator).write(table)
    TextSink(safe, table.schema, separator, safe=True).write(table)
    before, after = (
        list(csv.reader(io.StringIO(s.getvalue().decode(), ""), delimiter=separator))
        for s in (plain, safe)
    )
    assert len(before) == len(after)
    for old, new in zip(chain(*before), chain(*after), strict=True):
        formula = old[:1] in set("=+-@\t\r\n") and not is_number(old)
        assert new == (f"'{old}" if formula else old)


def is_number(word):
    return word.isascii() and "_" not in word and word == word.strip() and _float(word)


def _float(word):
    try:
        return np.isfinite(float(word)) or word.lstrip("+-")[0].isdigit()
    except ValueError:
        return False


def test_safe_text_is_one_cell_whatever_the_separator():
    table = pa.table({"x": ["a;=1", "b,=1", "c\t=1", "d =1"]})
    stream = io.BytesIO()
    TextSink(stream, table.schema, ";", safe=True).write(table)
    lines = stream.getvalue().decode().splitlines()
    assert lines == ["x", '"a;=1"', '"b,=1"', '"c\t=1"', "d =1"]


def test_one_column_with_gaps_keeps_its_rows():
    table = pa.table({"x": ["a", None, "b", None]})
    stream = io.BytesIO()
    TextSink(stream, table.schema, ",").write(table)
    found = TextRows(io.BytesIO(stream.getvalue()), "t", PLAIN)
    cells = pa.concat_tables(found.tables(["x"])).column("x").to_pylist()
    assert cells == ["a", "", "b", ""]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("\ufeffa,b\n1,2\n", ("a", "b")),
        ("\n\na,b\n1,2\n", ("a", "b")),
        (",b\n1,2\n", ("Unnamed: 0", "b")),
        ('"a\nb","c,d"\n1,2\n', ("a\nb", "c,d")),
        ("a,b\r\n1,2\r\n", ("a", "b")),
    ],
)
def test_line_of_names(text, names):
    rows = TextRows(io.BytesIO(text.encode()), "t", PLAIN)
    assert rows.names == names
    assert pa.concat_tables(rows.tables(names)).to_pylist() == [
        dict(zip(names, ("1", "2"), strict=True))
    ]


def test_the_same_file_is_read_the_same_way_by_fit_and_encode(tmp_path, run):
    """Levels NA and 007, gaps, numbers of two sorts, booleans with gaps."""
    rng = np.random.default_rng(0)
    draw = rng.choice
    table = pd.DataFrame(
        {
            "country": draw(["NA", "DE", "FR"], 60),
            "code": draw(["007", "7", "12"], 60),
            "mixed": draw(["1", "2.5", ""], 60),
            "gap": draw(["1", "2", "3", "-"], 60),
            "yes": draw(["true", "false", ""], 60),
            "label": draw(["1", "2", "x"], 60),
        }
    )
    path, out = tmp_path / "t.csv", tmp_path / "m.lf"
    table.to_csv(path, index=False)
    words = ("--forest", "completely_random", "--trees", "10", "--seed", "0")
    run("fit", path, "-o", out, *words, "--only-na", "--na", "-")
    model = RFAE.load(out)
    levels = {c.name: c.levels for c in model.schema_.columns}
    assert levels["country"] == ("DE", "FR", "NA")
    assert levels["code"] == ("007", "12", "7")
    assert levels["gap"] == (1, 2, 3)
    assert levels["yes"] == (False, True)
    assert levels["label"] == ("1", "2", "x")
    # One row at a time, every block looks different; --only-na is not needed again.
    z = tmp_path / "z.csv"
    run("encode", out, path, "-o", z, "--na", "-", "--block-rows", "1")
    found = pd.read_csv(z, converters={"z1": float, "z2": float}).to_numpy()
    assert np.array_equal(found, model.embedding_) or np.allclose(
        found, model.embedding_, rtol=0, atol=1e-12
    )
