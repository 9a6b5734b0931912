"""What may be read otherwise than it is meant is said, with the option that decides."""

import io
import warnings
from datetime import UTC, datetime

import pandas as pd
import pytest

from cli_cases import invoke
from latentforest import read_table
from latentforest.reading import (
    Dialect,
    FileBatches,
    Notation,
    _batches,
    _csv_read,
    _word_survey,
    infer_columns,
)
from latentforest.table import TableCodec, learn

THIS_YEAR = datetime.now(UTC).year
SMALL = ("--trees", "5", "--forest", "completely_random", "--seed", "0")


def column(words, name="x"):
    return "\n".join([name, *map(str, words)]) + "\n"


BIRTHS = [f"{n % 28 + 1:02d}.{n % 12 + 1:02d}.{n % 90 + 10:02d}" for n in range(700)]
LATER = sum(n % 90 + 10 in range(THIS_YEAR - 1999, 69) for n in range(700))
BASEMENT = ["None"] * 1_775 + ["Good", "Poor", "NA", ""] * 288 + ["Fair"] * 3
BASEMENT_TABLE = "n,x\n" + "".join(f"{n % 9}.5,{w}\n" for n, w in enumerate(BASEMENT))
ODD = {20: '20,"v', 30: '30,v"'}
QUOTE = "a,b\n" + "".join(f"{ODD.get(n, f'{n},v')}\n" for n in range(60))
CASES = {
    "dollars": (column(["$1.234", "$5.678"]), ["such as $1.234.", "thousands='.'"]),
    "pounds": ('x\n"£63,794"\n"£5,100"\n', ["such as £63,794.", "decimal=','"]),
    "births": (
        column(BIRTHS),
        [
            f"x: of the dates with years of two digits, {LATER} lie after {THIS_YEAR}",
            f"last_year={THIS_YEAR}",
        ],
    ),
    "blanks in names": (
        "a, b, c\n1,2,3\n",
        ["blanks around names of columns are taken away: ' b', ' c'", "strip=False"],
    ),
    "numbers as names": (
        "3,14,15\n1,2,3\n",
        ["names of columns look like cells: '3', '14', '15'", "header=False"],
    ),
    "numbers among names": ("b,7,3\na,2,3\n", ["like cells: '7', '3'", "header=False"]),
    "a quote that closes late": (
        QUOTE,
        ["opens a cell in line 22 and closes it 10 lines later", "quotes=False"],
    ),
    "rows in quotes": (
        'a,b\n1,"x\n2,3\n4,5\n6",y\n'.replace('6",y', '6"'),
        ["opens a cell in line 2 and closes it 3 lines later", "quotes=False"],
    ),
    "a level called None": (
        BASEMENT_TABLE,
        [
            "x: words count as missing, 'None' in 1,775 of 2,930 cells",
            "give only_na=True, na=['NA']",
        ],
    ),
    "nothing but None": (column(["None"] * 4), ["'None' in 4 of 4 cells", "only_na"]),
    "mostly NA": (column(["NA", "NA", "b"]), ["'NA' in 2 of 3 cells", "only_na=True"]),
}


def notes_of(text, **options):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        frame = read_table(io.StringIO(text), **options)
    return [str(warning.message).partition(": ")[2] for warning in told], frame


@pytest.mark.parametrize("name", CASES)
def test_a_note_says_what_is_read_and_names_the_option(name):
    text, parts = CASES[name]
    (note,), _ = notes_of(text)
    note = f"x: {note}"
    for part in parts:
        assert part in note


def in_pieces(path):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        batches = FileBatches(path)
        codec = TableCodec()
        learn(codec, batches)
        frame = pd.concat(list(batches.map(lambda rows: rows)))
    notes = [str(warning.message).partition(": ")[2] for warning in told]
    return notes, codec.schema_.report(), frame.reset_index(drop=True)


@pytest.mark.parametrize("name", CASES)
def test_pieces_give_the_same_table_notes_and_report(name, tmp_path, monkeypatch):
    text, _ = CASES[name]
    (tmp_path / "t.csv").write_text(text)
    notes, table = notes_of(text)
    whole = in_pieces(tmp_path / "t.csv")
    monkeypatch.setattr(_batches, "PIECE", 50)
    monkeypatch.setattr(_word_survey, "_PATIENCE", 0)
    monkeypatch.setattr(_word_survey, "OF_A_SHAPE", 2)
    monkeypatch.setattr(_csv_read, "PIECE", 100)
    pieces = in_pieces(tmp_path / "t.csv")
    assert notes == whole[0] == pieces[0]
    assert whole[1] == pieces[1]
    pd.testing.assert_frame_equal(table, whole[2])
    pd.testing.assert_frame_equal(whole[2], pieces[2])


