"""Mistakes of users: one line that says what to do, and the right exit code."""

import gzip
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from cli_cases import SMALL
from latentforest import RFAE
from latentforest.cli._notes import Notes

WRONG_DATA, USAGE = 1, 2


@pytest.fixture(scope="session")
def wrong(tmp_path_factory, frame):
    """Make a folder of files that have something wrong."""
    place = tmp_path_factory.mktemp("wrong")

    def spoilt(name, column, cell):
        table = frame.astype(object)
        table.loc[5, column] = cell
        table.to_csv(place / name, index=False)

    spoilt("unseen.csv", "name", "nobody")
    spoilt("tall.csv", "length", "tall")
    spoilt("infinite.csv", "area", "inf")
    text = frame.to_csv(index=False)
    short = text.splitlines()
    short[7] = "0,1,2"
    packed = gzip.compress(text.encode())
    files = {
        "empty.csv": "",
        "names.csv": text.partition("\n")[0],
        "none.lf": "no model",
        "twice.csv": text.replace("length,area", "area,area", 1),
        "short.csv": "\n".join(short),
        "corrupt.csv.gz": packed[: len(packed) // 2],
        "fake.csv.gz": text,
        "corrupt.parquet": "PAR1 and nothing else PAR1",
        "corrupt.feather": "ARROW1 and nothing else",
        "one.csv": "z1\n0",
        "only.csv": "z1\n0\n1\n2\n",
        "three.csv": "z1,z2,z3\n0,0,0",
        "nan.csv": "z1,z2\n0,0\n0,NaN\n",
        "words.csv": "z1,z2\n0,0\n0,up\n",
        "latin.csv": text.replace("eve", "éve").encode("latin1"),
        "wide.csv": text.encode("utf-16"),
        "copies.csv": "a,b\n" + "1,x\n2,y\n" * 20,
        "quote.csv": text + 'x,"',
    }
    for name, content in files.items():
        packed = content if isinstance(content, bytes) else content.encode()
        (place / name).write_bytes(packed)
    (place / "folder.csv").mkdir()
    (place / "pq").mkdir()
    for number in range(2):
        part = pd.DataFrame({"z1": [0.0, 1.0], "z2": [number, number]})
        part.to_parquet(place / "pq" / f"{number}.parquet")
    lists = frame.assign(area=[None, None, *[[1, 2]] * (len(frame) - 2)])
    lists.to_parquet(place / "lists.parquet")
    lists.to_json(place / "lists.jsonl", orient="records", lines=True)
    frame.drop(columns=["flag", "few"]).to_csv(place / "less.csv", index=False)
    frame.to_csv(place / "semicolon.csv", index=False, sep=";")
    frame.assign(day=pd.Timestamp("2020-01-01")).to_parquet(place / "day.parquet")
    target = frame.assign(target=[None, *"ab" * 39, "a"])
    target.to_csv(place / "target.csv", index=False)
    return place


@pytest.fixture
def here(folder, wrong, tmp_path, monkeypatch):
    """Work in a folder with the table, the models and the wrong files at hand."""
    for path in (*folder.iterdir(), *wrong.iterdir()):
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


FIT = ("fit", "t.csv", "-o", "new.lf")
CASES = {
    "missing file": (("encode", "m.lf", "none.csv", "-o", "z2.csv"), "none.csv: there"),
    "missing model": (
        ("encode", "no.lf", "t.csv", "-o", "z2.csv"),
        "latentforest fit",
    ),
    "folder": (("encode", "m.lf", "folder.csv", "-o", "z2.csv"), "no tables are found"),
    "folder as table": (
        ("fit", "folder.csv", "-o", "new.lf"),
        "folder.csv: no tables are found",
    ),
    "folder as model": (("encode", ".", "t.csv", "-o", "z2.csv"), "is a folder"),
    "empty file": (("fit", "empty.csv", "-o", "new.lf"), "is empty"),
    "names only": (("fit", "names.csv", "-o", "new.lf"), "no rows"),
    "names only, encode": (("encode", "m.lf", "names.csv", "-o", "z2.csv"), "no rows"),
    "text suffix": (("fit", "t.doc", "-o", "new.lf"), r"'\.doc' is not known.*\.csv"),
    "sheet as output": (
        ("encode", "m.lf", "t.csv", "-o", "z2.xls"),
        r"\.xls files are read, but not written.*\.xlsx",
    ),
    "no suffix": (("encode", "m.lf", "t.csv", "-o", "z2"), "no suffix"),
    "packed parquet": (("fit", "t.parquet.gz", "-o", "new.lf"), "compressed inside"),
    "model named as a table": (("fit", "t.csv", "-o", "new.csv"), r"ends in \.lf"),
    "page named as text": (("explore", "m.lf", "-o", "page.txt"), r"pages are \.html"),
    "not a model": (("encode", "none.lf", "t.csv", "-o", "z2.csv"), r"none\.lf"),
    "table as model": (("inspect", "t.csv"), r"t\.csv"),
    "no training rows": (("decode", "small.lf", "z.csv", "-o", "b.csv"), "only encode"),
    "no training rows, reconstruct": (
        ("reconstruct", "small.lf", "t.csv", "-o", "b.csv"),
        "only encode",
    ),
    "odd, no table": (("odd", "m.lf"), "m.lf is a name for models.*table", USAGE),
    "one row": (("fit", "one.csv", "-o", "new.lf"), "has 1 row; a map needs at least"),
    "odd, one row": (("odd", "one.csv"), "1 row, which cannot be compared with others"),
    "missing column": (
        ("encode", "m.lf", "less.csv", "-o", "z2.csv"),
        "'few', 'flag' not found",
    ),
    "unseen level": (
        ("encode", "strict.lf", "unseen.csv", "-o", "z2.csv"),
        "'nobody'.*fit with --unseen missing",
    ),
    "text among numbers": (
        ("encode", "m.lf", "tall.csv", "-o", "z2.csv"),
        "'length' holds 'tall' in row 5 .*--na 'tall'",
    ),
    "infinite": (
        ("encode", "m.lf", "infinite.csv", "-o", "z2.csv", "--block-rows", "4"),
        "'area' holds an infinite number in row 5 .*or nothing",
    ),
    "infinite, fit": (
        ("fit", "infinite.csv", "-o", "new.lf"),
        "'area' holds an infinite number in row 5 .*or nothing",
    ),
    "infinite, odd": (("odd", "infinite.csv"), "'area' holds an infinite .*or nothing"),
    **{
        f"lists, {verb} {suffix}": (
            (*words, f"lists.{suffix}", *more),
            "'area' holds lists.*row 2 .*--drop area",
        )
        for suffix in ("parquet", "jsonl")
        for verb, words, more in (
            ("fit", ("fit",), ("-o", "new.lf")),
            ("odd", ("odd",), ()),
            ("encode", ("encode", "m.lf"), ("-o", "z2.csv")),
        )
    },
    **{
        f"nothing to hold back, {share}": (
            ("fit", "copies.csv", "-o", "new.lf", "-q", "--test", share),
            rf"--test {share} holds back {held} rows and leaves {left} .*of 40 rows "
            "only 2 differ, and copies are held back together.*leave --test out",
        )
        for share, held, left in (("0.1", 0, 40), ("0.5", 20, 20))
    },
    "too many components": ((*FIT, "-k", "80"), "--components 80.*Lower"),
    "kind not possible": ((*FIT, "--kind", "name=integer"), "'name' holds"),
    "kind of unknown column": ((*FIT, "--kind", "size=integer"), "'size' not found"),
    "kind of dropped column": (
        (*FIT, "--drop", "few", "--kind", "few=category"),
        "'few'",
    ),
    "unknown target": ((*FIT, "--target", "price"), "target 'price' not found"),
    "missing target": (
        ("fit", "target.csv", "-o", "new.lf", "--target", "target"),
        "1 missing cell",
    ),
    "unknown drop": ((*FIT, "--drop", "price"), "'price' not found"),
    **{
        f"drop all, {name}": (
            ("fit", name, "-o", "new.lf", "--drop", "z1", "--drop", "z2"),
            f"--drop names all columns of {name}.*: no column is left to fit",
        )
        for name in ("z.csv", "pq/")
    },
    "drop all but the target": (
        ("fit", "z.csv", "-o", "new.lf", "--target", "z1", "--drop", "z2"),
        "--drop and --target name all columns .* no column is left to fit",
    ),
    "nothing but the target": (
        ("fit", "only.csv", "-o", "new.lf", "--target", "z1"),
        "--target names all columns .* no column is left to fit",
    ),
    "names twice": (("fit", "twice.csv", "-o", "new.lf"), "more than once: 'area'"),
    "short row": (("fit", "short.csv", "-o", "new.lf"), "row 6 .* has 3 cells.*has 8"),
    "other separator": (
        ("fit", "semicolon.csv", "-o", "new.lf", "--separator", "|", "-k", "80"),
        "--components 80",
    ),
    "no folder": (("encode", "m.lf", "t.csv", "-o", "no/z.csv"), "no folder no"),
    "no folder, fit": (("fit", "t.csv", "-o", "no/new.lf"), "no folder no"),
    "output is a folder": (
        ("encode", "m.lf", "t.csv", "-o", "folder.csv"),
        "is a folder",
    ),
    "model is there": (("fit", "t.csv", "-o", "m.lf"), "--force"),
    "output is input": (("encode", "m.lf", "t.csv", "-o", "t.csv"), "another -o"),
    "too few coordinates": (
        ("decode", "m.lf", "one.csv", "-o", "b.csv"),
        "'z2' not found",
    ),
    "too many coordinates": (
        ("decode", "m.lf", "three.csv", "-o", "b.csv"),
        "column z3",
    ),
    "no coordinates": (
        ("decode", "m.lf", "t.csv", "-o", "b.csv"),
        "'z1', 'z2' not found",
    ),
    "NaN coordinates": (("decode", "m.lf", "nan.csv", "-o", "b.csv"), "row 1 "),
    "text coordinates": (
        ("decode", "m.lf", "words.csv", "-o", "b.csv"),
        r"'up' in row 1 .*\. Coordinates must be numbers\.$",
    ),
    "corrupt gz": (("fit", "corrupt.csv.gz", "-o", "new.lf"), "Is it complete"),
    "corrupt gz, not gz at all": (
        ("fit", "fake.csv.gz", "-o", "new.lf"),
        "Is it complete",
    ),
    "corrupt parquet": (("fit", "corrupt.parquet", "-o", "new.lf"), "Is it complete"),
    "corrupt feather": (("fit", "corrupt.feather", "-o", "new.lf"), "Is it complete"),
    "dates as names": (
        ("fit", "day.parquet", "-o", "new.lf", "--kind", "day=category"),
        "'day' cannot be read as category: it holds dates",
    ),
    "latin1": (
        ("fit", "latin.csv", "-o", "new.lf"),
        "not UTF-8.*--encoding cp1252",
    ),
    "not UTF-16": (
        ("fit", "latin.csv", "-o", "new.lf", "--encoding", "utf-16"),
        "is not utf-16 text",
    ),
    "sheet of text": (
        (*FIT, "--sheet", "one"),
        "--sheet one is for workbooks and databases",
        USAGE,
    ),
    "unknown encoding": (
        (*FIT, "--encoding", "latin-99"),
        "--encoding latin-99 is not known",
        USAGE,
    ),
    "open quote": (("fit", "quote.csv", "-o", "new.lf"), "row 80 "),
    "unknown keep": (
        ("encode", "m.lf", "t.csv", "-o", "z2.csv", "--keep", "key"),
        "'key' not found",
    ),
    "keep twice": (
        ("decode", "m.lf", "z.csv", "-o", "b.csv", "--keep", "z1", "--keep", "z1"),
        "twice",
    ),
    "keep what is made": (
        ("reconstruct", "m.lf", "t.csv", "-o", "b.csv", "--keep", "few"),
        "--keep few",
    ),
    "picture of unknown kind": (("plot", "m.lf", "-o", "p.bmp"), r"\.png"),
    "picture in three dimensions": (
        ("plot", "m.lf", "-o", "p.png", "--what", "3d"),
        "--components 3",
    ),
    "trials of a plain fit": (
        ("plot", "m.lf", "-o", "p.png", "--what", "trials"),
        "fit --auto",
    ),
    "colour by unknown column": (
        ("plot", "m.lf", "-o", "p.png", "--color-by", "size"),
        "no such column",
    ),
    "colour by unknown column of a table": (
        ("plot", "m.lf", "t.csv", "-o", "p.png", "--color-by", "size"),
        "'size' not found",
    ),
    "explore unknown column": (
        ("explore", "m.lf", "-o", "p.html", "--columns", "size"),
        "--columns size: the model has no such column",
    ),
    "text without an order": (
        (*FIT, "--kind", "name=ordered"),
        "'name' holds text without an order .*--kind 'name=ordered:",
    ),
    "order that lacks levels": (
        (*FIT, "--kind", "code=ordered:017,100"),
        "'code' holds '007', which the order '017', '100' does not name",
    ),
    "order that names a level twice": (
        (*FIT, "--kind", "code=ordered:007,017,007,100"),
        "names '007' twice",
    ),
    "explore by unknown column": (
        ("explore", "m.lf", "-o", "p.html", "--color-by", "size"),
        "--color-by size: the model has no such column",
    ),
    "explore unknown column of a table": (
        ("explore", "m.lf", "t.csv", "-o", "p.html", "--columns", "size"),
        "column 'size' not found",
    ),
    "kind that cannot be": ((*FIT, "--kind", "name=boolean"), "'name' cannot be read"),
    "image shape that does not fit": (
        ("explore", "m.lf", "-o", "p.html", "--image-shape", "2x2"),
        "4 pixels",
    ),
    "plot without rows": (("plot", "small.lf", "-o", "p.png"), "training rows"),
    "memory of no file": (("memory", "none.csv"), "no such file"),
    # Commands that cannot be meant.
    "no output": (("encode", "m.lf", "t.csv"), "Missing option", USAGE),
    "unknown command": (("ecnode", "m.lf"), "No such command", USAGE),
    "unknown option": ((*FIT, "--tres", "5"), "No such option", USAGE),
    "unknown forest": ((*FIT, "--forest", "dense"), "adversarial", USAGE),
    "unknown decoder": ((*FIT, "--decoder", "magic"), "local_linear", USAGE),
    "unknown kind": (
        (*FIT, "--kind", "few=number"),
        "--kind few=number is .*continuous",
        USAGE,
    ),
    "kind without column": ((*FIT, "--kind", "category"), "COLUMN=KIND", USAGE),
    "unknown unseen": ((*FIT, "--unseen", "skip"), "nearest", USAGE),
    "negative jobs": ((*FIT, "--jobs", "-2"), "--jobs", USAGE),
    "no components": ((*FIT, "-k", "0"), "--components", USAGE),
    "components in words": ((*FIT, "-k", "two"), "--components", USAGE),
    "no trees": ((*FIT, "--trees", "0"), "--trees", USAGE),
    "refine in words": ((*FIT, "--refine", "much"), "--refine much", USAGE),
    "target without supervision": (
        (*FIT, "--target", "few", "--forest", "adversarial"),
        "--target is for",
        USAGE,
    ),
    "supervision without target": ((*FIT, "--forest", "supervised"), "--target", USAGE),
    "auto and paper": ((*FIT, "--auto", "--paper"), "cannot be combined", USAGE),
    "auto and forest": ((*FIT, "--auto", "--trees", "5"), "cannot be combined", USAGE),
    "budget without auto": ((*FIT, "--time-budget", "5"), "--auto", USAGE),
    "bad separator": ((*FIT, "--separator", "||"), "single character", USAGE),
    "unknown format": (("fit", "-", "-o", "new.lf", "--format", "xml"), "csv", USAGE),
    "no block": (
        ("encode", "m.lf", "t.csv", "-o", "z2.csv", "--block-rows", "0"),
        "--block-rows",
        USAGE,
    ),
    "safe text that is no text": (
        ("encode", "m.lf", "t.csv", "-o", "z2.parquet", "--safe-csv"),
        "--safe-csv is for text",
        USAGE,
    ),
    "unknown plot": (
        ("plot", "m.lf", "-o", "p.png", "--what", "pie"),
        "scatter",
        USAGE,
    ),
    "image shape in words": (
        ("explore", "m.lf", "-o", "p.html", "--image-shape", "28"),
        "28x28",
        USAGE,
    ),
    "memory of nothing": (("memory",), "--rows", USAGE),
}


@pytest.mark.parametrize("case", CASES)
def test_mistake(case, here, fail):
    words, said, *code = CASES[case]
    before = sorted(path.name for path in here.iterdir())
    if words[0] == "fit" and "--trees" not in words and USAGE not in code:
        words = (*words, "--trees", "5", "--quiet")
    message = fail(*words, code=code[0] if code else WRONG_DATA)
    assert re.search(said, message), message
    assert sorted(path.name for path in here.iterdir()) == before


def test_a_full_disk_is_said_in_one_line(here, fail, monkeypatch):
    from latentforest.cli import _csv_write

    def write(self, table):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_csv_write.TextSink, "write", write)
    assert "No space left" in fail("encode", "m.lf", "t.csv", "-o", "z2.csv")
    assert not (here / "z2.csv").exists()


