"""The demo does the main job end to end, and its pictures show all rows."""

import re

import numpy as np
import pandas as pd
import pytest

from latentforest import plot
from latentforest._base._errors import MissingExtraError
from latentforest._base._optional import require

pyplot = pytest.importorskip("matplotlib.pyplot", reason="needs the extra 'plot'")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def test_demo_prints_the_distortion_and_draws(tmp_path, capsys):
    pytest.importorskip("palmerpenguins", reason="needs the extra 'demo'")
    from latentforest.demo import load_penguins, main

    path = tmp_path / "penguins.png"
    assert main([str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    printed = capsys.readouterr().out
    assert str(path) in printed
    table = re.search(r"^column +kind +distortion\n(.+)\Z", printed, re.M | re.S)[1]
    found = dict(re.findall(r"^(\w+) .* (\d\.\d{4})$", table, re.M))
    assert list(found) == [*load_penguins().columns, "mean"]
    assert float(found["species"]) < 0.1
    assert float(found["mean"]) < 0.6


def test_scatter_draws_every_level_in_its_own_colour():
    by = pd.Series(["b", "a", "b", None, pd.NA, "c"], dtype=object)
    ax = plot.scatter(range(6), range(6), by)
    drawn = {
        dots.get_label(): sorted(dots.get_offsets()[:, 0].tolist())
        for dots in ax.collections
    }
    assert list(drawn) == ["a", "b", "c", "missing"]
    assert drawn == {"a": [1], "b": [0, 2], "c": [5], "missing": [3, 4]}
    colours = {tuple(dots.get_facecolor()[0]) for dots in ax.collections}
    assert len(colours) == 4


def test_scatter_sorts_numbers_as_numbers():
    ax = plot.scatter(range(4), range(4), np.array([10, 9, 2, 10]))
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["2", "9", "10"]


def test_scatter_without_levels_and_on_given_axes():
    _, ax = pyplot.subplots()
    assert plot.scatter([0, 1], [2, 3], ax=ax) is ax
    assert len(ax.collections) == 1
    assert ax.get_legend() is None


def test_missing_extra_is_named():
    with pytest.raises(MissingExtraError, match=r"pip install 'latentforest\[plot\]'"):
        require("no_such_package_anywhere.pyplot", extra="plot")
