"""The graph of packed coordinates gives the very bits of ``transform``."""

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latentforest import RFAE, CompletelyRandomForest, Refinement
from latentforest.serving import _packed_graph, onnx_inputs, to_onnx
from mixed_tables import LAW, frames, mixed_frame, shuffled

pytestmark = pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")
PACKED = Refinement(start="packed")


def fit(table, n_components=2, **settings):
    forest = CompletelyRandomForest(3)
    model = RFAE(n_components, forest=forest, refine=PACKED, random_state=0, **settings)
    return model.fit(table)


def assert_same_bits(model, *tables):
    graph = to_onnx(model).SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    for table in tables:
        found = session.run(["coordinates"], onnx_inputs(model, table))[0]
        # Adding 0 makes −0 and 0 the same.
        assert (found + 0.0).tobytes() == (model.transform(table) + 0.0).tobytes()


@pytest.mark.parametrize("n_components", [1, 2, 5, 12])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_mixed_columns(n_components, missing):
    """With gaps and without, with several columns on a curve, one, and none."""
    table = mixed_frame(150, missing=missing, seed=1)
    model = fit(table, n_components, unseen="nearest")
    new = shuffled(mixed_frame(60, missing=0.3, seed=2))
    strange = new.astype({"name": object})
    strange.loc[strange.index[::5], "name"] = "nobody"
    assert_same_bits(model, table, new, strange)


@LAW
@given(frames(), st.integers(1, 3), st.integers(0, 9_999))
def test_random_tables(frame, n_components, seed):
    model = fit(frame, min(n_components, len(frame) - 1), unseen="nearest")
    new = mixed_frame(20, columns=tuple(frame), missing=0.3, seed=seed)
    assert_same_bits(model, frame, new)


def test_of_equal_points_the_first_is_taken():
    """Levels are all equally far apart: every new row has many nearest points."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 5, (400, 4)).astype(str), columns=list("abcd"))
    new = pd.DataFrame(rng.integers(0, 5, (400, 4)).astype(str), columns=list("abcd"))
    assert_same_bits(fit(table, 1), table, new)


def test_numbers_far_away():
    table = pd.DataFrame({"a": [1.0, 2, 3, 5, 8], "b": [1.0, 0, 0, 1, 3], "c": 1.5})
    far = table.copy()
    far["a"], far["b"] = [1e9, -1e150, 1e308, -1e308, 0], [1e20, -1e308, 0, 1, 1e308]
    for n_components in (1, 2, 3):
        assert_same_bits(fit(table, n_components), table, far)


def test_no_rows_and_one_row():
    table = mixed_frame(50, seed=3)
    model = fit(table)
    graph = to_onnx(model).SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    feed, wanted = onnx_inputs(model, table), model.transform(table)
    for n_rows in (0, 1):
        some = {name: cells[:n_rows] for name, cells in feed.items()}
        found = session.run(None, some)[0]
        assert found.shape == (n_rows, 2)
        assert found.tobytes() == wanted[:n_rows].tobytes()


def test_graphs_that_are_too_large_are_refused(monkeypatch):
    monkeypatch.setattr(_packed_graph, "LARGEST", 1_000)
    with pytest.raises(ValueError, match=r"GB of points.*max_rows.*save\(\)"):
        to_onnx(fit(mixed_frame(50, seed=3)))