SAID = {
    "dollars": {"decimal": "."},
    "pounds": {"thousands": ","},
    "births": {"last_year": THIS_YEAR},
    "blanks in names": {"strip": False},
    "numbers as names": {"header": True},
    "numbers among names": {"header": False},
    "a quote that closes late": {"quotes": False},
    "a level called None": {"only_na": True, "na": ["NA"]},
    "mostly NA": {"na": "NA"},
}


@pytest.mark.parametrize("name", SAID)
def test_who_has_decided_is_not_told(name):
    notes, frame = notes_of(CASES[name][0], **SAID[name])
    assert notes == []
    if name == "births":
        assert frame["x"].dt.year.between(THIS_YEAR - 99, THIS_YEAR).all()
        assert (frame["x"].dt.year % 100).tolist() == [int(w[-2:]) for w in BIRTHS]
    if name == "blanks in names":
        assert list(frame) == ["a", " b", " c"]
    if name == "numbers among names":
        assert len(frame) == 2
    if name == "a quote that closes late":
        assert len(frame) == 60
    if name == "a level called None":
        assert (frame["x"] == "None").sum() == 1_775
        assert frame["x"].isna().sum() == 2 * 288


QUIET = {
    "multiline text": 'a,b\n1,"one\ntwo, three\nfour"\n2,x\n',
    "names that count": "0,1,2\n5,5,5\n",
    "years among names": "country,2019,2020\nDE,5,6\n",
    "text with a few gaps": column(["a", "NA", "b", "", "c"]),
    "numbers with gaps": column(["1", "None", "NA", "NA", "NA"]),
    "dates of the past": column(["05.01.21", "17.12.99"]),
}


@pytest.mark.parametrize("name", QUIET)
def test_what_is_clear_is_not_said(name):
    assert notes_of(QUIET[name])[0] == []


def test_blanks_stay_where_only_they_tell_names_apart():
    notes, frame = notes_of("a, a\n1,2\n")
    assert (notes, list(frame)) == ([], ["a", " a"])


def test_what_two_digits_mean_is_remembered():
    import pyarrow as pa

    found = infer_columns({"x": pa.array(BIRTHS)}, Dialect(last_year=1999), {})["x"]
    assert Notation.from_text(found.notation).cells.last_year == 1999
    years = pd.Series(found.values.to_pandas()).dt.year
    assert (years.min(), years.max()) == (1910, 1999)


def test_the_command_line_says_the_same_and_counts_gaps(tmp_path):
    words = BASEMENT[-700:]
    rows = [f"{b};{words[n]};{n % 7}.5" for n, b in enumerate(BIRTHS)]
    rows += [f"{BIRTHS[0]};None;None"] * 5
    (tmp_path / "t.csv").write_text("\n".join(["born; base;n", *rows]) + "\n")
    model = tmp_path / "m.lf"
    done = invoke("fit", tmp_path / "t.csv", "-o", model, *SMALL)
    assert done.code == 0, done.err
    told = " ".join(done.err.split())
    assert "warning: base: words count as missing, 'None' in 5 of 705 cells" in told
    assert "give --only-na --na NA" in told
    assert f"give --last-year {THIS_YEAR}" in told
    assert "names of columns are taken away: ' base'" in told
    assert "--no-strip" in told
    counts = {word: words.count(word) for word in ("", "NA")}
    count = sum(counts.values()) + 5
    for report in (done, invoke("inspect", model)):
        text = " ".join((report.err + report.out.decode()).split())
        assert f" {count} text, " in text
        for word, number in counts.items():
            assert f"{word!r} ({number})" in text
        assert "'None' (5) missing" in text
        assert "1 decimal 5 floats, 'None' (5) missing" in text
    options = ("--only-na", "--na", "NA", "--last-year", THIS_YEAR, "--no-strip")
    done = invoke("fit", tmp_path / "t.csv", "-o", model, *SMALL, "--force", *options)
    assert done.code == 0, done.err
    told = [line for line in done.err.splitlines() if "warning: " in line]
    assert len(told) == 1
    assert "n: 5 cells are no numbers and count as missing: 'None' (5)" in told[0]
    back = tmp_path / "back.csv"
    done = invoke("reconstruct", model, tmp_path / "t.csv", "-o", back)
    assert done.code == 0, done.err
    born = pd.read_csv(back)["born"]
    assert pd.to_datetime(born, format="%d.%m.%y").notna().all()


def test_a_word_that_is_listed_as_a_level_is_never_missing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(column(["None", "low", "high", "NA"] * 10))
    kinds = {"x": ["None", "low", "high"]}
    batches = FileBatches(path, kinds=kinds)
    codec = TableCodec(kinds)
    learn(codec, batches)
    spec = codec.schema_.columns[0]
    assert spec.levels == ("None", "low", "high")
    assert spec.n_missing == 10
    codes = [c for rows in batches.map(codec.encode) for c in rows.values[:4, 0]]
    assert codes[:3] == [0, 1, 2]
