"""What the graph is made of, what it is called, and what is refused."""

import json
from copy import deepcopy
from dataclasses import replace

import numpy as np
import onnx
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from latentforest import RFAE, CompletelyRandomForest, EForest, SchemaError
from latentforest._base import _optional
from latentforest._base._errors import MissingExtraError
from latentforest.serving import _limits, onnx_inputs, to_onnx
from latentforest.serving._ports import ports_of
from latentforest.serving._questions import ask
from latentforest.table import TableCodec

# Small forests may fall apart into pieces; that is not asked here.
pytestmark = pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")

DOUBLE, STRING = onnx.TensorProto.DOUBLE, onnx.TensorProto.STRING


def named(graph):
    """Name, element type and shape of every input."""
    for value in graph.input:
        kind = value.type.tensor_type
        yield (
            value.name,
            (
                kind.elem_type,
                [d.dim_param or d.dim_value for d in kind.shape.dim],
            ),
        )


def fit(table):
    forest = CompletelyRandomForest(5, min_samples_leaf=2)
    return RFAE(1, forest=forest, random_state=0).fit(table)


def test_the_graph_is_valid(models, holed_model):
    for model in (*models.values(), holed_model):
        onnx.checker.check_model(to_onnx(model), full_check=True)


def test_inputs_are_the_columns_and_the_output_has_a_shape(model, table):
    graph = to_onnx(model).graph
    inputs = dict(named(graph))
    assert list(inputs) == list(table)
    text = {name for name, (kind, _) in inputs.items() if kind == STRING}
    assert text == {"name", "grade", "group"}
    assert {kind for kind, _ in inputs.values()} == {DOUBLE, STRING}
    assert all(shape == ["n_rows", 1] for _, shape in inputs.values())
    (output,) = graph.output
    shape = output.type.tensor_type.shape.dim
    assert (output.name, shape[0].dim_param, shape[1].dim_value) == (
        "coordinates",
        "n_rows",
        2,
    )


def test_the_type_of_an_input_does_not_depend_on_counts_or_gaps():
    """Five integers are a category, six are numbers; the input stays the same."""
    for n_distinct in (5, 6):
        table = pd.DataFrame({"n": np.arange(30) % n_distinct, "b": [True, False] * 15})
        holed = table.astype({"n": "Int64", "b": "boolean"})
        holed.loc[3] = pd.NA
        for one in (table, holed):
            schema = TableCodec().fit(one).schema_
            assert [port.is_text for port in ports_of(schema)] == [False, False]


def test_feeds_fit_the_inputs(model, table):
    feed = onnx_inputs(model, table)
    for name, (kind, _) in named(to_onnx(model).graph):
        cells = feed[name]
        assert cells.shape == (len(table), 1)
        assert cells.dtype == (np.float64 if kind == DOUBLE else object)
    assert feed["name"][:, 0].tolist() == table["name"].tolist()
    assert feed["few"][:, 0].tolist() == table["few"].tolist()


def test_metadata_describe_the_columns(model):
    proto = to_onnx(model)
    (entry,) = proto.metadata_props
    assert entry.key == "latentforest.columns"
    described = json.loads(entry.value)
    kinds = {column["input"]: column["kind"] for column in described}
    assert kinds == {spec.name: str(spec.kind) for spec in model.schema_.columns}
    assert described[5] == {
        "input": "name",
        "column": "name",
        "kind": "category",
        "type": "string",
        "missing": "",
    }
    assert proto.producer_name == "latentforest"
    assert proto.producer_version
    assert "missing" in proto.doc_string


def test_odd_column_names_become_distinct_inputs():
    names = ["coordinates", "a", 1, "1", ("a", 2), "", "latentforest/codes", "\udc80"]
    table = pd.DataFrame(np.arange(80.0).reshape(10, 8) % 7)
    table.columns = pd.Index(names, dtype=object, tupleize_cols=False)
    model = fit(table)
    proto = to_onnx(model)
    onnx.checker.check_model(proto, full_check=True)
    inputs = [name for name, _ in named(proto.graph)]
    assert inputs == list(onnx_inputs(model, table))
    assert inputs[:4] == ["coordinates_2", "a", "1", "1_2"]
    inside = {name for node in proto.graph.node for name in node.output}
    assert len(set(inputs)) == 8
    assert not inside & set(inputs)


def test_missing_text_is_no_level():
    table = pd.DataFrame({"t": ["", "?", None, "a"] * 5})
    model = fit(table)
    (port,) = ports_of(model.schema_)
    assert port.missing == "??"
    assert onnx_inputs(model, table)["t"][:4, 0].tolist() == ["", "?", "??", "a"]


