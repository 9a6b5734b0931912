"""Dates and times in the page: the texts that Python writes, in a real browser."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from latentforest import KNNDecoder
from latentforest.explore import write_page
from latentforest.table import time_texts

TIMES = ("day", "there", "moment", "far", "fixed", "clock", "length", "tiny")
TIMES += ("month", "year")


def dated_frame(n_rows=60):
    rng = np.random.default_rng(0)
    t = rng.random(n_rows)
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta((365 * t).astype(int), "D")
    hour = day.tz_localize("UTC") + pd.to_timedelta((24 * t).astype(int), "h")
    table = pd.DataFrame(
        {
            "day": day,
            "there": day.tz_localize("Europe/Berlin"),
            "moment": hour.tz_convert("America/New_York"),
            "far": (pd.Timestamp("1800-01-01") + pd.to_timedelta(90_000 * t, "D")),
            "fixed": hour.tz_convert("+05:45") + pd.Timedelta("1ms"),
            "clock": [dt.time(int(23 * x), int(59 * x)) for x in t],
            "length": pd.to_timedelta((1e5 * (t - 0.5)).astype(int), "s"),
            "tiny": pd.Timestamp("2021") + pd.to_timedelta((1e6 * t).astype(int), "ns"),
            "month": day.to_period("M").to_timestamp(),
            "year": (1900 + 200 * t).astype(int).astype(str).astype("M8[s]"),
            "size": t,
        }
    )
    table["far"] = table["far"].dt.round("s")
    table.loc[rng.random(n_rows) < 0.1, ["day", "clock"]] = None
    return table


@pytest.fixture(scope="module")
def model(make_model):
    # All rows are neighbours: none that lie equally far away compete.
    return make_model(dated_frame(), decoder=KNNDecoder(60, prototypes="rows"))


def python_texts(model, table):
    codes = model.codec_.encode(table).values
    return {
        spec.name: time_texts(spec.ticks, codes[:, j], spec.storage)
        for j, spec in enumerate(model.schema_.columns)
        if spec.ticks is not None
    }


def test_decoded_dates_are_python_s(open_page, model):
    rng = np.random.default_rng(1)
    low, high = model.embedding_.min(axis=0), model.embedding_.max(axis=0)
    coords = rng.uniform(low, high, (60, 2))  # not at rows, where halves are rounded
    rows, sure = model.inverse_transform(coords, return_uncertainty=True)
    texts, std = python_texts(model, rows), sure.std
    for row, cells in enumerate(open_page(model).decode(coords)):
        for cell in cells:
            if cell["name"] not in TIMES:
                continue
            wanted = texts[cell["name"]][row]
            assert ("missing" if cell["value"] is None else cell["value"]) == wanted
            if cell["value"] is not None:
                seconds = std[cell["name"]].iloc[row].total_seconds()
                assert cell["std"] == pytest.approx(seconds, rel=1e-5, abs=2e-6)


def test_rows_and_legend_show_dates(open_page, model):
    table = dated_frame()
    texts = python_texts(model, table)
    page = open_page(model, color_by="there")
    ends = [span.text for span in page.elements("#legend > span:not(.ramp)")]
    assert ends == [min(texts["there"]), max(texts["there"])]
    gaps = np.linalg.norm(model.embedding_[:, None] - model.embedding_, axis=2)
    row = np.sort(gaps, axis=1)[:, 1].argmax()  # no other one lies near
    place = page.run(f"return latentforest.rowPlace({row})")
    page.click(place)
    page.wait("!document.getElementById('decoded-body').hidden")
    cells = page.elements("#cells .cell")
    for name, cell in zip(table, cells, strict=True):
        if name in TIMES:
            assert f"in the table {texts[name][row]}" in cell.text
    spread = page.text("#cells .cell:nth-child(2) .spread")
    assert spread.startswith(" ± ")
    assert spread.endswith((" days", " h"))


def test_means_of_a_selection_are_dates(open_page, model):
    page = open_page(model)
    page.tool("box")
    start, middle, _ = page.corners()
    page.drag([start, middle])
    page.wait("document.querySelectorAll('#selection-lines .line').length > 0")
    text = page.text("#selection-lines")
    assert "2021-" in text
    assert "NaN" not in text


def test_dates_are_no_pixels(model):
    with pytest.raises(ValueError, match="hold text or dates: 'day'"):
        write_page(model, image_shape=(1, 11))
