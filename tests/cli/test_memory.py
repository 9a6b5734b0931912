"""The command memory, and fits that the command line refuses for want of memory."""

import pytest

from latentforest import RFAE, _planned


@pytest.fixture(name="free")
def _free(monkeypatch):
    return lambda n: monkeypatch.setattr(_planned, "free_memory", lambda: n)


def test_memory_of_a_table_and_of_numbers(folder, run):
    counted = run("memory", folder / "t.csv", "--trees", "100").out
    # The id has as many levels as rows; few numbers are levels in order.
    levels = [word for n in (80, 4, 2, 3, 3) for word in ("--levels", n)]
    size = ("--rows", "80", "--columns", "8")
    assert counted == run("memory", *size, *levels, "--trees", "100").out
    assert b"80 rows, 8 columns, 92 levels, 100 trees, 2 coordinates" in counted
    stdin = (folder / "t.csv").read_bytes()
    assert counted == run("memory", "-", "--trees", "100", stdin=stdin).out


def test_memory_of_folders_and_patterns(tmp_path, frame, run):
    for part in (1, 2):
        frame.to_csv(tmp_path / f"{part}.csv", index=False)
    told = run("memory", tmp_path).out
    assert told.startswith(b"160 rows, read in pieces, 8 columns")
    assert run("memory", tmp_path / "*.csv").out == told


@pytest.mark.parametrize(
    ("words", "model"),
    [
        ((), RFAE()),
        (("--auto",), RFAE.auto()),
        (("--paper",), RFAE.paper()),
        (("--refine", "none"), RFAE(refine=None)),
        (("--max-samples", "500"), RFAE(max_samples=500)),
        (("--max-samples", "none", "-k", "5"), RFAE(5, max_samples=None)),
        (("--forest", "supervised"), RFAE(forest="supervised")),
    ],
)
def test_options_mean_what_they_mean_in_python(words, model, run):
    told = run("memory", "--rows", "200000", "--columns", "7", *words).out.decode()
    assert told == f"{model.estimate(rows=200_000, columns=7)}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Give a table, or --rows"),
        (("t.csv", "--rows", "5"), "cannot be combined"),
        (("--rows", "5", "--columns", "1", *["--levels", "2"] * 2), "Raise it"),
        (("--rows", "5", "--columns", "1", "--max-samples", "x"), "or none"),
        (("--rows", "5", "--columns", "1", "--auto", "--paper"), "cannot be combined"),
    ],
)
def test_what_cannot_be_told_is_refused(words, said, fail):
    assert said in fail("memory", *words, code=2)


def test_fit_keeps_as_many_rows_as_it_is_told(tmp_path, frame, run):
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("fit", tmp_path / "t.csv", "-o", tmp_path / "m.lf", "--seed", "1")
    run(*words, "--max-samples", "50")
    model = RFAE.load(tmp_path / "m.lf")
    assert len(model.rows_) == 50
    assert model.n_samples_seen_ == 80
    run(*words, "--max-samples", "none", "--force")
    assert len(RFAE.load(tmp_path / "m.lf").rows_) == 80


def test_fit_without_room_is_refused_before_the_table_is_read(
    tmp_path, frame, run, fail, free, monkeypatch
):
    from latentforest.cli import _fit

    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("fit", tmp_path / "t.csv", "-o", tmp_path / "m.lf", "--trees", "9000")
    free(2e6)
    with monkeypatch.context() as patched:
        patched.setattr(_fit, "read_training", None)
        said = fail(*words)
    assert "Fitting 80 rows of 8 columns needs about" in said
    n_trees = said.rpartition("--trees ")[2].rstrip(".")
    run(*words[:-1], n_trees)


def test_rows_on_standard_input_are_counted_when_they_are_read(
    tmp_path, frame, fail, free
):
    free(1e6)
    words = ("fit", "-", "-o", tmp_path / "m.lf", "--trees", "9000", "--quiet")
    text = frame.to_csv(index=False).encode()
    assert "Fitting 80 rows of 8 columns needs" in fail(*words, stdin=text)
