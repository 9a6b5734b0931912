"""Standard streams that are closed, and Ctrl-C at awkward moments."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from cli_cases import invoke

LF = (sys.executable, "-m", "latentforest")


@pytest.fixture
def close(monkeypatch):
    """Close a standard stream: Python then has None in its place."""
    return lambda name: monkeypatch.setattr(sys, name, None)


def run_with(name, capsys, close, *argv):
    """Run a command with one stream closed; return its exit code and what it says."""
    from latentforest.cli import main

    close(name)
    code = main([str(word) for word in argv])
    assert getattr(sys, name) is None
    return code, capsys.readouterr()


@pytest.mark.parametrize(
    "words",
    [
        ("encode", "m.lf", "t.csv", "-o", "-"),
        ("encode", "m.lf", "t.csv", "-o", "-", "--format", "parquet"),
        ("inspect", "m.lf"),
        ("memory", "--rows", "10", "--columns", "3"),
        ("--version",),
        ("--help",),
        ("encode", "--help"),
    ],
)
def test_what_needs_standard_output_says_that_it_is_closed(
    words, folder, monkeypatch, capsys, close
):
    monkeypatch.chdir(folder)
    code, said = run_with("stdout", capsys, close, *words)
    assert code == 1
    assert said.err.startswith("latentforest: error: standard output is closed.")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_what_needs_standard_input_says_that_it_is_closed(
    kind, folder, tmp_path, capsys, close
):
    words = ("encode", folder / "m.lf", "-", "-o", tmp_path / "z.csv", "--format", kind)
    code, said = run_with("stdin", capsys, close, *words)
    assert code == 1
    assert said.err.startswith("latentforest: error: standard input is closed.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["stdin", "stdout", "stderr"])
def test_others_do_without(name, folder, tmp_path, capsys, close):
    out = tmp_path / "z.csv"
    words = ("encode", folder / "m.lf", folder / "t.csv", "-o", out)
    code, _ = run_with(name, capsys, close, *words)
    assert code == 0
    assert out.read_bytes() == (folder / "z.csv").read_bytes()


@pytest.mark.parametrize(("word", "expected"), [("encode", 1), ("ecnode", 2)])
def test_exit_codes_do_without_standard_error(word, expected, folder, capsys, close):
    words = (word, folder / "m.lf", "none.csv", "-o", "z.csv")
    assert run_with("stderr", capsys, close, *words)[0] == expected


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_files_do_not_take_the_place_of_closed_streams(folder, tmp_path):
    """The first file that is opened would become standard input, and so on."""
    out = tmp_path / "z.csv"
    words = [*LF, "encode", folder / "m.lf", folder / "t.csv", "-o", out]
    shell = ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", *words]
    assert subprocess.run(shell, check=False, timeout=120).returncode == 0
    assert out.read_bytes() == (folder / "z.csv").read_bytes()


# --- Ctrl-C -----------------------------------------------------------------------

STOPPED_WHILE_LOADING = """
    import os, signal, sys

    class Finder:
        def find_spec(self, name, path=None, target=None):
            if name != "numba":
                return None
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt as exc:
                {then}

    sys.meta_path.insert(0, Finder())
    from latentforest.cli import main
    sys.exit(main(["memory", "--rows", "9", "--columns", "2"]))
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
@pytest.mark.parametrize(
    "then", ["raise", 'raise ImportError("initialization failed") from exc', "pass"]
)
def test_ctrl_c_while_packages_are_loaded(then):
    """Also where a package makes something else of it, or nothing."""
    script = textwrap.dedent(STOPPED_WHILE_LOADING).format(then=then)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (130, "latentforest: stopped\n")


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "csv.zst", "parquet", "feather"])
def test_ctrl_c_while_rows_are_written(suffix, folder, tmp_path, monkeypatch):
    """Writers that are collected later find nothing to complain about."""
    from latentforest.cli import _stream

    asked = []

    def coords(model, rows):
        asked.append(rows)
        if len(asked) == 4:
            raise KeyboardInterrupt
        return model.transform(rows), np.zeros(rows.num_rows, np.bool_)

    monkeypatch.setattr(_stream, "_coords", coords)
    words = (
        "encode",
        folder / "m.lf",
        folder / "t.csv",
        "-o",
        tmp_path / f"z.{suffix}",
    )
    done = invoke(*words, "--block-rows", "10")
    assert (done.code, done.err) == (130, "latentforest: stopped\n")
    assert list(tmp_path.iterdir()) == []
