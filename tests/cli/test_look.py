"""Commands that show something: inspect, plot, explore, memory, demo, help."""

import json
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot

import latentforest
from cli_cases import SMALL, mixed_csv_frame
from latentforest import RFAE
from latentforest._fitted import PACKED
from latentforest.cli import _look

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
    words = [sys.executable, "-m", "latentforest", "inspect", folder / "none.lf"]
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


def test_who_looks_at_a_packed_map_is_told_what_it_is(folder, tmp_path, run):
    table, page = folder / "t.csv", tmp_path / "p.html"
    for how, packed in (("--auto", True), ("--refine", False)):
        path = tmp_path / f"{how}.lf"
        more = ("--time-budget", "0") if packed else ("1", "--trees", "5")
        words = ("fit", table, "-o", path, how, *more, "-k", "2", "--seed", "0")
        done = [run(*words)]
        assert RFAE.load(path).is_packed_ == packed
        done.append(run("inspect", path))
        for what in ("scatter", "pairs"):
            out = tmp_path / "p.png"
            done.append(run("plot", path, "-o", out, "--what", what))
        done.append(run("explore", path, "-o", page))
        for one in done:
            said = f"{one.out.decode()}\n{one.err}".splitlines()
            assert said.count(PACKED) == packed
        assert PACKED not in run("plot", path, "-o", out, "--what", "distortion").err
        assert PACKED not in run("explore", path, "-o", page, "--quiet").err
        assert (PACKED in page.read_text(encoding="utf-8")) == packed
        assert json.loads(run("inspect", path, "--json").out)["packed"] == packed
    RFAE.load(tmp_path / "--auto.lf").save(path, drop_training=True)
    assert PACKED in run("inspect", path).lines


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


def test_completion_knows_the_commands():
    done = subprocess.run(
        [sys.executable, "-m", "latentforest"],
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
    from latentforest import AdversarialForest
    from latentforest.forest import _resolve

    class Another(AdversarialForest):
        """One that nobody has measured."""

    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("--forest", "another", "--trees", "5")
    size = ("--rows", "1000", "--columns", "5")
    fit = ("fit", tmp_path / "t.csv", "-o", tmp_path / "m.lf", *words)
    for command in (fit, ("memory", *size, *words)):
        assert "shi_horvath" in fail(*command, code=2)
    monkeypatch.setitem(_resolve.FORESTS, "another", Another)
    run(*fit)
    told = run("memory", *size, *words)
    # Without figures of its own it counts as the dearest.
    assert "another forest" in told.lines[0]
    words = ("--forest", "adversarial", "--trees", "5")
    dearest = run("memory", *size, *words).lines[1:]
    assert told.lines[1:] == dearest


def test_long_and_hostile_cells_stay_off_the_screen(tmp_path, run):
    table, model = tmp_path / "t.csv", tmp_path / "m.lf"
    words = ["\x1b[31mred", "blue\x07", "x" * 6000, "un\x9bknown"]
    rows = [f"{words[i % 3]},{i}.5,{words[3]}" for i in range(30)]
    table.write_text("\n".join(["w\x1b[2J,n,m", *rows, ""]), encoding="utf-8")
    said = run("fit", table, "-o", model, *SMALL).err
    told = run("inspect", model).out.decode()
    alike = run("similar", model, table, "-n", "2").out.decode()
    odd = run("odd", model, table, "--top", "3", "--keep", "m").out.decode()
    for text in (said, told, alike, odd):
        assert "\x1b" not in text
        assert "\x07" not in text
        assert "\x9b" not in text
        assert len(text.splitlines()) < 60
        assert max(map(len, text.splitlines())) < 150
    for text in (said, told, alike):
        assert r"\x1b[31mred" in text
    assert RFAE.load(model).describe()
    assert "\x1b" not in str(RFAE.load(model).describe())


def test_two_pictures_of_the_same_rows_show_the_same_numbers(folder):
    model = RFAE.load(folder / "m.lf")
    few = mixed_csv_frame(80, seed=1).drop(columns="id")[:6]
    view = SimpleNamespace(model=model, rows=lambda: few)
    bars, panels = (
        _look.PLOTS[what](view) for what in ("distortion", "reconstruction")
    )
    names = [text.get_text() for text in bars.get_yticklabels()]
    one = {
        n: f"{bar.get_width():.2f}" for n, bar in zip(names, bars.patches, strict=True)
    }
    other = {ax.get_title(loc="left"): ax.get_title(loc="right") for ax in panels}
    report = model.distortion(few)
    assert one == other == {str(c.name): f"{c.distortion:.2f}" for c in report.columns}
    pyplot.close("all")
