"""The scikit-learn face that all our forests share."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from forest_oracles import GROWERS, make_grower, make_target, same_forest
from latentforest import CompletelyRandomForest, SchemaError
from latentforest._base import _progress

every_grower = pytest.mark.parametrize("sort", GROWERS)


def frame(n_rows=40):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "size": rng.normal(size=n_rows),
            "colour": rng.choice(["red", "green", "blue"], size=n_rows),
            "count": rng.integers(100, size=n_rows),
            "open": rng.random(n_rows) < 0.5,
        }
    )


@every_grower
def test_parameters_survive_clone(sort):
    forest = make_grower(sort, n_estimators=7, random_state=1)
    twin = clone(forest)
    assert twin.get_params() == forest.get_params()
    assert twin.set_params(n_estimators=9).n_estimators == 9
    assert forest.n_estimators == 7


@every_grower
def test_tables_of_all_libraries_give_the_same_forest(sort):
    table, y = frame(), make_target(sort, 40)
    fits = [
        make_grower(sort, random_state=0).fit(X, y)
        for X in (table, pl.from_pandas(table), table.astype(object).to_numpy())
    ]
    assert fits[0].apply(table).shape == (40, 3)
    assert same_forest(fits[0].forest_, fits[1].forest_)
    assert same_forest(fits[0].forest_, fits[2].forest_)


@every_grower
def test_apply_gives_leaf_nodes(sort):
    table = frame()
    forest = make_grower(sort, random_state=0).fit(table, make_target(sort, 40))
    nodes = forest.apply(table) + forest.forest_.start[:-1]
    values = forest.codec_.encode(table).values
    leaves = forest.forest_.leaves(values, n_jobs=1)
    np.testing.assert_array_equal(forest.forest_.leaf[nodes], leaves)
    np.testing.assert_array_equal(
        forest.apply(table.iloc[5:9]), forest.apply(table)[5:9]
    )


@every_grower
def test_fitting_again_forgets_the_first_table(sort):
    table, y = frame(), make_target(sort, 40)
    fresh = make_grower(sort, random_state=0).fit(table, y)
    again = make_grower(sort, random_state=0)
    again.fit(np.zeros((5, 2)), make_target(sort, 5)).fit(table, y)
    assert same_forest(fresh.forest_, again.forest_)
    assert vars(fresh).keys() == vars(again).keys()


@every_grower
def test_seeds_of_every_sort(sort):
    table, y = frame(), make_target(sort, 40)

    def fit(seed):
        return make_grower(sort, random_state=seed).fit(table, y).forest_

    assert same_forest(fit(1), fit(1))
    assert not same_forest(fit(1), fit(2))
    assert not same_forest(fit(None), fit(None))
    one, two = np.random.default_rng(1), np.random.default_rng(1)
    assert same_forest(fit(one), fit(two))
    assert not same_forest(fit(one), fit(one))


@every_grower
def test_progress_goes_to_standard_error(sort, capfd, monkeypatch):
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    make_grower(sort, verbose=True).fit(frame(), make_target(sort, 40))
    shown = capfd.readouterr()
    assert "0/3" in shown.err
    assert ("adversarial round 0" if sort == "adversarial" else "growing") in shown.err
    make_grower(sort).fit(frame(), make_target(sort, 40))
    assert shown.out + "".join(capfd.readouterr()) == ""


@every_grower
def test_apply_needs_fit_and_the_fitted_columns(sort):
    with pytest.raises(NotFittedError):
        make_grower(sort).apply(frame())
    forest = make_grower(sort).fit(frame(), make_target(sort, 40))
    with pytest.raises(ValueError, match="feature names should match"):
        forest.apply(frame().rename(columns={"size": "width"}))


@every_grower
@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_tables_of_few_rows(sort, n_rows):
    table = frame(n_rows).assign(nothing=np.nan)
    y = np.linspace(0, 1.5, n_rows) if sort == "regression" else [0, 1, 0][:n_rows]
    forest = make_grower(sort).fit(table, y)
    assert forest.apply(table).shape == (n_rows, 3)


def test_too_many_levels_are_refused_by_name():
    table = pd.DataFrame({"uid": [f"u{i}" for i in range(66_000)]})
    with pytest.raises(SchemaError, match="Column 'uid' has 66000 levels"):
        CompletelyRandomForest(2).fit(table)
