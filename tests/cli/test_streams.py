"""Blocks, pipes, signals: files of any length, and nothing half-written."""

import io
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.api.types import is_string_dtype

from cli_cases import invoke, mixed_csv_frame

LF = (sys.executable, "-m", "latentforest")


@settings(max_examples=10, deadline=None)
@given(n_block=st.integers(1, 90))
def test_blocks_change_nothing(folder, n_block):
    words = (folder / "m.lf", folder / "t.csv", "-o", "-")
    for command in ("encode", "reconstruct"):
        whole = invoke(command, *words, "--quiet")
        parts = invoke(command, *words, "--quiet", "--block-rows", n_block)
        assert parts.code == whole.code == 0
        assert parts.out == whole.out
    words = ("decode", folder / "m.lf", folder / "z.csv", "-o", "-", "--block-rows")
    assert invoke(*words, n_block).out == whole.out


@settings(max_examples=10, deadline=None)
@given(piece=st.integers(1, 3000))
def test_pieces_of_bytes_change_nothing(folder, piece):
    """Names hold commas, quotes and, here, line ends: rows must not be torn."""
    table = (folder / "t.csv").read_text().replace("ada, b", "ada,\nb")
    whole = _names(table, piece=2**22)
    assert _names(table, piece=piece) == whole
    assert "ada,\nb" in whole
    assert len(whole) == 80


def _names(text, piece):
    from latentforest.reading import Dialect, _csv_read

    before, _csv_read.PIECE = _csv_read.PIECE, piece
    try:
        rows = _csv_read.TextRows(io.BytesIO(text.encode()), "t", Dialect())
        tables = list(rows.tables(["name"]))
    finally:
        _csv_read.PIECE = before
    return pa.concat_tables(tables).column("name").to_pylist()


def exact_csv(source, **options):
    """Read floats to the last bit, as pandas 2 does not."""
    return pd.read_csv(source, dtype="str", **options).astype(float)


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "feather", "arrow"])
def test_standard_streams_in_every_format(kind, folder, tmp_path, run):
    table = tmp_path / f"t.{kind}"
    frame = mixed_csv_frame(80)
    if kind in ("csv", "tsv"):
        frame.to_csv(table, index=False, sep="," if kind == "csv" else "\t")
    elif kind == "parquet":
        frame.to_parquet(table)
    else:
        frame.to_feather(table)
    words = ("encode", folder / "m.lf", "-", "-o", "-", "--format", kind)
    done = run(*words, stdin=table.read_bytes())
    if kind in ("csv", "tsv"):
        found = exact_csv(io.BytesIO(done.out), sep="," if kind == "csv" else "\t")
    elif kind == "parquet":
        found = pq.read_table(io.BytesIO(done.out)).to_pandas()
    else:
        opened = pa.ipc.open_file if kind == "feather" else pa.ipc.open_stream
        found = opened(io.BytesIO(done.out)).read_all().to_pandas()
    expected = exact_csv(folder / "z.csv")
    assert np.allclose(found, expected, rtol=1e-15, atol=0)


def test_pipes_can_be_joined(folder, run):
    coords = run("encode", folder / "m.lf", folder / "t.csv", "-o", "-").out
    back = run("decode", folder / "m.lf", "-", "-o", "-", stdin=coords).out
    direct = run("reconstruct", folder / "m.lf", folder / "t.csv", "-o", "-").out
    assert back == direct


def test_quiet_is_quiet(folder, tmp_path, run):
    table, model = folder / "t.csv", folder / "m.lf"
    for words in (
        ("fit", table, "-o", tmp_path / "q.lf", "--trees", "5", "--seed", "0"),
        ("encode", model, table, "-o", tmp_path / "z.csv"),
        ("decode", model, folder / "z.csv", "-o", tmp_path / "b.csv"),
        ("reconstruct", model, table, "-o", tmp_path / "b.csv"),
    ):
        done = run(*words, "--quiet")
        assert (done.out, done.err) == (b"", "")


