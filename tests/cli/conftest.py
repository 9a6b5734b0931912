"""A small table and a model of it, made by the command line itself."""

import pytest

pytest.importorskip("typer", reason="needs the extra 'cli'")
pytest.importorskip("pyarrow", reason="needs the extra 'cli'")

from cli_cases import SMALL, invoke, mixed_csv_frame


@pytest.fixture(name="run")
def _run():
    """Run a command that must succeed."""

    def run(*argv, stdin=b""):
        result = invoke(*argv, stdin=stdin)
        assert result.code == 0, result.err
        return result

    return run


@pytest.fixture(name="fail")
def _fail():
    """Run a command that must fail, with one line on standard error."""

    def fail(*argv, stdin=b"", code=1):
        result = invoke(*argv, stdin=stdin)
        assert result.code == code, result.err
        assert "Traceback" not in result.err
        lines = result.err.strip().splitlines()
        assert len(lines) == 1, result.err
        assert lines[0].startswith("latentforest: error: ")
        return lines[0]

    return fail


@pytest.fixture(scope="session")
def frame():
    """Eighty rows of the columns that a text table can hold."""
    return mixed_csv_frame(80)


@pytest.fixture(scope="session")
def folder(tmp_path_factory, frame):
    """A folder with a table, models of it, and coordinates; nobody may change it."""
    place = tmp_path_factory.mktemp("cli")
    frame.to_csv(place / "t.csv", index=False)
    for name, more in (
        ("m.lf", ()),
        ("small.lf", ("--drop-training",)),
        ("strict.lf", ("--unseen", "error")),
    ):
        words = ["fit", place / "t.csv", "-o", place / name, *SMALL, "--drop", "id"]
        assert invoke(*words, *more).code == 0
    done = invoke("encode", place / "m.lf", place / "t.csv", "-o", place / "z.csv")
    assert done.code == 0
    return place