def test_debug_shows_the_traceback(here):
    from cli_cases import invoke

    done = invoke("encode", "m.lf", "none.csv", "-o", "z2.csv", "--debug")
    assert done.code == WRONG_DATA
    assert "Traceback" in done.err
    assert done.err.splitlines()[-1].startswith("latentforest: error: none.csv")


def test_what_should_not_happen_is_said_too(here, fail, monkeypatch):
    from latentforest.cli import _stream

    def fall(path):
        raise KeyError("row")

    monkeypatch.setattr(_stream, "load", fall)
    said = fail("encode", "m.lf", "t.csv", "-o", "z2.csv")
    assert "unexpected KeyError" in said
    assert "--debug" in said


def test_deprecations_in_other_libraries_are_not_for_users(capsys):
    class Both(UserWarning, DeprecationWarning):
        pass

    with Notes().plain_warnings():
        warnings.warn("old name", Both, stacklevel=1)
        warnings.warn("look out", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "latentforest: warning: look out\n"


def test_warnings_are_one_plain_line(tmp_path, run):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.random(40), "n": np.arange(40).astype(str)})
    table.loc[:2, "n"] = "unknown"
    table.to_csv(tmp_path / "t.csv", index=False)
    done = run("fit", tmp_path / "t.csv", "-o", tmp_path / "m.lf", *SMALL)
    warned = [x for x in done.err.splitlines() if "warning:" in x]
    assert warned == [
        "latentforest: warning: n: 3 cells are no numbers and count as missing: "
        "'unknown' (3)"
    ]
    assert ".py" not in done.err


