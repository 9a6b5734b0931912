"""The graph gives what ``transform`` gives, on every kind of table and forest."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import onnxruntime
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from files.model_cases import model_of, rows_of
from latentforest import RFAE, CompletelyRandomForest
from latentforest.encoder import LeafTable
from latentforest.encoder._plain import PlainMap
from latentforest.serving import onnx_inputs, to_onnx
from mixed_tables import FORESTS, LAW, frames, mixed_frame, shuffled, target_of

# Small forests may fall apart into pieces; that is not asked here.
pytestmark = pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")

EXACT = 1e-12  # doubles all the way; asked for is 1e-5


def open_session(model):
    """Load the graph of a model as a service would."""
    onnxruntime.set_default_logger_severity(3)
    graph = to_onnx(model).SerializeToString()
    return onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])


def run(model, table):
    """Coordinates of a table by the graph."""
    return open_session(model).run(None, onnx_inputs(model, table))[0]


def assert_same(model, *tables):
    session = open_session(model)
    for table in tables:
        found = session.run(["coordinates"], onnx_inputs(model, table))[0]
        wanted = np.asarray(model.transform(table))
        assert found.dtype == np.float64
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=EXACT, atol=EXACT)


def with_strangers(frame):
    """Put text that no model has seen into some cells."""
    frame = frame.astype({"name": object, "group": object})
    frame.loc[frame.index[::5], "name"] = "nobody"
    frame.loc[frame.index[1::7], "group"] = "z"
    return frame


@pytest.fixture(scope="module")
def holed_models(holed_table):
    """Fit one model per forest on a table with missing cells."""
    return {
        name: RFAE(3, forest=forest, unseen="nearest", random_state=0).fit(
            holed_table, target_of(holed_table)
        )
        for name, forest in FORESTS.items()
    }


@pytest.mark.parametrize("forest", FORESTS)
def test_every_forest_with_missing_cells_and_unseen_levels(
    holed_models, holed_table, forest
):
    new = shuffled(mixed_frame(200, missing=0.3, seed=5))
    assert_same(holed_models[forest], holed_table, new, with_strangers(new))


@pytest.mark.parametrize("forest", FORESTS)
def test_cells_may_be_missing_that_never_were_in_fit(models, forest):
    model = deepcopy(models[forest])
    assert_same(model, mixed_frame(100, missing=0.5, seed=6))


@LAW
@given(frames(), st.sampled_from(list(FORESTS)), st.integers(0, 9_999))
def test_random_tables(frame, forest, seed):
    model = RFAE(1, forest=FORESTS[forest], unseen="nearest", random_state=seed)
    model.fit(frame, target_of(frame, seed=seed))
    new = mixed_frame(20, columns=tuple(frame), missing=0.3, seed=seed)
    assert_same(model, frame, new)


@pytest.mark.parametrize("n_rows", [0, 1, 2, 40, 3_000])
def test_batches_of_any_size(holed_models, n_rows):
    model = holed_models["adversarial"]
    table = mixed_frame(3_000, missing=0.1, seed=7)
    feed = onnx_inputs(model, table)
    some = {name: cells[:n_rows] for name, cells in feed.items()}
    found = open_session(model).run(None, some)[0]
    assert found.shape == (n_rows, 3)
    np.testing.assert_allclose(
        found, model.transform(table)[:n_rows], rtol=EXACT, atol=EXACT
    )


def test_tables_of_every_library(holed_models, holed_table):
    model = holed_models["shi horvath"]
    wanted = model.transform(holed_table)
    text = holed_table.astype({"grade": "str", "group": "str"})
    for table in (holed_table, pl.from_pandas(text), text.to_numpy(dtype=object)):
        np.testing.assert_allclose(run(model, table), wanted, rtol=EXACT, atol=EXACT)


def test_models_fitted_on_polars_and_arrays(rng):
    frame = mixed_frame(80, missing=0.1, seed=8)[["length", "count", "flag", "name"]]
    numbers = rng.normal(size=(80, 5)).astype(np.float32)
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    for table in (pl.from_pandas(frame), numbers, frame.to_numpy(dtype=object)):
        assert_same(fit(table), table)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def fit(table, n_components=2, **settings):
    settings = {"forest": CompletelyRandomForest(30)} | settings
    return RFAE(n_components, random_state=0, **settings).fit(table)


def test_values_at_and_beside_every_threshold(rng):
    """The side of a cell that equals a threshold, or is a neighbour of it."""
    model = fit(pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]))
    forest = model.kernel_.forest_
    cuts = np.unique(forest.threshold[forest.left >= 0])
    near = np.concatenate([np.nextafter(cuts, -np.inf), cuts, np.nextafter(cuts, 9e9)])
    assert_same(model, pd.DataFrame({"a": near, "b": rng.permutation(near)}))


@pytest.mark.filterwarnings("ignore::latentforest.WildCellsWarning")
def test_large_and_small_numbers(rng):
    sizes = 10.0 ** rng.integers(-300, 300, size=200) * rng.choice([-1, 1], size=200)
    close = 1e15 + rng.integers(0, 8, size=200) / 8  # apart in double precision only
    whole = rng.integers(2**53 - 50, 2**53 - 1, size=200)
    table = pd.DataFrame({"sizes": sizes, "close": close, "whole": whole})
    assert_same(fit(table), table, shuffled(table))


def test_levels_of_every_type(rng):
    n = 150
    levels = {
        "text": ["", "?", "é\0", "日本", " "],
        "many": [f"level {i}" for i in range(90)],
        "int": [-3, 0, 10**15, 7],
        "float": [0.1, -0.0, 1e-300, 2.5],
        "bool": [True, False],
    }
    drawn = {key: rng.choice(len(vs), size=n) for key, vs in levels.items()}
    table = pd.DataFrame(
        {k: pd.Categorical.from_codes(drawn[k], vs) for k, vs in levels.items()}
    )
    table["digits"] = rng.integers(0, 4, size=n)
    table["tenths"] = rng.integers(0, 20, size=n) / 10
    kinds = {"digits": "category", "tenths": "category"}
    for column in table:
        holes = table[[column]].mask(rng.random((n, 1)) < 0.1)
        model = fit(holes, 1, kinds={k: v for k, v in kinds.items() if k == column})
        assert_same(model, holes, table[[column]])
    assert_same(fit(table, kinds=kinds), table, shuffled(table))


def test_columns_that_say_nothing():
    table = pd.DataFrame(
        {
            "x": np.arange(30.0),
            "constant": ["a"] * 30,
            "nothing": np.full(30, np.nan),
            "no text": pd.array([None] * 30, dtype="str"),
        }
    )
    model = fit(table, unseen="nearest")
    new = table.assign(constant="b", nothing=1.0, **{"no text": "something"})
    assert_same(model, table, new)


@pytest.mark.parametrize(
    "settings",
    [
        {"kernel": "scornet"},
        {"tree_weights": 3},
        {"kernel": "scornet", "tree_weights": 2},
        {"landmarks": 20},
        {"diffusion_time": 0.0},
        {"decoder": "knn"},
        {"forest": CompletelyRandomForest(1, min_samples_leaf=5)},
        {"forest": CompletelyRandomForest(16)},
        {"forest": CompletelyRandomForest(33)},
    ],
    ids=str,
)
def test_settings_of_the_model(holed_table, settings):
    assert_same(fit(holed_table, **settings), holed_table)


@pytest.mark.parametrize("case", ["oob", "gap", "gap, weighed", "gain"])
def test_kernels_that_know_more_than_leaves(case):
    model = model_of(case)
    assert_same(model, rows_of(model))


@pytest.mark.parametrize(
    "forest",
    [
        RandomForestClassifier(20, random_state=0),
        ExtraTreesRegressor(20, random_state=0, min_samples_leaf=2),
        DecisionTreeClassifier(random_state=0, min_samples_leaf=8),
    ],
    ids=lambda forest: type(forest).__name__,
)
def test_forests_of_scikit_learn(forest, rng):
    X = rng.normal(size=(120, 4)).astype(np.float32).astype(np.float64)
    X[rng.random(X.shape) < 0.1] = np.nan
    forest.fit(X, (np.nan_to_num(X[:, 0]) > 0).astype(int))
    # scikit-learn rounds to single precision: so do our thresholds.
    assert_same(fit(X, 1, forest=forest), X, X + 1e-9, -X)


def test_trees_that_are_a_single_leaf(table):
    model = fit(table, 1, forest=CompletelyRandomForest(5, min_samples_leaf=60))
    assert model.kernel_.forest_.n_leaves == 5
    assert_same(model, table)


def test_truncated_models(models, table):
    small = models["adversarial"].truncate(1)
    assert_same(small, table)
    assert run(small, table).shape[1] == 1


def test_rows_in_empty_leaves_go_to_the_origin(model, table):
    model = deepcopy(model)
    plain = model.encoder_.plain
    leaves = plain.leaf_table
    in_first = model.encoder_.forest.leaves(model.kernel_.table_.values[:1])[0]
    keep = np.ones(len(leaves.degree))
    keep[in_first] = 0.0
    emptied = LeafTable(
        leaves.values * keep[:, None], leaves.mass * keep, leaves.degree * keep
    )
    model.encoder_ = replace(
        model.encoder_, plain=PlainMap(plain.diffusion, None, emptied)
    )
    assert_same(model, table)
    assert (run(model, table)[0] == 0).all()
    assert (run(model, table) != 0).any()


def test_nothing_of_the_training_rows_is_needed(holed_models, holed_table):
    """What is left of a model whose training rows were dropped suffices."""
    model = deepcopy(holed_models["supervised"])
    wanted = to_onnx(model)
    model._settle(replace(model.encoder_, training=None), None)
    assert to_onnx(model) == wanted
    assert_same(model, holed_table)
