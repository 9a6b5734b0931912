"""Dates and times in pictures are written as dates and times."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot

from latentforest import RFAE, CompletelyRandomForest, plot
from latentforest.plot._times import length_text

N = 60


@pytest.fixture(scope="module")
def table():
    t = np.random.default_rng(0).random(N)
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta((300 * t).astype(int), "D")
    return pd.DataFrame(
        {
            "day": day,
            "there": pd.DatetimeIndex(day).tz_localize("Asia/Tokyo"),
            "clock": [dt.time(int(23 * x)) for x in t],
            "length": pd.to_timedelta((500 * t).astype(int), "min"),
            "size": t,
        }
    )


@pytest.fixture(scope="module")
def model(table):
    return RFAE(2, forest=CompletelyRandomForest(10), random_state=0).fit(table)


def texts(axis):
    axis.figure.canvas.draw()
    found = [label.get_text() for label in axis.get_ticklabels()]
    offset = axis.get_offset_text().get_text()
    return [text for text in [*found, offset] if text]


def bar_texts(ax):
    """Return what the colour scale beside the axes says."""
    (bar,) = [other for other in ax.figure.axes if other is not ax]
    return texts(bar.yaxis)


@pytest.mark.parametrize("by", ["day", "there"])
def test_dates_have_a_colour_scale_with_dates(model, table, by):
    for rows in (None, table, pl.from_pandas(table)):
        found = bar_texts(plot.latent(model, rows, by))
        assert any("2021" in text for text in found)
        assert {"Mar", "May", "Jul"} & set(found)


def test_lengths_and_times_of_day_are_written_as_such(model):
    assert {"06:00", "12:00", "18:00"} <= set(
        bar_texts(plot.latent(model, color_by="clock"))
    )
    assert "02:00" in bar_texts(plot.latent(model, color_by="length"))


def test_few_dates_are_levels_in_order():
    days = pd.Series(pd.to_datetime(["2021-12-01", "2021-02-01", None, "2021-02-01"]))
    legend = plot.scatter(range(4), range(4), days).get_legend()
    found = [text.get_text() for text in legend.get_texts()]
    assert found == ["2021-02-01", "2021-12-01", "missing"]


def test_the_same_instants_have_the_same_colours(model, table):
    moved = table.assign(there=table["there"].dt.tz_convert("America/Lima"))
    colours = []
    for rows in (None, table, moved):
        points = plot.latent(model, rows, "there").collections[0]
        colours.append(np.sort(points.get_array()))
        pyplot.close()
    np.testing.assert_allclose(colours[1], colours[0])
    np.testing.assert_allclose(colours[2], colours[0])


def test_dates_on_axes(table):
    ax = plot.scatter(table["day"], table["length"])
    assert any("2021" in text for text in texts(ax.xaxis))
    assert "02:00" in texts(ax.yaxis)


def test_reconstructed_dates_lie_over_dates(table):
    back = table.assign(there=table["there"].dt.tz_convert("America/Lima"))
    panels = plot.reconstruction(table, back)
    for panel, text in zip(panels[:4], ["2021", "2021", "12:00", "03:00"], strict=True):
        found = [*texts(panel.xaxis), *texts(panel.yaxis)]
        assert any(text in label for label in found)
        across, up = panel.collections[0].get_offsets().T
        np.testing.assert_allclose(across, up)


@pytest.mark.parametrize(
    ("days", "step", "text"),
    [
        (2, 86_400, "2 days"),
        (-1, 86_400, "-1 day"),
        (1.5, 3_600, "36:00"),
        (-0.25, 3_600, "-06:00"),
        (1 / 86_400, 1, "00:00:01"),
        (0.25 / 86_400, 0.05, "0.25 s"),
    ],
)
def test_lengths_as_text(days, step, text):
    assert length_text(days, step) == text
