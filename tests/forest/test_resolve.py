"""What users may call a forest, and what becomes of it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesRegressor, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from forest_oracles import make_target, mixed_table, same_forest
from latentforest.forest import (
    AdversarialForest,
    CompletelyRandomForest,
    ShiHorvathForest,
    SupervisedForest,
    resolve_forest,
)


def grow(planting, encoded, y=None, **params):
    settings = {"rng": np.random.default_rng(0), "n_jobs": 1, "verbose": False}
    return planting.grow(encoded, y, **(settings | params))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("adversarial", AdversarialForest),
        ("completely_random", CompletelyRandomForest),
        ("shi_horvath", ShiHorvathForest),
        ("supervised", SupervisedForest),
    ],
)
def test_names_stand_for_forests_with_default_settings(name, kind):
    grower = resolve_forest(name).grower
    assert type(grower) is kind
    assert grower.get_params() == kind().get_params()


def test_forests_of_ours_are_grown_as_copies():
    mine = CompletelyRandomForest(4, random_state=1)
    encoded = mixed_table(["continuous", "5 levels"], 30)
    grown, fitted = grow(resolve_forest(mine), encoded)
    assert not hasattr(mine, "forest_")
    assert mine.n_jobs is None
    assert grown.forest.n_trees == 4
    assert same_forest(grown.forest, fitted.forest_)
    # Its own seed counts, not that of the caller.
    again, _ = grow(resolve_forest(mine), encoded, rng=np.random.default_rng(5))
    assert same_forest(grown.forest, again.forest)
    without = resolve_forest(CompletelyRandomForest(4))
    one, _ = grow(without, encoded)
    two, _ = grow(without, encoded, rng=np.random.default_rng(5))
    assert not same_forest(one.forest, two.forest)


@pytest.mark.parametrize("wrap", [lambda forest: forest, FrozenEstimator])
def test_fitted_forests_are_used_as_they_are(wrap):
    table = pd.DataFrame({"a": [1.5, 2.5, 3.5, 0.5], "b": list("xyxy")})
    mine = CompletelyRandomForest(3, min_samples_leaf=1).fit(table)
    planting = resolve_forest(wrap(mine))
    _, encoded, _ = planting.read(table, kinds=None, unseen="error")
    grown, fitted = grow(planting, encoded)
    assert fitted is mine
    assert grown.forest is mine.forest_
    nodes = mine.apply(table) + mine.forest_.start[:-1]
    np.testing.assert_array_equal(mine.forest_.leaf[nodes], grown.leaf_ids)


@pytest.mark.parametrize("as_table", [np.asarray, pd.DataFrame])
@pytest.mark.parametrize("dtype", [float, int])
def test_foreign_forests_read_all_columns_as_numbers(as_table, dtype):
    rng = np.random.default_rng(0)
    X = as_table(rng.integers(3, size=(40, 2)).astype(dtype))
    model = ExtraTreesRegressor(5, random_state=0).fit(X, rng.normal(size=40))
    planting = resolve_forest(model)
    _, encoded, _ = planting.read(X, kinds=None, unseen="error")
    np.testing.assert_array_equal(encoded.values, np.asarray(X))
    grown, fitted = grow(planting, encoded)
    assert fitted is model
    nodes = model.apply(X) + grown.forest.start[:-1]
    np.testing.assert_array_equal(grown.forest.leaf[nodes], grown.leaf_ids)


def test_foreign_forests_refuse_tables_they_cannot_read():
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = RandomForestClassifier(3).fit(X, make_target("two classes", 20))
    planting = resolve_forest(model)
    table = pd.DataFrame({"a": X[:, 0], "b": ["x", "y"] * 10})
    with pytest.raises(ValueError, match=r"columns are categories or dates: \['b'\]"):
        planting.read(table, kinds=None, unseen="error")
    with pytest.raises(ValueError, match=r"has 1 columns, but the forest .* on 2"):
        planting.read(X[:, :1], kinds=None, unseen="error")


def test_foreign_forests_refuse_columns_in_another_order():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 2)), columns=["a", "b"])
    model = RandomForestClassifier(3).fit(X, make_target("two classes", 20))
    with pytest.raises(ValueError, match="must be in the same order"):
        resolve_forest(model).read(X[["b", "a"]], kinds=None, unseen="error")


@pytest.mark.parametrize("forest", [CompletelyRandomForest, RandomForestClassifier])
def test_kinds_cannot_be_chosen_for_fitted_forests(forest):
    X = pd.DataFrame({"a": [1.5, 2.5, 3.5, 0.5], "b": [1, 0, 1, 0]})
    planting = resolve_forest(forest(3).fit(X, [0, 1, 0, 1]))
    with pytest.raises(ValueError, match="cannot be chosen for a fitted forest"):
        planting.read(X, kinds={"b": "category"}, unseen="error")


def test_what_is_no_forest_is_refused():
    with pytest.raises(ValueError, match="forest='pine' is not known"):
        resolve_forest("pine")
    with pytest.raises(TypeError, match="forest=7 is not a forest"):
        resolve_forest(7)
    with pytest.raises((ValueError, NotFittedError), match="is not fitted"):
        resolve_forest(RandomForestClassifier())