@pytest.mark.parametrize("what", ["scatter", "3d", "pairs", "film"])
def test_pictures_of_too_few_coordinates(what, here, run, fail):
    run("fit", "t.csv", "-o", "one.lf", *SMALL, "-k", "1", "--drop", "id")
    said = fail("plot", "one.lf", "-o", "p.png", "--what", what)
    assert re.search(r"has 1 coordinates.*--components [23]", said)


def test_force_writes_over_a_model(here, run):
    (here / "old.lf").write_text("old")
    run("fit", "t.csv", "-o", "old.lf", *SMALL, "--force", "--drop", "id")
    assert (here / "old.lf").read_bytes() == (here / "m.lf").read_bytes()


def test_without_the_extra_one_line_says_so(monkeypatch, capsys):
    from latentforest import cli

    monkeypatch.setattr(cli, "find_spec", lambda name: None)
    assert cli.main(["--help"]) == USAGE
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert 'pip install "latentforest[cli]"' in said


@pytest.mark.parametrize(
    ("name", "notation", "told"),
    [
        ("length", "number:#x##0", "not known: 'number:#x##0'"),
        ("length", "date:yyyy-MM-dd", "the file is damaged: column 'length' is not"),
        ("name", "number:0 %", "the file is damaged: column 'name' is not"),
    ],
)
def test_notations_of_a_model_are_checked_before_work(
    name, notation, told, folder, fail, tmp_path
):
    model = RFAE.load(folder / "m.lf")
    column = next(c for c in model.schema_.columns if c.name == name)
    object.__setattr__(column, "notation", notation)
    model.save(tmp_path / "m.lf")
    for words in (("encode", folder / "t.csv"), ("decode", folder / "z.csv")):
        line = fail(words[0], tmp_path / "m.lf", words[1], "-o", tmp_path / "o.csv")
        assert told in line
    assert not (tmp_path / "o.csv").exists()
