"""Commands that show something: inspect, plot, explore, memory, demo, help."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

import latentforest
from cli_cases import SMALL, mixed_csv_frame
from latentforest import RFAE
from latentforest.cli._forecast import forecast

COMMANDS = (
    *("fit", "encode", "decode", "reconstruct", "inspect", "plot", "explore"),
    *("memory", "demo"),
)
MAGIC = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}


def test_version(run):
    assert run("--version").lines == [f"latentforest {latentforest.__version__}"]


def test_help_names_every_command(run):
    text = run("--help").out.decode()
    assert all(re.search(rf"\b{name}\b", text) for name in COMMANDS)
    assert "--install-completion" in text
    assert run().out.decode() == text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example(command, run):
    text = run(command, "--help").out.decode()
    assert f"Example: latentforest {command}" in text


def test_the_module_can_be_run(folder):
    words = [sys.executable, "-m", "latentforest.cli", "inspect", folder / "none.lf"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("latentforest: error: ")
    assert done.stderr.count("\n") == 1


def test_inspect(folder, run):
    text = run("inspect", folder / "m.lf").out.decode()
    model = RFAE.load(folder / "m.lf")
    assert model.schema_.report() in text
    assert f"{model.eigenvalues_[1]:.4f}" in text
    assert "CompletelyRandomForest" in text
    assert "80 training rows inside" in text
    assert "no training rows inside" in run("inspect", folder / "small.lf").out.decode()


def test_inspect_as_json(folder, run):
    found = json.loads(run("inspect", folder / "m.lf", "--json").out)
    model = RFAE.load(folder / "m.lf")
    assert found["eigenvalues"] == model.eigenvalues_.tolist()
    assert found["schema"] == json.loads(json.dumps(model.schema_.to_dict()))
    assert (found["n_trees"], found["n_rows"], found["has_training"]) == (15, 80, True)
    assert found["file_bytes"] == (folder / "m.lf").stat().st_size


def test_inspect_tells_of_fewer_digits_and_of_no_eigenvalues(folder, run, tmp_path):
    """A refined model has no use for those of the forest's own map."""
    rng = np.random.default_rng(0)
    model = RFAE(2, refine=1, random_state=0).fit(rng.normal(size=(40, 3)))
    path = model.save(tmp_path / "refined.lf", compact=True)
    text = run("inspect", path).out.decode()
    assert "single precision" in text
    assert "eigenvalues" not in text
    found = json.loads(run("inspect", path, "--json").out)
    assert (found["eigenvalues"], found["compact"]) == (None, True)
    assert not json.loads(run("inspect", folder / "m.lf", "--json").out)["compact"]


@pytest.fixture(scope="module")
def auto(folder, tmp_path_factory):
    """Fit three coordinates and choose among settings."""
    from cli_cases import invoke

    out = tmp_path_factory.mktemp("auto") / "a.lf"
    words = ("fit", folder / "t.csv", "-o", out, "--auto", "--time-budget", "0")
    assert invoke(*words, "--drop", "id", "-k", "3", "--seed", "0").code == 0
    return out


@pytest.mark.parametrize(
    "what",
    [
        *("scatter", "pairs", "3d", "spectrum", "distortion", "curve"),
        *("reconstruction", "film", "trials"),
    ],
)
def test_every_picture(what, auto, folder, tmp_path, run):
    out = tmp_path / "p.png"
    done = run("plot", auto, folder / "t.csv", "-o", out, "--what", what)
    assert out.read_bytes().startswith(MAGIC["png"])
    assert f"{out}: {what} of " in done.err


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
@pytest.mark.parametrize("color", ["name", "id", None])
def test_picture_formats_and_colours(suffix, color, folder, tmp_path, run):
    out = tmp_path / f"p.{suffix}"
    words = ("plot", folder / "m.lf", folder / "t.csv", "-o", out, "--quiet")
    done = run(*words, *(("--color-by", color) if color else ()))
    assert out.read_bytes().startswith(MAGIC[suffix])
    assert (done.out, done.err) == (b"", "")


@pytest.mark.parametrize("what", ["scatter", "distortion", "curve", "film"])
def test_pictures_of_the_training_rows(what, folder, tmp_path, run):
    out = tmp_path / "p.png"
    run("plot", folder / "m.lf", "-o", out, "--what", what)
    assert out.read_bytes().startswith(MAGIC["png"])


def test_explore(folder, tmp_path, run):
    out = tmp_path / "p.html"
    run("explore", folder / "m.lf", "-o", out, "--title", "All of it")
    assert "All of it" in out.read_text()
    words = ("explore", folder / "m.lf", folder / "t.csv", "-o", out, "--sample", "20")
    done = run(*words, "--color-by", "id", "--columns", "length,name")
    assert "The rows are in the file" in done.err
    text = out.read_text()
    assert "length" in text
    assert [path.name for path in tmp_path.iterdir()] == ["p.html"]


