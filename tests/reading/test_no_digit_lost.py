"""Numbers that floats cannot hold stay words, or are refused with their row."""

import io
import json
import sqlite3
import warnings

import pytest

from cli_cases import invoke
from latentforest import read_table
from latentforest._base._errors import DataError, SchemaError
from latentforest.reading import FileBatches, _batches, _csv_read
from latentforest.table import TableCodec, learn

FIRST = 1_234_567_890_123_456_789
IDS = [str(FIRST + 2 * n) for n in range(300)]  # some are even floats


def read(words, **options):
    text = "".join(f"{word}\n" for word in ("x", *words))
    return read_table(io.StringIO(text), **options)["x"]


def in_pieces(tmp_path, monkeypatch, words, **options):
    """The schema and the cells of a file that is read a few rows at a time."""
    monkeypatch.setattr(_batches, "PIECE", 7)
    monkeypatch.setattr(_csv_read, "PIECE", 64)
    (tmp_path / "long.csv").write_text("".join(f"{w}\n" for w in ("x", *words)))
    batches = FileBatches(tmp_path / "long.csv", **options)
    codec = TableCodec(options.get("kinds"))
    learn(codec, batches)
    cells = [cell for part in batches.map(lambda rows: rows["x"]) for cell in part]
    return codec.schema_.columns[0], cells


LONG = {
    "19 digits": IDS,
    "17 digits": [str(2**53 + n) for n in range(40)],
    "one of many numbers": ["1.5", "2", str(2**53 + 1), "7.25"],
    "far beyond": ["9" * 400, "1"],
    "beside a gap word": [*IDS, "n.a."],
    "in thousands": [f"{int(word):,}" for word in IDS],
    "of euros": [f"{word} €" for word in IDS],
    "signed": [f"-{word}" for word in IDS],
}


@pytest.mark.parametrize("name", LONG)
def test_whole_numbers_beyond_floats_stay_text(name, tmp_path, monkeypatch):
    words = LONG[name]
    quoted = [f'"{word}"' if "," in word else word for word in words]
    assert read(quoted).tolist() == words
    spec, cells = in_pieces(tmp_path, monkeypatch, quoted)
    assert cells == words
    assert set(spec.levels) == set(words)
    assert "too many digits" in spec.reason


def test_whole_numbers_that_floats_hold_are_numbers():
    assert read([str(10**15 - 1), "5"]).tolist() == [10**15 - 1, 5]
    assert read([str(2**80), "0.5"]).tolist() == [2.0**80, 0.5]


def test_ids_of_records_keep_their_digits_too(tmp_path):
    rows = [{"x": int(word), "y": 1} for word in IDS]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert read_table(tmp_path / "t.jsonl")["x"].tolist() == IDS
    with sqlite3.connect(tmp_path / "t.db") as base:
        base.execute("create table t (x integer, y integer)")
        base.executemany("insert into t values (:x, :y)", rows)
    assert read_table(tmp_path / "t.db")["x"].tolist() == IDS


def test_who_wants_numbers_gets_them_or_is_told(tmp_path, monkeypatch):
    spec, cells = in_pieces(tmp_path, monkeypatch, IDS, kinds={"x": "continuous"})
    assert spec.kind == "continuous"
    assert cells == list(map(float, IDS))
    with pytest.raises((DataError, SchemaError), match=r"'x' holds .* beyond 2\^53"):
        in_pieces(tmp_path, monkeypatch, IDS, kinds={"x": "integer"})


HUGE = {
    "plain": (["1.5", "-2"], "1e400"),
    "negative": (["1.5", "-2"], "-2.5E999"),
    "of euros": (["1.5 €", "2.0 €"], "1e400 €"),
    "percent": (["1.5", "2"], "1" + "0" * 400 + ".5"),
}


@pytest.mark.parametrize("name", HUGE)
def test_numbers_beyond_the_largest_float_are_refused(name, tmp_path, monkeypatch):
    usual, huge = HUGE[name]
    words = [*usual * 60, huge, *usual]
    wanted = r"'x' holds .* in row 120 .* is beyond the largest float.* na"
    with pytest.raises(DataError, match=wanted):
        read(words)
    with pytest.raises(DataError, match=wanted):
        in_pieces(tmp_path, monkeypatch, words)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the gap is noted
        found = read(words, na=[huge])
    assert found.isna().sum() == 1


def test_infinity_is_written_out():
    assert read(["inf", "1.5", "-Infinity"]).tolist() == [
        float("inf"),
        1.5,
        -float("inf"),
    ]


def test_new_rows_are_refused_too(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{n}.5,a\n" for n in range(30)))
    small = ("--trees", "5", "--forest", "completely_random", "--seed", "0")
    done = invoke("fit", tmp_path / "t.csv", "-o", tmp_path / "m.lf", *small)
    assert done.code == 0, done.err
    (tmp_path / "n.csv").write_text("x,y\n1.5,a\n1e400,a\n")
    done = invoke("encode", tmp_path / "m.lf", tmp_path / "n.csv", "-o", "-")
    assert done.code != 0
    assert (
        "'x' holds '1e400' in row 1 (the first is row 0), which is beyond" in done.err
    )
    assert "--na 1e400" in done.err
