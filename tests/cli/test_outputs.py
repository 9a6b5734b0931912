"""What commands write: as private as before, to streams too, and never both of two."""

import os
import signal
import stat
import subprocess
import sys
from threading import Thread

import pandas as pd
import pytest

from cli_cases import SMALL, invoke, mixed_csv_frame
from latentforest import RFAE
from latentforest.cli import _fit

LF = (sys.executable, "-m", "latentforest")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes and streams of Unix")


def test_every_output_keeps_a_private_file_private(folder, tmp_path, run):
    model, table = folder / "m.lf", folder / "t.csv"
    report = tmp_path / "r.json"
    commands = {
        "new.lf": ("fit", table, *SMALL, "--drop", "id", "--force"),
        "z.csv": ("encode", model, table),
        "z.parquet": ("encode", model, table),
        "b.csv": ("decode", model, folder / "z.csv"),
        "c.csv": ("reconstruct", model, table, "--report", report),
        "p.png": ("plot", model),
        "p.html": ("explore", model),
    }
    for name in [*commands, "r.json"]:
        (tmp_path / name).write_text("before")
        (tmp_path / name).chmod(0o600)
    for name, words in commands.items():
        run(*words, "-o", tmp_path / name)
    for name in [*commands, "r.json"]:
        path = tmp_path / name
        assert path.read_bytes() != b"before"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, name
    assert len(list(tmp_path.iterdir())) == len(commands) + 1


def test_of_two_fits_to_one_name_the_later_one_fails(
    folder, tmp_path, fail, monkeypatch
):
    """The other one has saved its model while this one was fitting."""
    out, whole = tmp_path / "same.lf", (folder / "m.lf").read_bytes()
    fit = _fit._fit_shown

    def slow(*args):
        fit(*args)
        out.write_bytes(whole)

    monkeypatch.setattr(_fit, "_fit_shown", slow)
    words = ("fit", folder / "t.csv", "-o", out, *SMALL, "--drop", "id", "--quiet")
    message = fail(*words)
    assert message.endswith(f"{out} exists already. Give another -o, or --force.")
    assert out.read_bytes() == whole
    assert list(tmp_path.iterdir()) == [out]
    assert invoke(*words, "--force").code == 0


def read_all(path, found):
    reader = Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    return reader


@pytest.mark.parametrize("name", ["z.csv", "z", "z.arrow"])
def test_a_fifo_is_written_through(name, folder, tmp_path, run):
    fifo, found = tmp_path / name, []
    os.mkfifo(fifo)
    reader = read_all(fifo, found)
    run("encode", folder / "m.lf", folder / "t.csv", "-o", fifo)
    reader.join(60)
    form = ["--format", "arrow"] if name.endswith("arrow") else []
    direct = run("encode", folder / "m.lf", folder / "t.csv", "-o", "-", *form)
    assert found == [direct.out]
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    assert list(tmp_path.iterdir()) == [fifo]


def test_a_model_goes_through_a_fifo_whole(folder, tmp_path, run):
    fifo, found = tmp_path / "m.lf", []
    os.mkfifo(fifo)
    reader = read_all(fifo, found)
    said = run("fit", folder / "t.csv", "-o", fifo, *SMALL, "--drop", "id").err
    reader.join(60)
    assert "m.lf: a stream, holds the model" in said
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    copy = tmp_path / "copy.lf"
    copy.write_bytes(found[0])
    assert RFAE.load(copy).schema_ == RFAE.load(folder / "m.lf").schema_


def test_standard_output_by_name(folder, tmp_path):
    words = [*LF, "encode", folder / "m.lf", folder / "t.csv", "-o", "/dev/stdout"]
    expected = (folder / "z.csv").read_bytes()
    done = subprocess.run(words, capture_output=True, check=True)
    assert done.stdout == expected
    log = tmp_path / "log"
    log.write_bytes(b"before\n")
    with log.open("ab") as stream:
        subprocess.run(words, stdout=stream, stderr=subprocess.PIPE, check=True)
    assert log.read_bytes() == b"before\n" + expected


def send(number, folder, tmp_path, *before):
    """Stop an encoding in the middle; return the process, and what it said."""
    out = tmp_path / "z.csv"
    out.write_text("before\n")
    words = [*before, *LF, "encode", folder / "m.lf", "-", "-o", out]
    with subprocess.Popen(
        [*words, "--block-rows", "1000"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdin.write(mixed_csv_frame(30_000).to_csv(index=False))
        process.stdin.flush()
        while len(list(tmp_path.iterdir())) < 2:
            assert process.poll() is None, process.stderr.read()
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert list(tmp_path.iterdir()) == [out]
    return process.returncode, said, out


def test_a_terminal_that_closes_leaves_nothing_behind(folder, tmp_path):
    code, said, out = send(signal.SIGHUP, folder, tmp_path)
    assert (code, said) == (129, "latentforest: stopped\n")
    assert out.read_text() == "before\n"


def test_nohup_is_respected(folder, tmp_path):
    code, _, out = send(signal.SIGHUP, folder, tmp_path, "nohup")
    assert code == 0
    assert len(pd.read_csv(out)) == 30_000


@pytest.mark.parametrize(
    "words",
    [
        ("encode", "m.lf", "t.csv"),
        ("decode", "m.lf", "z.csv"),
        ("reconstruct", "m.lf", "t.csv"),
        ("similar", "m.lf", "t.csv", "-n", "1"),
        ("odd", "m.lf", "t.csv"),
    ],
)
def test_standard_output_is_called_so(words, folder, run, monkeypatch):
    monkeypatch.chdir(folder)
    assert "rows written to standard output\n" in run(*words, "-o", "-").err


def test_a_single_column_is_one(tmp_path, run):
    (tmp_path / "t.csv").write_text("x\n" + "\n".join(map(str, range(40))))
    model = tmp_path / "m.lf"
    said = run("fit", tmp_path / "t.csv", "-o", model, *SMALL, "-k", "1").err
    assert "40 rows, 1 column read" in said
    told = run("memory", "--rows", "9", "--columns", "1", "-k", "1").out.decode()
    assert "9 rows, 1 column," in told
    assert "1 columns" not in said + told
    assert "1 column, 1 coordinate" in str(RFAE.load(model).describe())


def test_the_default_forest_can_be_named(folder, tmp_path, run):
    """As in Python; with --target it is the one that learns."""
    more = ("--drop", "id", "--seed", "0")
    for number, rest in enumerate([("--target", "few"), ("--trees", "9"), ()]):
        files = [tmp_path / f"{number}{name}.lf" for name in "ab"]
        run("fit", folder / "t.csv", "-o", files[0], *more, *rest)
        run("fit", folder / "t.csv", "-o", files[1], *more, *rest, "--forest", "auto")
        assert files[0].read_bytes() == files[1].read_bytes()
