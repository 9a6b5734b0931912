"""Dates and times enter a graph as doubles that its metadata explain."""

import datetime as dt
import json

import numpy as np
import onnxruntime
import pandas as pd
import pytest

from latentforest import RFAE, CompletelyRandomForest
from latentforest.serving import onnx_inputs, to_onnx

SECONDS = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}


def dated_frame(seed):
    rng = np.random.default_rng(seed)
    t = rng.random(80)
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta((365 * t).astype(int), "D")
    table = pd.DataFrame(
        {
            "day": day,
            "there": day.tz_localize("Europe/Berlin"),
            "hour": day.tz_localize("UTC").tz_convert("Asia/Tokyo")
            + pd.to_timedelta((24 * t).astype(int), "h"),
            "length": pd.to_timedelta((1_000 * t).astype(int), "min"),
            "clock": [dt.time(int(23 * x)) for x in t],
            "size": t,
        }
    )
    table.loc[::7, "day"] = pd.NaT
    return table


@pytest.fixture(scope="module")
def model():
    forest = CompletelyRandomForest(20, min_samples_leaf=3)
    return RFAE(2, forest=forest, random_state=0).fit(dated_frame(0))


def inputs_by_hand(graph, table):
    """Make doubles from what the metadata say, and from nothing else."""
    (entry,) = graph.metadata_props
    feed = {}
    for column in json.loads(entry.value):
        cells = table[column["column"]]
        if column["kind"] != "datetime":
            feed[column["input"]] = cells.to_numpy()[:, None]
            continue
        if column["origin"] == "0":
            texts = cells.astype(str)
            lengths = cells if cells.dtype.kind == "m" else pd.to_timedelta(texts)
            seconds = lengths.dt.total_seconds()
        else:
            if getattr(cells.dtype, "tz", None):
                cells = cells.dt.tz_convert(column["clock"]).dt.tz_localize(None)
            seconds = (cells - pd.Timestamp(column["origin"])).dt.total_seconds()
        feed[column["input"]] = (seconds / SECONDS[column["unit"]]).to_numpy()[:, None]
    return feed


def test_coordinates_are_those_of_transform(model):
    graph = to_onnx(model)
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for table in (dated_frame(0), dated_frame(1)):
        wanted = model.transform(table)
        feed = onnx_inputs(model, table)
        by_hand = inputs_by_hand(graph, table)
        assert feed.keys() == by_hand.keys()
        for name, cells in feed.items():
            assert cells.dtype == np.float64
            np.testing.assert_allclose(by_hand[name], cells, atol=1e-9)
        (found,) = session.run(None, feed)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_metadata_say_what_is_counted(model):
    (entry,) = to_onnx(model).metadata_props
    found = {c["column"]: c for c in json.loads(entry.value)}
    first = dated_frame(0)["day"].min()
    assert found["day"]["unit"] == "days"
    assert pd.Timestamp(found["day"]["origin"]) == first
    assert found["day"]["clock"] == "UTC"
    assert found["there"]["clock"] == "Europe/Berlin"
    assert (found["length"]["unit"], found["length"]["origin"]) == ("minutes", "0")
    assert found["day"]["type"] == "double"
    assert "unit" not in found["size"]
