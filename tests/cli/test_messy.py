"""A table as people keep them goes through every command, whatever file it is in."""

import json

import numpy as np
import pandas as pd
import pytest

from cli_cases import SMALL
from latentforest import RFAE, read_table
from messy_table import (
    DAYS,
    IDS,
    STAMPS,
    clean_frame,
    messy_csv,
    messy_words,
    write_workbook,
)

pytest.importorskip("python_calamine", reason="needs the extra 'excel'")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Make a folder with the table in every kind of file."""
    place = tmp_path_factory.mktemp("messy")
    clean = clean_frame()
    (place / "t.csv").write_bytes(messy_csv())
    clean.to_parquet(place / "t.parquet")
    clean["iso_stamp"] = clean["iso_stamp"].dt.tz_localize(None)
    write_workbook(clean, place / "t.xlsx")
    return place


@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx"])
def test_every_command_takes_the_messy_table(suffix, place, tmp_path, run):
    table, model = place / f"t.{suffix}", tmp_path / "m.lf"
    done = run("fit", table, "-o", model, *SMALL, "--drop", "id")
    assert all(len(line) <= 80 for line in done.err.splitlines() if "  " in line)
    schema = RFAE.load(model).schema_
    kinds = {column.name: str(column.kind) for column in schema.columns}
    assert all(kinds[name] == "datetime" for name in (*DAYS, *STAMPS, "opens"))
    assert kinds["euros"] == kinds["share"] == "continuous"
    assert kinds["zip"] == kinds["version"] == "category"

    z, back = tmp_path / "z.csv", tmp_path / "back.csv"
    run("encode", model, table, "-o", z, "--block-rows", "7")
    run("decode", model, z, "-o", back)
    again = run("reconstruct", model, table, "-o", "-", "--block-rows", "50").out
    assert back.read_bytes() == again
    run("plot", model, table, "-o", tmp_path / "p.png", "--color-by", "german_day")
    run("explore", model, table, "-o", tmp_path / "p.html", "--color-by", "euros")
    shown = run("odd", model, table, "--top", "3", "--keep", "id").out.decode()
    assert shown.count("score") == 3
    alone = run("odd", table, "--keep", "id", "--top", "1").out.decode()
    assert "expected" in alone
    alike = tmp_path / "alike.csv"
    run("similar", model, table, "-n", "2", "-o", alike)
    assert len(pd.read_csv(alike)) == 3 * len(pd.read_csv(z))
    for kind in ("parquet", "feather", "arrow"):
        out = tmp_path / f"back.{kind}"
        run("decode", model, z, "-o", out)
        typed = read_table(out)
        assert all(typed[name].dtype.kind in "MO" for name in DAYS)
        assert typed["euros"].dtype == np.float64
    # What was written is read again as it was, without any option.
    run("encode", model, back, "-o", tmp_path / "z2.csv")
    run("encode", model, tmp_path / "back.parquet", "-o", tmp_path / "z3.csv")
    assert (tmp_path / "z2.csv").read_bytes() == (tmp_path / "z3.csv").read_bytes()


def test_cells_come_back_as_they_were_written(place, tmp_path, run):
    model, back = tmp_path / "m.lf", tmp_path / "back.csv"
    run("fit", place / "t.csv", "-o", model, *SMALL, "--drop", "id")
    run("reconstruct", model, place / "t.csv", "-o", back)
    found = pd.read_csv(back, dtype=str, keep_default_na=False)
    given = messy_words()
    shapes = {
        name: given[name].str.strip().str.replace(r"\d", "9", regex=True)
        for name in given
        if name not in {"score", "plain", "city", "yes", *IDS}
    }
    for name, shape in shapes.items():
        seen = set(shape) | {""}
        ours = found[name].str.replace(r"\d", "9", regex=True)
        # A number may have other digits, and months other names; signs are the same.
        signs = r"[9A-Za-z]+"
        got = set(ours.str.replace(signs, "9", regex=True))
        wanted = set(pd.Series([*seen]).str.replace(signs, "9", regex=True))
        assert got <= wanted | {"9"} | _shorter(wanted), name


def _shorter(words):
    """Amounts with fewer thousands, and with another sign."""
    out = set()
    for word in words:
        for sign in (".", ",", "\N{NARROW NO-BREAK SPACE}"):
            out.add(word.replace(f"9{sign}9", "9", 1))
    out |= {f"-{word}" for word in {*words, *out}}
    return out


def test_a_model_of_text_takes_other_files(place, tmp_path, run):
    """What a workbook holds as a number is one, whatever text is written like."""
    model, z = tmp_path / "m.lf", tmp_path / "z.csv"
    words = ("--drop", "id", "--drop", "iso_stamp")  # Excel has no zones
    run("fit", place / "t.csv", "-o", model, *SMALL, *words)
    run("encode", model, place / "t.csv", "-o", z)
    for suffix in ("xlsx", "parquet"):
        other = tmp_path / "other.csv"
        run("encode", model, place / f"t.{suffix}", "-o", other, "--block-rows", "9")
        assert other.read_bytes() == z.read_bytes()
    rows = clean_frame().drop(columns="iso_stamp").astype(object)
    rows = rows.where(rows.notna(), None).to_dict("records")
    lines = [json.dumps(row, default=lambda cell: cell.isoformat()) for row in rows]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    run("encode", model, tmp_path / "t.jsonl", "-o", other)
    assert other.read_bytes() == z.read_bytes()


def test_a_block_of_text_is_read_as_the_whole_file_was(place, tmp_path, run):
    """A file of few rows, in which nothing shows what a sign means."""
    model = tmp_path / "m.lf"
    run("fit", place / "t.csv", "-o", model, *SMALL, "--drop", "id")
    words = messy_words()
    z = tmp_path / "z.csv"
    run("encode", model, place / "t.csv", "-o", z)
    every = pd.read_csv(z, dtype=str)
    for row in (0, 5, 11):
        one = tmp_path / "one.csv"
        words.iloc[[row]].to_csv(one, index=False, sep="|")
        run("encode", model, one, "-o", z)
        assert pd.read_csv(z, dtype=str).iloc[0].tolist() == every.iloc[row].tolist()


def test_the_report_says_how_cells_were_written(place, tmp_path, run):
    done = run("fit", place / "t.csv", "-o", tmp_path / "m.lf", *SMALL)
    said = " ".join(done.err.split())
    assert "1.234,50 €" in said
    assert "05.01.2021" in said
    assert "drop an id" in said  # the id
    assert "'n.a.'" in said


def test_a_column_that_looks_like_numbers_is_not_called_an_id(tmp_path, run):
    words = [str(x) for x in range(200)] + [f"about {x}" for x in range(20)]
    pd.DataFrame({"x": words, "y": range(220)}).to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", tmp_path / "t.csv", "-o", tmp_path / "m.lf", *SMALL)
    assert "90 % of the cells look like numbers" in " ".join(done.err.split())
    assert "drop an id" not in done.err


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_standard_input_of_text(format, place, tmp_path, run):
    model, z = tmp_path / "m.lf", tmp_path / "z.csv"
    run("fit", place / "t.csv", "-o", model, *SMALL, "--drop", "id")
    data = messy_csv(sep=",")
    if format == "jsonl":
        data = messy_words().to_json(orient="records", lines=True).encode()
    run("encode", model, place / "t.csv", "-o", z)
    done = run("encode", model, "-", "-o", "-", "--format", format, stdin=data)
    if format == "csv":
        assert done.out == z.read_bytes()


def test_headerless_files_go_through(tmp_path, run, fail):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((40, 3)))
    table.to_csv(tmp_path / "t.csv", index=False, header=False)
    done = run("fit", tmp_path / "t.csv", "-o", tmp_path / "m.lf", *SMALL)
    assert "--header" in done.err
    names = RFAE.load(tmp_path / "m.lf").schema_.names
    assert names == ("x0", "x1", "x2")
    table.set_axis(["a", "b", "c"], axis=1).to_csv(tmp_path / "u.csv", index=False)
    words = ("encode", tmp_path / "m.lf", tmp_path / "u.csv", "-o", tmp_path / "z.csv")
    assert "--no-header" in fail(*words)
    run("encode", tmp_path / "m.lf", tmp_path / "t.csv", "-o", tmp_path / "z.csv")


def test_one_row_is_one_row(place, tmp_path, run):
    model = tmp_path / "m.lf"
    run("fit", place / "t.csv", "-o", model, *SMALL, "--drop", "id")
    messy_words().iloc[:1].to_csv(tmp_path / "one.csv", index=False)
    done = run("encode", model, tmp_path / "one.csv", "-o", tmp_path / "z.csv")
    assert "1 row written" in done.err


def test_options_go_before_what_a_model_remembers(tmp_path, run):
    """Of numbers and dates; what is written stays as the model has it."""
    days = [f"{day:02}.03.2021" for day in range(1, 29)]
    rows = [f"{5 + n}.123,45;{day}" for n, day in enumerate(days)]
    german, english = tmp_path / "de.csv", tmp_path / "en.csv"
    german.write_text("\n".join(["x;day", *rows, ""]))
    english.write_text("x;day\n1.234;02.03.2021\n2.345;03.04.2021\n")
    model = tmp_path / "de.lf"
    run("fit", german, "-o", model, *SMALL, "-q")

    def first(*more):
        done = run("similar", model, english, "-n", "1", "-o", "-", *more)
        return done.lines[1].split(",", 4)[4]

    assert first() == '"1.234,00",02.03.2021'
    for option in (("--decimal", "."), ("--thousands", ",")):
        assert first(*option) == '"1,23",02.03.2021'
    assert first("--dates", "month-first") == '"1.234,00",03.02.2021'

    fitted = RFAE.load(model)
    frame = read_table(english, decimal=".", dates="month-first")
    assert fitted.similar(frame, 1)["x"].iloc[0] == 1.23
    written = run(
        "encode", model, english, "-o", "-", "--decimal", ".", "--dates", "month-first"
    )
    z = np.array([line.split(",") for line in written.lines[1:]], float)
    np.testing.assert_array_equal(z, fitted.transform(frame))
