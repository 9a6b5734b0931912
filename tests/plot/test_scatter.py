"""Scatter shows every row once, in a colour that the key explains."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex

from latentforest import plot
from latentforest.plot._colours import MISSING, OTHER, short, short_names
from latentforest.plot._points import colour_limits


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def drawn(ax):
    """Level name to the points that carry it."""
    return {
        dots.get_label(): sorted(dots.get_offsets()[:, 0].tolist())
        for dots in ax.collections
    }


BY = {
    "list": lambda cells: cells,
    "objects": lambda cells: np.array(cells, dtype=object),
    "pandas": pd.Series,
    "categorical": lambda cells: pd.Series(pd.Categorical(cells)),
    "polars": pl.Series,
    "pyarrow": lambda cells: pa.chunked_array([cells]),
    "arrow array": pa.array,
}


@pytest.mark.parametrize("library", BY)
def test_levels_of_any_library(library):
    by = BY[library](["b", "a", "b", None, "c"])
    ax = plot.scatter(range(5), range(5), by)
    assert drawn(ax) == {"a": [1], "b": [0, 2], "c": [4], "missing": [3]}
    assert legend_texts(ax) == ["a", "b", "c", "missing"]


NUMBERS = {
    "list": list,
    "floats": np.asarray,
    "pandas": pd.Series,
    "nullable": lambda cells: pd.Series(cells, dtype="Float64"),
    "polars": pl.Series,
    "pyarrow": lambda cells: pa.chunked_array([pa.array(cells, from_pandas=True)]),
}


@pytest.mark.parametrize("library", NUMBERS)
def test_numbers_get_a_scale_and_missing_ones_are_grey(library):
    cells = [*np.linspace(0.0, 5.0, 20).tolist(), np.nan, np.nan]
    ax = plot.scatter(range(22), range(22), NUMBERS[library](cells))
    grey, dots = ax.collections
    assert to_hex(grey.get_facecolor()[0]) == MISSING.lower()
    assert grey.get_offsets()[:, 0].tolist() == [20, 21]
    np.testing.assert_allclose(dots.get_array(), cells[:20])
    assert dots.get_clim() == (0.0, 5.0)
    (bar,) = [other for other in ax.figure.axes if other is not ax]
    assert "grey: missing" in bar.get_ylabel()
    assert ax.get_legend() is None


def test_level_order_is_the_declared_one():
    by = pd.Categorical(["low", "high", "mid"], ["low", "mid", "high"], ordered=True)
    ax = plot.scatter(range(3), range(3), pd.Series(by, name="grade"))
    assert legend_texts(ax) == ["low", "mid", "high"]
    assert ax.get_legend().get_title().get_text() == "grade"


def test_booleans_and_few_numbers_are_levels():
    ax = plot.scatter(range(4), range(4), [True, False, True, True])
    assert legend_texts(ax) == ["False", "True"]
    ax = plot.scatter(range(4), range(4), [2.5, 1.0, np.nan, 2.5])
    assert legend_texts(ax) == ["1", "2.5", "missing"]
    eight, nine = np.arange(40) % 8, np.arange(40) % 9
    assert len(plot.scatter(eight, eight, eight).collections) == 8
    assert len(plot.scatter(nine, nine, nine).collections) == 1


def test_of_many_levels_the_most_frequent_keep_their_names():
    names = [f"level {k:02}" for k in range(20)]
    by = np.repeat(names, np.arange(1, 21))
    ax = plot.scatter(range(len(by)), range(len(by)), by)
    shown = legend_texts(ax)
    assert shown == [*names[13:], "other (13 levels)"]
    points = drawn(ax)
    assert sum(map(len, points.values())) == len(by)
    assert len(points["other (13 levels)"]) == np.arange(1, 14).sum()
    colours = [to_hex(dots.get_facecolor()[0]) for dots in ax.collections]
    assert len(set(colours)) == 8
    assert colours[-1] == OTHER.lower()


def test_palette_colours_are_distinct():
    assert len(set(plot.PALETTE) | {MISSING, OTHER}) == 10


def test_names_are_short_plain_and_distinct():
    long = [f"a very long name of a place, number {k} of the list" for k in (1, 10, 3)]
    shown = short_names([*long, "here"])
    assert len(set(shown)) == 4
    assert max(map(len, shown)) <= 24
    assert shown[3] == "here"
    assert short("cost in $ and $") == r"cost in \$ and \$"
    assert short("two\nlines") == "two lines"
    ax = plot.scatter(range(3), range(3), ["$a$", "_b", "x^2 $"])
    ax.figure.canvas.draw()
    assert len(legend_texts(ax)) == 3


@pytest.mark.parametrize("free", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_legend_goes_to_the_free_corner(free):
    line = np.linspace(0, 1, 60)
    x, y = (axis.ravel() for axis in np.meshgrid(line, line))
    there = (np.abs(x - free[0]) < 0.45) & (np.abs(y - free[1]) < 0.45)
    x, y = 100 + 50 * x[~there], 7 * y[~there] - 30
    ax = plot.scatter(x, y, np.where(x > 125, "right", "left"))
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    assert box.count_contains(ax.transData.transform(np.column_stack([x, y]))) == 0
    middle = ax.transAxes.inverted().transform(
        [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2]
    )
    assert np.abs(middle - free).max() < 0.45


def test_legend_is_beside_the_axes_where_all_corners_are_taken():
    x, y = np.random.default_rng(0).random((2, 3_000))
    ax = plot.scatter(x, y, np.where(x > 0.5, "right", "left"))
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    assert box.x0 >= ax.bbox.x1
    assert box.x1 <= ax.figure.bbox.x1
    _, ax = pyplot.subplots()  # no layout engine makes room
    plot.scatter(x, y, np.where(x > 0.5, "right", "left"), ax=ax)
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x1 <= ax.bbox.x1


def test_outliers_do_not_take_all_colours():
    numbers = np.concatenate([np.linspace(0, 1, 200), [1e6]])
    lowest, highest, extend = colour_limits(numbers)
    assert highest < 1.1
    assert extend == "both"
    assert lowest == pytest.approx(0.02, abs=0.01)
    assert colour_limits(numbers[:-1]) == (0.0, 1.0, "neither")
    assert colour_limits(np.array([np.nan])) == (0.0, 1.0, "neither")
    assert colour_limits(np.array([3.0, 3.0])) == (3.0, 3.0, "neither")


def test_many_points_get_less_ink():
    few, many = (
        plot.scatter(*np.zeros((2, n_rows))).collections[0] for n_rows in (50, 20_000)
    )
    assert many.get_sizes()[0] < few.get_sizes()[0] / 3
    assert many.get_alpha() < few.get_alpha()
    assert many.get_rasterized()
    assert not few.get_rasterized()


def test_style_has_the_last_word():
    ax = plot.scatter([0, 1], [0, 1], ["a", "b"], s=7, alpha=0.5, color="red")
    for dots in ax.collections:
        assert dots.get_sizes() == 7
        assert to_hex(dots.get_facecolor()[0]) == "#ff0000"


def test_given_axes_are_used_and_nothing_else_is_opened(given_axes):
    before, current = pyplot.get_fignums(), pyplot.gca()
    ax = given_axes[1, 2]
    assert plot.scatter(range(3), range(3), ["a", "b", "a"], ax=ax) is ax
    assert plot.scatter(range(30), range(30), np.arange(30.0), ax=ax) is ax
    assert pyplot.get_fignums() == before
    assert len(ax.collections) == 3
    assert current.figure is pyplot.gcf()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0, 1, 2]), "x has 2 values and y has 3"),
        (([0, 1], [0, 1], ["a"]), "by has 1 values, but there are 2 rows"),
        ((["a", "b"], [0, 1]), "x holds text"),
        (([[0, 1]], [0, 1]), r"x has the shape \(1, 2\)"),
        (([0, 1], [0, 1], [["a"], ["b"]]), r"by has the shape \(2, 1\)"),
        ((pd.Series(["2020", "2021"]), [0, 1]), "x holds text"),
    ],
)
def test_wrong_input_is_refused_before_a_figure_is_made(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        plot.scatter(*arguments)
    assert pyplot.get_fignums() == []


def test_a_list_of_axes_is_refused(given_axes):
    with pytest.raises(TypeError, match="ax is a ndarray"):
        plot.scatter([0], [0], ax=given_axes)