def test_explore_pictures(tmp_path, run):
    frame = mixed_csv_frame(60)[["area", "few"]].assign(more=1.5, last=0.5)
    frame.to_csv(tmp_path / "t.csv", index=False)
    run("fit", tmp_path / "t.csv", "-o", tmp_path / "m.lf", *SMALL)
    out = tmp_path / "p.html"
    run("explore", tmp_path / "m.lf", "-o", out, "--image-shape", "2x2")
    assert out.stat().st_size > 1000


def test_memory_counts_the_choice_of_settings(run, fail):
    size = ("memory", "--columns", "8", "--jobs", "1", "--rows")

    def told(*words):
        return " ".join(run(*size, *words).out.decode().split())

    assert "without --auto" in told("9000")
    chosen = told("9000", "--auto")
    assert "200 trees" in chosen
    assert "settings chosen" in chosen
    for n_rows in ("9000", "90000"):  # trials know no more than 2,000 rows
        assert "of which 2 s choose settings" in told(n_rows, "--auto")
    refused = fail(*size, "9", "--auto", "--trees", "9", code=2)
    assert "--auto and --trees cannot be combined" in refused


def test_memory_of_a_table_and_of_numbers(folder, run):
    counted = run("memory", folder / "t.csv", "--trees", "100").out
    given = run("memory", "--rows", "80", "--columns", "8", "--trees", "100").out
    assert counted == given
    assert b"forecast" in given
    assert b"80 rows, 8 columns, 100 trees, 2 coordinates" in given


# Rows, columns, trees, coordinates, forest; processor seconds and megabytes at the
# peak, measured with RFAE.fit on tables of numbers and categories.
MEASURED = [
    (2_000, 10, 500, 2, "adversarial", 3.7, 372),
    (10_000, 10, 500, 2, "adversarial", 20.6, 724),
    (10_000, 20, 100, 2, "adversarial", 10.8, 407),
    (40_000, 20, 100, 2, "adversarial", 47.8, 735),
    (5_000, 20, 100, 2, "completely_random", 1.2, 337),
    (5_000, 20, 100, 20, "completely_random", 2.6, 354),
    (20_000, 20, 100, 2, "completely_random", 2.7, 398),
    (5_000, 20, 100, 2, "shi_horvath", 1.2, 329),
    (5_000, 20, 100, 2, "supervised", 1.0, 326),
]


@pytest.mark.parametrize("case", MEASURED)
def test_forecast_is_near_what_was_measured(case):
    *size, forest, seconds, megabytes = case
    cost = forecast(*size, forest, n_jobs=1, refined=False)
    assert 0.45 < cost.fit_seconds / seconds < 2.2
    assert 0.5 < cost.fit_bytes / (megabytes * 2**20) < 2


def test_more_of_anything_costs_more():
    base = forecast(1000, 10, 100, 2, "completely_random", refined=True)
    for more in ((2000, 10, 100, 2), (1000, 20, 100, 2), (1000, 10, 200, 2)):
        cost = forecast(*more, "completely_random", refined=True)
        assert cost.fit_bytes > base.fit_bytes
        assert cost.fit_seconds > base.fit_seconds


def test_completion_knows_the_commands():
    done = subprocess.run(
        [sys.executable, "-m", "latentforest.cli"],
        env={
            **__import__("os").environ,
            "_LATENTFOREST_COMPLETE": "complete_bash",
            "COMP_WORDS": "latentforest en",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["encode"]


def test_a_forest_of_someone_else_can_be_fitted_and_forecast(
    tmp_path, frame, run, fail, monkeypatch
):
    from latentforest import CompletelyRandomForest
    from latentforest.forest import _resolve

    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("--forest", "another", "--trees", "5")
    size = ("--rows", "1000", "--columns", "5")
    fit = ("fit", tmp_path / "t.csv", "-o", tmp_path / "m.lf", *words)
    for command in (fit, ("memory", *size, *words)):
        assert "shi_horvath" in fail(*command, code=2)
    monkeypatch.setitem(_resolve.FORESTS, "another", CompletelyRandomForest)
    run(*fit)
    told = run("memory", *size, *words)
    # Without figures of its own it counts as the dearest.
    assert "another forest" in told.lines[0]
    words = ("--forest", "adversarial", "--trees", "5")
    dearest = run("memory", *size, *words).lines[1:]
    assert told.lines[1:] == dearest