def test_a_closed_pipe_is_silent(folder, tmp_path):
    big = tmp_path / "big.csv"
    pd.concat([mixed_csv_frame(80)] * 100).to_csv(big, index=False)
    words = [*LF, "encode", folder / "m.lf", big, "-o", "-", "--block-rows", "50"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"z1,z2\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_signals_leave_nothing_behind(number, code, folder, tmp_path):
    """The target keeps what it had, and no other file stays."""
    out = tmp_path / "z.csv"
    out.write_text("before\n")
    words = [*LF, "encode", folder / "m.lf", "-", "-o", out, "--block-rows", "1000"]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write(mixed_csv_frame(30_000).to_csv(index=False))
        process.stdin.flush()
        _wait_for(lambda: len(list(tmp_path.iterdir())) == 2, process)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == code
    assert said == "latentforest: stopped\n"
    assert list(tmp_path.iterdir()) == [out]
    assert out.read_text() == "before\n"


def _wait_for(met, process):
    deadline = time.monotonic() + 60
    while not met():
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_an_error_in_the_middle_leaves_nothing_behind(folder, tmp_path, fail):
    table, place = tmp_path / "t.csv", tmp_path / "out"
    place.mkdir()
    frame = mixed_csv_frame(80)
    frame.loc[70, "name"] = "nobody"
    frame.to_csv(table, index=False)
    words = ("encode", folder / "strict.lf", table, "-o", place / "z.csv")
    assert "'nobody'" in fail(*words, "--block-rows", "10")
    assert list(place.iterdir()) == []


MEMORY = """
import resource, sys
from latentforest.cli import main
code = main(sys.argv[1:])
sys.stderr.write(f"{code} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts kilobytes")
def test_memory_does_not_grow_with_the_file(folder):
    """Ten times the rows: see benchmarks/stream_memory.py for gigabytes."""
    head, _, body = mixed_csv_frame(2_000).to_csv(index=False).partition("\n")
    words = [sys.executable, "-c", MEMORY, "encode", folder / "m.lf", "-", "-o", "-"]
    peaks = []
    for repeats in (30, 300):  # 3 MB and 30 MB
        with subprocess.Popen(
            [*words, "--quiet", "--block-rows", "5000"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            process.stdin.write(f"{head}\n")
            for _ in range(repeats):
                process.stdin.write(body)
            _, said = process.communicate(timeout=300)
        code, peak = map(int, said.split())
        assert code == 0
        peaks.append(peak / 1024)
    assert peaks[1] < peaks[0] + 12  # MB; the rows alone would be 27 MB as text


class Terminal(io.StringIO):
    """A standard error that someone looks at."""

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "quiet", "shown"),
    [(Terminal, False, True), (Terminal, True, False), (io.StringIO, False, False)],
)
def test_progress_is_for_terminals(stream, quiet, shown, monkeypatch):
    from latentforest._base import _progress
    from latentforest.cli._notes import Notes

    screen = stream()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    with Notes(quiet=quiet).progress("z.csv") as bar:
        bar.reach(1_000, 0.5)
        time.sleep(0.2)  # a bar is not drawn more often than ten times a second
        bar.reach(2_000, 1.0)
    said = screen.getvalue()
    assert ("z.csv" in said) == ("2000/2000" in said) == shown
    assert not said or said.endswith("\r")
    assert not said.rpartition("\r")[0].rpartition("\r")[2].strip()


def test_short_work_shows_no_progress(monkeypatch):
    from latentforest.cli._notes import Notes

    monkeypatch.setattr(sys, "stderr", Terminal())
    with Notes().progress("z.csv") as bar:
        bar.reach(1_000, 0.5)
    assert sys.stderr.getvalue() == ""


def test_a_bar_is_gone_after_a_stop(monkeypatch):
    from latentforest._base import _progress
    from latentforest.cli._notes import Notes

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    notes = Notes()

    def work():
        with notes.progress("z.csv") as bar:
            bar.reach(1_000, None)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    notes.say("stopped")
    lines = screen.getvalue().split("\r")
    assert "z.csv" in "".join(lines)
    assert [line.strip() for line in lines[-2:]] == ["", "stopped"]


def test_fit_shows_growing_trees_and_keeps_that_out_of_the_model(
    tmp_path, frame, monkeypatch
):
    from latentforest._base import _progress
    from latentforest.cli import _fit
    from latentforest.cli._notes import Notes
    from latentforest.reading import Dialect

    frame.to_csv(tmp_path / "t.csv", index=False)
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    asked = _fit.Settings(forest="completely_random", trees=15, seed=3)
    for stream, shown in ((Terminal, True), (io.StringIO, False)):
        monkeypatch.setattr(sys, "stderr", stream())
        path = str(tmp_path / f"{stream.__name__}.lf")
        options = {"drop_training": False, "force": False}
        _fit.fit(str(tmp_path / "t.csv"), path, asked, Dialect(), Notes(), **options)
        assert ("growing trees" in sys.stderr.getvalue()) == shown
    one, other = (tmp_path / f"{s}.lf" for s in ("Terminal", "StringIO"))
    assert one.read_bytes() == other.read_bytes()


def test_new_levels_are_told_once_for_each_column(folder, frame, tmp_path, run):
    text = [c for c in frame if is_string_dtype(frame[c]) and c != "id"][:2]
    strange = frame.assign(**dict.fromkeys(text, "never seen"))
    strange.to_csv(tmp_path / "t.csv", index=False)
    words = ["encode", folder / "m.lf", tmp_path / "t.csv", "-o", tmp_path / "z.csv"]
    done = run(*words, "--block-rows", "9")
    lines = [line for line in done.err.splitlines() if "not seen in fit" in line]
    assert len(lines) == len(text) > 0