def test_the_same_model_gives_the_same_graph(model):
    assert to_onnx(model).SerializeToString() == to_onnx(model).SerializeToString()


def test_model_and_table_stay_as_they_were(model, table):
    forest, before = model.kernel_.forest_, table.copy()
    arrays = [getattr(forest, name).copy() for name in ("threshold", "words", "left")]
    to_onnx(model)
    onnx_inputs(model, table)
    for name, kept in zip(("threshold", "words", "left"), arrays, strict=True):
        np.testing.assert_array_equal(getattr(forest, name), kept)
    pd.testing.assert_frame_equal(table, before)


def test_files_are_written_whole_or_not_at_all(model, tmp_path, monkeypatch):
    path = tmp_path / "model.onnx"
    proto = to_onnx(model, path)
    assert onnx.load(path) == proto
    before = path.read_bytes()

    def full_disk(*_):
        raise OSError("no space left")

    monkeypatch.setattr("pathlib.Path.replace", full_disk)
    with pytest.raises(OSError, match="no space left"):
        to_onnx(model, str(path))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_folders_are_looked_for_first(model, tmp_path, monkeypatch):
    monkeypatch.setattr("latentforest.serving._export.ask", pytest.fail)
    with pytest.raises(FileNotFoundError, match=r"m\.onnx: there is no folder"):
        to_onnx(model, tmp_path / "nowhere" / "m.onnx")


def test_the_size_is_known_before_the_graph_is_built(models, monkeypatch):
    for model in models.values():
        size = to_onnx(model).ByteSize()
        questions = ask(model.kernel_.forest_, model.schema_.n_levels)
        guess = _limits.graph_bytes(questions, model.encoder_.plain.leaf_table)
        assert guess * 0.5 < size < guess + 10_000  # names and labels come on top
        monkeypatch.setattr(_limits, "LARGEST", guess - 1)
        with pytest.raises(ValueError, match=r"GB .* more than the 2 GB .* save\(\)"):
            to_onnx(model)
        monkeypatch.undo()


def test_trees_that_would_crash_a_runtime_are_refused(model, monkeypatch):
    monkeypatch.setattr(_limits, "LONGEST", 3)
    with pytest.raises(ValueError, match=r"questions on the way .* at most 3 safely"):
        to_onnx(model)


def test_leaf_numbers_stay_exact(model, monkeypatch):
    monkeypatch.setattr(_limits, "LARGEST_NUMBER", 20)
    with pytest.raises(ValueError, match="Fit fewer trees"):
        to_onnx(model)


def test_refined_maps_are_refused(table):
    model = RFAE(1, forest=CompletelyRandomForest(10), refine=1, random_state=0)
    model.fit(table)
    with pytest.raises(ValueError, match=r"refined.*Scorer.*refine=None"):
        to_onnx(model)


def test_other_things_are_refused(table):
    with pytest.raises(TypeError, match="EForest, which has no latent"):
        to_onnx(EForest())
    with pytest.raises(NotFittedError):
        to_onnx(RFAE())
    with pytest.raises(NotFittedError):
        onnx_inputs(RFAE(), table)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (["a", 1], r"levels of several types \(int, str\)"),
        ([2**53 + 1, 2**53 + 2, 3], r"integers beyond 2\*\*53"),
        (["a", "\udc80"], "not valid Unicode"),
    ],
    ids=str,
)
def test_levels_that_no_input_can_hold_are_refused(levels, message):
    known = pd.Index(levels, dtype=object)
    column = pd.Categorical.from_codes(np.arange(30) % len(levels), known)
    model = fit(pd.DataFrame({"c": column}))
    with pytest.raises(
        SchemaError, match=rf"Column 'c' has .*{message}.*to plain text"
    ):
        to_onnx(model)


def test_tables_with_other_columns_are_refused(model, table):
    with pytest.raises(SchemaError, match="names should match"):
        onnx_inputs(model, table.rename(columns={"name": "nome"}))


def test_without_onnx_the_extra_is_named(model, monkeypatch):
    def absent(name):
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(_optional, "import_module", absent)
    with pytest.raises(MissingExtraError, match=r"latentforest\[onnx\]"):
        to_onnx(model)


def test_one_tree_changed_is_another_graph(model):
    """The comparison of graphs in these tests can fail."""
    other = deepcopy(model)
    forest = other.encoder_.forest
    forest = replace(forest, missing_left=~forest.missing_left)
    other.encoder_ = replace(other.encoder_, forest=forest)
    assert to_onnx(other) != to_onnx(model)
