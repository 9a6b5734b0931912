"""How RFAE behaves towards its users: tables, names, errors, scikit-learn."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from latentforest import (
    RFAE,
    AdversarialForest,
    CompletelyRandomForest,
    KNNDecoder,
    SchemaError,
    SupervisedForest,
)
from latentforest.forest import BaseForest
from latentforest.metrics import distortion
from mixed_tables import target_of

FOREST = CompletelyRandomForest(10)
PLAIN = ["length", "area", "count", "few", "flag", "name"]


def small(**settings):
    return RFAE(**({"forest": FOREST, "random_state": 0} | settings))


# --- tables in, tables out --------------------------------------------------------

LIBRARIES = {
    "pandas": lambda table: table,
    "polars": pl.from_pandas,
    "pyarrow": lambda table: pa.Table.from_pandas(table, preserve_index=False),
    "objects": lambda table: table.to_numpy(dtype=object),
    "floats": lambda table: table[["length", "area"]].to_numpy(),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_library_out_equals_library_in(library, table):
    X = LIBRARIES[library](table[PLAIN])
    model = small()
    Z = model.fit_transform(X)
    assert isinstance(Z, np.ndarray)
    for back in (model.inverse_transform(Z), model.reconstruct(X)):
        assert type(back) is type(X)
        assert back.shape == X.shape
        if library in ("polars", "pyarrow"):
            assert back.schema == X.schema


def test_libraries_give_the_same_coordinates(table):
    columns = ["length", "count", "flag", "name"]
    pandas, polars, arrow = (
        small().fit_transform(LIBRARIES[library](table[columns]))
        for library in ("pandas", "polars", "pyarrow")
    )
    np.testing.assert_array_equal(pandas, polars)
    np.testing.assert_array_equal(pandas, arrow)


def test_index_is_kept(model, table):
    rows = table.iloc[10:20]
    assert model.reconstruct(rows).index.equals(rows.index)
    named = pd.DataFrame(model.transform(rows), index=rows.index)
    assert model.inverse_transform(named).index.equals(rows.index)
    assert model.inverse_transform(model.transform(rows)).index.equals(
        pd.RangeIndex(10)
    )


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output(library, table):
    model = small().set_output(transform=library)
    fitted, mapped = model.fit_transform(table), model.transform(table)
    for Z in (fitted, mapped):
        assert type(Z).__module__.startswith(library)
        assert list(Z.columns) == list(model.get_feature_names_out())
        assert list(Z.columns) == ["z1", "z2"]
        np.testing.assert_allclose(Z.to_numpy(), model.embedding_, atol=1e-9)
        assert model.inverse_transform(Z).shape == table.shape
    if library == "pandas":
        assert fitted.index.equals(table.index)
        assert mapped.index.equals(table.index)


def test_feature_names(model, table):
    assert list(model.feature_names_in_) == list(table.columns)
    assert model.n_features_in_ == table.shape[1]
    assert list(model.truncate(1).get_feature_names_out()) == ["z1"]


def test_columns_must_match(model, table):
    with pytest.raises(SchemaError, match=r"now missing:\n- flag"):
        model.transform(table.drop(columns="flag"))
    with pytest.raises(ValueError, match="has 3 features, but RFAE is expecting 10"):
        model.transform(np.zeros((2, 3)))


# --- cells that need care ---------------------------------------------------------


def test_missing_cells_are_fitted_and_mapped(holed_model, holed_table):
    assert holed_table.isna().sum().sum() > 20
    assert np.isfinite(holed_model.embedding_).all()
    back = holed_model.reconstruct(holed_table)
    assert back.dtypes.to_dict() == holed_table.dtypes.to_dict()
    assert holed_model.score(holed_table) > 0.3


def test_missing_cells_are_mapped_where_none_were_fitted(model, table):
    holed = table.astype({"count": float, "few": "Int64", "flag": "boolean"})
    holed.iloc[::2] = None
    assert np.isfinite(model.transform(holed)).all()
    assert not model.reconstruct(holed).isna().any(axis=None)


def test_unseen_categories(table):
    new = table.iloc[:6].astype({"name": object})
    new.iloc[0, new.columns.get_loc("name")] = "zoe"
    with pytest.raises(SchemaError, match=r"'name' holds values.*'zoe'"):
        small(unseen="error").fit(table).transform(new)
    model = small(unseen="nearest").fit(table)
    holed = new.copy()
    holed.iloc[0, holed.columns.get_loc("name")] = None
    np.testing.assert_array_equal(model.transform(new), model.transform(holed))
    assert set(model.reconstruct(new)["name"]) <= set(table["name"])
    assert np.isfinite(model.score(new))


def test_columns_that_tell_nothing(table):
    dull = table[["length", "name"]].assign(
        constant=0.1,
        one_level=pd.Categorical(["a"] * len(table)),
        one_number=7,
        empty=np.nan,
        empty_text=pd.array([None] * len(table), dtype="str"),
    )
    back = small().fit(dull).reconstruct(dull)
    dull_columns = dull.columns[2:]
    pd.testing.assert_frame_equal(back[dull_columns], dull[dull_columns])


def test_only_columns_that_tell_nothing():
    table = pd.DataFrame({"x": [1.5] * 5, "y": ["a"] * 5})
    model = small(n_components=1)
    with pytest.warns(UserWarning, match="carry nothing"):
        model.fit(table)
    np.testing.assert_array_equal(model.embedding_, 0.0)
    pd.testing.assert_frame_equal(model.reconstruct(table), table)


def test_one_column(table):
    model = small(n_components=1, forest=CompletelyRandomForest(30)).fit(
        table[["area"]]
    )
    assert model.score(table[["area"]]) > 0.8


@pytest.mark.parametrize("kind", ["continuous", "category"])
def test_kinds_can_be_set(kind, table):
    model = small(kinds={"few": kind}).fit(table)
    assert model.schema_.columns[table.columns.get_loc("few")].kind == kind
    assert model.reconstruct(table)["few"].dtype == table["few"].dtype


# --- mistakes, told before any work -----------------------------------------------


@pytest.fixture
def no_growing(monkeypatch):
    """Make growing a forest an error of its own."""

    def explode(*args, **kwargs):
        pytest.fail("a forest was grown before the mistake was found")

    monkeypatch.setattr(BaseForest, "grow_on", explode)


MISTAKES = [
    ({"n_components": 0}, ValueError, "n_components=0 is too small"),
    ({"n_components": 1.5}, TypeError, r"n_components=1\.5 is a float"),
    ({"n_components": 60}, ValueError, "60 sample.*minimum of 61.*Lower the number"),
    ({"n_components": 20, "landmarks": 20}, ValueError, "20 sample.*minimum of 21"),
    ({"forest": "random"}, ValueError, "forest='random' is not known.*'adversarial'"),
    ({"forest": StandardScaler()}, TypeError, "is not a forest"),
    ({"forest": RandomForestRegressor()}, ValueError, "is not fitted. Fit it first"),
    ({"decoder": "nearest"}, ValueError, "decoder='nearest' is not known"),
    ({"decoder": 5}, TypeError, "decoder=5 is not a decoder"),
    ({"decoder": KNNDecoder(-1)}, ValueError, "n_neighbors=-1 is too small"),
    ({"kernel": "gauss"}, ValueError, "kernel='gauss' is not known"),
    ({"diffusion_time": -0.5}, ValueError, r"diffusion_time=-0\.5 is too small"),
    ({"diffusion_time": "1"}, TypeError, "diffusion_time='1' is a str"),
    ({"diffusion_time": np.inf}, ValueError, "diffusion_time=inf"),
    ({"diffusion_time": np.nan}, ValueError, "diffusion_time=nan"),
    ({"landmarks": 1}, ValueError, "landmarks=1 is too small"),
    ({"landmarks": 61}, ValueError, "landmarks=61 is more than the 60 rows"),
    ({"landmarks": 0.5}, TypeError, r"landmarks=0\.5 is a float"),
    ({"kinds": {"few": "number"}}, ValueError, "'number' is not known"),
    ({"kinds": {"weight": "category"}}, SchemaError, "'weight'"),
    ({"unseen": "ignore"}, ValueError, "unseen='ignore' is not known"),
    ({"n_jobs": 0}, ValueError, "n_jobs=0 has no meaning"),
]


@pytest.mark.usefixtures("no_growing")
@pytest.mark.parametrize(("settings", "error", "message"), MISTAKES)
def test_wrong_parameters_are_told_before_growing(settings, error, message, table):
    with pytest.raises(error, match=message):
        small(**settings).fit(table)


def test_most_components_are_one_fewer_than_the_rows(table):
    with pytest.warns(UserWarning, match="carry nothing"):
        assert small(n_components=59).fit(table).embedding_.shape == (60, 59)


@pytest.mark.usefixtures("no_growing")
def test_bad_tables_are_told_before_growing(table):
    twice = pd.concat([table, table[["few"]]], axis=1)
    with pytest.raises(SchemaError, match="more than once: 'few'"):
        small().fit(twice)
    infinite = table.assign(area=np.inf)
    with pytest.raises(SchemaError, match="infinite values: 'area'"):
        small().fit(infinite)
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        small().fit(table.iloc[:0])


def test_bad_tables_are_told_after_fitting(model, table):
    with pytest.raises(SchemaError, match="infinite values: 'area'"):
        model.transform(table.assign(area=-np.inf))
    with pytest.raises(SchemaError, match="'area' held numbers"):
        model.transform(table.assign(area="wide"))
    with pytest.raises(ValueError, match=r"Z has 1 coordinates.*fitted with 2"):
        model.inverse_transform([[0.0]])


@pytest.mark.parametrize(
    "use",
    [
        lambda model, X: model.transform(X),
        lambda model, X: model.inverse_transform([[0.0, 0.0]]),
        lambda model, X: model.reconstruct(X),
        lambda model, X: model.score(X),
        lambda model, X: model.leave_one_out(),
        lambda model, X: model.truncate(1),
        lambda model, X: model.get_feature_names_out(),
    ],
)
def test_use_needs_fit(use, table):
    with pytest.raises(NotFittedError):
        use(small(), table)


# --- forests ----------------------------------------------------------------------


def test_supervised_forest_needs_y(table):
    with pytest.raises(ValueError, match="Pass y to fit, or choose another forest"):
        small(forest="supervised").fit(table)
    with pytest.raises(ValueError, match=r"y has 59 values.*60 rows"):
        small(forest=SupervisedForest(3)).fit(table, target_of(table)[1:])


def test_supervised_map_follows_the_target(table):
    y = (table["area"] > table["area"].median()).to_numpy()
    Z = small(n_components=1, forest=SupervisedForest(50, min_samples_leaf=5))
    along = np.corrcoef(Z.fit_transform(table, y)[:, 0], y)[0, 1]
    assert abs(along) > 0.8


NUMERIC = ["length", "area", "count", "few", "flag"]


def fitted_sklearn(table, kind=RandomForestRegressor):
    y = table["count"] > 50
    return kind(12, min_samples_leaf=3, random_state=0).fit(table[NUMERIC], y)


@pytest.mark.parametrize("kind", [RandomForestRegressor, RandomForestClassifier])
def test_fitted_scikit_learn_forest_is_used_as_it_is(kind, table):
    forest, X = fitted_sklearn(table, kind), table[NUMERIC]
    model = small(forest=forest).fit(X)
    assert model.kernel_.grower_ is forest
    np.testing.assert_array_equal(
        model.kernel_.forest_.route(model.kernel_.table_.values), forest.apply(X)
    )
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-9)
    back = model.reconstruct(X)
    assert back.dtypes.to_dict() == X.dtypes.to_dict()
    assert set(back["few"]) <= set(range(X["few"].min(), X["few"].max() + 1))
    assert model.score(X) > 0.3


def test_frozen_forest_survives_copies(table):
    forest, X = fitted_sklearn(table), table[NUMERIC]
    frozen = small(forest=FrozenEstimator(forest))
    plain = small(forest=forest).fit_transform(X)
    np.testing.assert_array_equal(frozen.fit_transform(X), plain)
    search = GridSearchCV(
        small(forest=FrozenEstimator(forest)), {"n_components": [1, 2]}, cv=2
    ).fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("forest", [FrozenEstimator(RandomForestRegressor())])
def test_frozen_forest_must_be_fitted(forest, table):
    with pytest.raises(ValueError, match="is not fitted"):
        small(forest=forest).fit(table[NUMERIC])


def test_scikit_learn_forest_needs_its_own_numeric_table(table):
    forest = fitted_sklearn(table)
    words = table[NUMERIC].assign(**{NUMERIC[-1]: table["name"]})
    with pytest.raises(ValueError, match=rf"columns are categories.*'{NUMERIC[-1]}'"):
        small(forest=forest).fit(words)
    with pytest.raises(ValueError, match="seen at fit time, yet now missing"):
        small(forest=forest).fit(table[NUMERIC[1:]])


def test_fitted_forest_of_ours_is_used_as_it_is(table):
    forest = CompletelyRandomForest(10, random_state=0).fit(table)
    model = small(forest=forest).fit(table)
    assert model.kernel_.forest_ is forest.forest_
    np.testing.assert_array_equal(
        model.kernel_.leaf_ids_,
        forest.forest_.leaves(forest.codec_.encode(table).values),
    )
    assert model.reconstruct(table).dtypes.to_dict() == table.dtypes.to_dict()


# --- scores, searches, pipelines --------------------------------------------------


def test_score_is_one_minus_distortion(model, table):
    rows = table.iloc[::2]
    lost = distortion(rows, model.reconstruct(rows), training=table)
    assert model.score(rows) == pytest.approx(1 - float(lost))
    assert 0.5 < model.score(rows) < 1


def test_more_coordinates_reconstruct_better():
    table = pd.DataFrame(np.random.default_rng(0).random((300, 3)), columns=list("abc"))
    forest = CompletelyRandomForest(100, min_samples_leaf=10)
    model = small(n_components=3, forest=forest).fit(table[:200])
    scores = [model.truncate(k).score(table[200:]) for k in (1, 2, 3)]
    assert scores[0] + 0.1 < scores[1] < scores[2] - 0.1


def test_grid_search_over_the_decoder(table):
    model = small(decoder=KNNDecoder())
    grid = {"decoder__n_neighbors": [1, 5, 60], "forest__min_samples_leaf": [2, 5]}
    search = GridSearchCV(model, grid, cv=3).fit(table)
    scores = search.cv_results_["mean_test_score"]
    assert len(set(scores)) == 6
    # Blending all rows decodes every point to about the mean.
    assert search.best_params_["decoder__n_neighbors"] != 60
    assert search.best_estimator_.decoder_.n_neighbors != 60


def test_pipeline(table):
    numbers = table[["length", "area", "count"]]
    pipeline = make_pipeline(StandardScaler(), small(decoder=KNNDecoder(3)))
    Z = pipeline.fit_transform(numbers)
    back = pipeline.inverse_transform(Z)
    assert np.abs(back - numbers).mean().max() < 10
    assert pipeline.score(numbers) > 0.6
    assert list(pipeline[-1].get_feature_names_out()) == ["z1", "z2"]


def test_paper_configuration():
    model = RFAE.paper(3, random_state=5)
    assert (model.n_components, model.random_state) == (3, 5)
    assert isinstance(model.forest, AdversarialForest)
    assert (
        model.forest.get_params()
        == AdversarialForest(
            500,
            min_samples_leaf=2,
            max_features="sqrt",
            delta=0.0,
            max_rounds=10,
            round_estimators=None,
        ).get_params()
    )
    assert isinstance(model.decoder, KNNDecoder)
    assert (model.decoder.n_neighbors, model.decoder.prototypes) == (20, "draw")
    assert (model.diffusion_time, model.kernel, model.landmarks) == (1.0, "rf", None)


# --- fewer coordinates ------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rf", "scornet"])
@pytest.mark.parametrize("decoder", ["auto", "knn"])
@pytest.mark.parametrize("n_components", [1, 2, 4])
def test_truncated_equals_fitted_with_fewer(n_components, decoder, kernel, table):
    large = small(n_components=4, decoder=decoder, kernel=kernel).fit(table)
    cut = large.truncate(n_components)
    fresh = clone(large).set_params(n_components=n_components).fit(table)
    assert cut.get_params()["n_components"] == n_components
    np.testing.assert_allclose(cut.eigenvalues_, fresh.eigenvalues_, atol=1e-9)
    np.testing.assert_allclose(cut.embedding_, fresh.embedding_, atol=1e-6)
    rows = table.iloc[::3]
    np.testing.assert_allclose(cut.transform(rows), fresh.transform(rows), atol=1e-6)
    np.testing.assert_allclose(cut.leave_one_out(), fresh.leave_one_out(), atol=1e-6)
    pd.testing.assert_frame_equal(cut.reconstruct(rows), fresh.reconstruct(rows))
    assert large.embedding_.shape == (60, 4)


@pytest.mark.parametrize(
    ("n_components", "error", "message"),
    [
        (0, ValueError, "n_components=0 is too small"),
        (3, ValueError, "n_components=3 is more than the 2 that were fitted"),
        (1.0, TypeError, r"n_components=1\.0 is a float"),
    ],
)
def test_truncate_only_shortens(n_components, error, message, model):
    with pytest.raises(error, match=message):
        model.truncate(n_components)
    with pytest.raises(error, match=message):
        model.map_.truncate(n_components)
    # What was fitted counts, not what a parameter was set to afterwards.
    changed = model.truncate(2).set_params(n_components=9)
    with pytest.raises(error, match=message):
        changed.truncate(n_components)


# --- what one gets without asking -------------------------------------------------


def test_the_default_is_refined_unless_a_forest_or_decoder_is_named(table):
    model = RFAE(random_state=0).fit(table)
    assert model.encoder_.refined.start.name == "neighbours"
    assert model.decoder_.get_params()["n_neighbors"] == 24
    assert model.kernel_.forest_.n_trees < 100
    for named in ({"forest": "completely_random"}, {"decoder": "knn"}):
        assert RFAE(random_state=0, **named).fit(table).encoder_.refined is None
    plain = RFAE(refine=None, random_state=0).fit(table)
    assert plain.encoder_.refined is None
    assert plain.kernel_.forest_.n_trees == 500
    assert RFAE.paper().refine is None


def test_settings_of_a_map_that_is_not_used_are_told(table):
    with pytest.warns(UserWarning, match="diffusion_time=3, .*Give refine=None"):
        RFAE(diffusion_time=3, random_state=0).fit(table)
