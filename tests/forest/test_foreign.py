"""Models of other libraries send every row where our arrays send it."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sklearn import ensemble
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)

from foreign_models import (
    cases,
    catboost_model,
    catboost_table,
    lightgbm_model,
    make_case,
    xgboost_model,
)
from latentforest import RFAE
from latentforest.forest import from_ranger, resolve_forest
from latentforest.forest._foreign import _lightgbm, read_model
from latentforest.forest._foreign._catboost_splits import Splits
from latentforest.forest._foreign._check import trial_rows

CHECKS = 50_000  # ways of rows down trees, for each example
# More than a million for each library; smaller examples would tell no more.
MANY = settings(max_examples=25, deadline=None, phases=[Phase.generate])

pytestmark = pytest.mark.filterwarnings("ignore")


def read(model, table):
    """The trees for a table, compared with the library CHECKS times."""
    given_forest = resolve_forest(model)
    _, encoded, _ = given_forest.read(table, kinds=None, unseen="missing")
    reading = read_model(given_forest.foreign, encoded)
    n_rows = -(-CHECKS // reading.forest.n_trees)
    never = given_forest.foreign.never_missing
    rows = trial_rows(reading.forest, encoded.values, never, n_rows=n_rows)
    reading.check(rows)
    assert rows.shape[0] * reading.forest.n_trees >= CHECKS
    return reading.forest, encoded


def same_groups(ours, theirs):
    """Rows share a leaf here exactly where they share one there, in each tree."""
    theirs = np.asarray(theirs).reshape(len(ours), -1)
    assert ours.shape == theirs.shape
    for mine, other in zip(ours.T, theirs.T, strict=True):
        pairs = {(int(a), int(b)) for a, b in zip(mine, other, strict=True)}
        assert len(pairs) == len(set(mine.tolist())) == len(set(other.tolist()))


@given(cases(), st.sampled_from(["gbdt", "dart", "rf"]))
@MANY
def test_lightgbm(case, boosting):
    model = lightgbm_model(case, boosting)
    forest, encoded = read(model, case.table)
    theirs = model.predict(case.table, pred_leaf=True)
    same_groups(forest.leaves(encoded.values), theirs)
    same_groups(read(model.booster_, case.table)[0].leaves(encoded.values), theirs)


@given(cases(), st.booleans())
@MANY
def test_lightgbm_on_arrays(case, use_missing):
    import lightgbm

    X = case.numbers.to_numpy()
    model = lightgbm.LGBMRegressor(
        n_estimators=case.n_trees,
        min_child_samples=2,
        min_data_per_group=1,
        use_missing=use_missing,
        verbose=-1,
        n_jobs=1,
    ).fit(X, np.asarray(case.target, float), categorical_feature=[2])
    forest, encoded = read(model, X)
    same_groups(forest.leaves(encoded.values), model.predict(X, pred_leaf=True))


@given(
    cases(tasks=("two classes", "three classes", "number", "two outputs")),
    st.sampled_from(
        [
            {},
            {"booster": "dart", "rate_drop": 0.3},
            {"max_cat_to_onehot": 20},
            {"num_parallel_tree": 3, "subsample": 0.6},
            {"multi_strategy": "multi_output_tree"},
            {"grow_policy": "lossguide", "max_leaves": 9},
        ],
    ),
)
@MANY
def test_xgboost(case, more):
    if "multi_strategy" in more and case.task != "two outputs":
        more = {}
    if case.task == "two outputs" and "booster" in more:
        more = {}
    if "multi_strategy" in more:  # such trees split no categories yet
        case = replace(case, table=case.numbers)
    model = xgboost_model(case, **more)
    forest, encoded = read(model, case.table)
    same_groups(forest.leaves(encoded.values), model.apply(case.table))


@given(cases(), st.sampled_from(["SymmetricTree", "Depthwise", "Lossguide"]))
@MANY
def test_catboost(case, policy):
    model = catboost_model(case, policy)
    table = catboost_table(case)
    forest, encoded = read(model, table)
    theirs = model.calc_leaf_indexes(table.astype({"colour": str, "code": str}))
    same_groups(forest.leaves(encoded.values), theirs)


@given(cases())
@MANY
def test_statistics_of_catboost(case):
    model = catboost_model(case, one_hot_max_size=2, max_ctr_complexity=1)
    table = catboost_table(case)
    forest, encoded = read(model, table)
    theirs = model.calc_leaf_indexes(table.astype({"colour": str, "code": str}))
    same_groups(forest.leaves(encoded.values), theirs)


@given(cases())
@MANY
def test_histogram_boosting(case):
    kind = ensemble.HistGradientBoostingRegressor
    if "classes" in case.task:
        kind = ensemble.HistGradientBoostingClassifier
    model = kind(
        max_iter=case.n_trees,
        max_depth=case.depth,
        min_samples_leaf=2,
        early_stopping=False,
        random_state=case.seed,
    ).fit(case.table, case.target)
    forest, _ = read(model, case.table)
    stages = [tree for stage in model._predictors for tree in stage]
    assert forest.n_trees == len(stages)
    assert forest.n_leaves == sum(tree.get_n_leaf_nodes() for tree in stages)


@given(cases(), st.sampled_from(["RandomForest", "ExtraTrees", "GradientBoosting"]))
@MANY
def test_sklearn(case, name):
    side = "Regressor" if case.task == "number" else "Classifier"
    model = getattr(ensemble, name + side)(
        n_estimators=case.n_trees, max_depth=case.depth, random_state=case.seed
    ).fit(case.known, case.target)
    forest, encoded = read(model, case.known)
    same_groups(forest.leaves(encoded.values), model.apply(case.known))


@given(cases(gaps=False))
@MANY
def test_bags_and_isolation(case):
    kinds = [
        ensemble.IsolationForest(n_estimators=case.n_trees, max_features=0.5),
        ensemble.BaggingRegressor(n_estimators=case.n_trees, max_features=0.5),
    ]
    for model in kinds:
        model.set_params(random_state=case.seed)
        read(model.fit(case.known, np.asarray(case.target, float)), case.known)


def same_leaves_of(kind, case):
    model = kind(case.n_trees, max_depth=case.depth, random_state=case.seed)
    model.fit(case.known, case.target)
    forest, encoded = read(model, case.known)
    same_groups(forest.leaves(encoded.values), model.apply(case.known))


@given(cases(tasks=("number", "two outputs")))
@MANY
def test_quantile_forests(case):
    from quantile_forest import RandomForestQuantileRegressor

    same_leaves_of(RandomForestQuantileRegressor, case)


@given(cases(tasks=("two classes", "three classes")))
@MANY
def test_balanced_forests(case):
    from imblearn.ensemble import BalancedRandomForestClassifier

    same_leaves_of(BalancedRandomForestClassifier, case)


@given(cases(), st.sampled_from(["sklearn", "lightgbm", "xgboost"]))
@MANY
def test_treelite(case, origin):
    import treelite

    X = case.known.to_numpy()
    if origin == "sklearn":
        forest = ensemble.RandomForestRegressor(case.n_trees, max_depth=case.depth)
        model = treelite.sklearn.import_model(forest.fit(X, case.target))
    elif origin == "lightgbm":
        X = case.numbers.to_numpy()
        model = treelite.frontend.from_lightgbm(_on_numbers(case).booster_)
    else:
        X = case.numbers.to_numpy()
        import xgboost

        booster = xgboost.XGBRegressor(n_estimators=case.n_trees, n_jobs=1)
        booster.fit(X, np.asarray(case.target, float))
        model = treelite.frontend.from_xgboost(booster.get_booster())
    forest, encoded = read(model, X)
    dtype = np.float64 if origin != "xgboost" else np.float32
    same_groups(
        forest.leaves(encoded.values),
        treelite.gtil.predict_leaf(model, X.astype(dtype)),
    )


def _on_numbers(case):
    import lightgbm

    return lightgbm.LGBMRegressor(
        n_estimators=case.n_trees, min_child_samples=2, verbose=-1, n_jobs=1
    ).fit(case.numbers.to_numpy(), np.asarray(case.target, float))


def test_trees_of_a_single_leaf():
    import xgboost

    case = make_case(40, 4, 3, "number", missing=0.1, coarse=1, seed=0)
    still = replace(case, target=np.ones(40))
    lgbm = lightgbm_model(replace(case, depth=1), min_split_gain=1e9)
    nothing = xgboost.XGBRegressor(n_estimators=3, gamma=1e9).fit(
        case.numbers, case.target
    )
    for model, table in (
        (lgbm, case.table),
        (xgboost_model(still), case.table),
        (nothing, case.numbers),
        (ensemble.RandomForestRegressor(3).fit(case.known, still.target), case.known),
        (
            ensemble.HistGradientBoostingRegressor(max_iter=3).fit(
                case.table, still.target
            ),
            case.table,
        ),
    ):
        forest, encoded = read(model, table)
        assert (forest.leaves(encoded.values) == np.arange(forest.n_trees)).all()


# Pipelines


def prepared(gaps):
    """Steps for all sorts of columns."""
    numbers = [SimpleImputer(), StandardScaler()] if gaps else [MinMaxScaler()]
    return make_column_transformer(
        (make_pipeline(*numbers), ["wide", "ties"]),
        (OneHotEncoder(handle_unknown="ignore"), ["colour", "code"]),
        (FunctionTransformer(lambda cells: -2.0 * cells), ["count"]),
        remainder="passthrough",
    )


@given(cases(), st.sampled_from(["forest", "lightgbm", "xgboost"]))
@settings(max_examples=8, deadline=None, phases=[Phase.generate])
def test_pipelines(case, last):
    table = case.table.astype({"colour": object, "code": int})
    target = np.asarray(case.target, float)
    model = ensemble.RandomForestRegressor(case.n_trees, max_depth=case.depth)
    if last == "lightgbm":
        import lightgbm

        model = lightgbm.LGBMRegressor(n_estimators=case.n_trees, verbose=-1)
    elif last == "xgboost":
        import xgboost

        model = xgboost.XGBRegressor(n_estimators=case.n_trees, max_depth=3)
    pipeline = make_pipeline(prepared(gaps=True), model).fit(table, target)
    forest, encoded = read(pipeline, table)
    made = pipeline[:-1].transform(table)
    if last == "lightgbm":
        theirs = model.predict(made, pred_leaf=True)
    else:
        theirs = model.apply(made)
    same_groups(forest.leaves(encoded.values), theirs)
    # The trees read the table's own columns.
    assert forest.n_columns == table.shape[1]


@pytest.mark.parametrize(
    "step",
    [
        StandardScaler(),
        PowerTransformer(),
        QuantileTransformer(n_quantiles=20),
        KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf"),
        FunctionTransformer(np.cbrt),
        FunctionTransformer(np.negative),
    ],
    ids=lambda step: type(step).__name__,
)
def test_steps_that_keep_order_are_searched(step):
    case = make_case(150, 10, 5, "number", missing=0.0, coarse=1, seed=3)
    X = case.known[["wide", "ties"]]
    model = ensemble.ExtraTreesRegressor(10, random_state=0)
    pipeline = make_pipeline(step, model).fit(X, case.target)
    forest, encoded = read(pipeline, X)
    same_groups(forest.leaves(encoded.values), model.apply(pipeline[:-1].transform(X)))


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (PCA(2), "mix the columns"),
        (KNNImputer(), "mix the columns"),
        (SplineTransformer(), "neither keep nor reverse the order"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_steps_that_mix_columns_are_refused(step, reason):
    case = make_case(150, 5, 4, "number", missing=0.2, coarse=1, seed=3)
    X = case.numbers if isinstance(step, KNNImputer) else case.known
    model = ensemble.RandomForestRegressor(5, random_state=0)
    pipeline = make_pipeline(step, model).fit(X, case.target)
    with pytest.raises(ValueError, match=reason):
        RFAE(forest=pipeline).fit(X)


def test_rows_decode_to_the_columns_before_the_pipeline():
    case = make_case(200, 20, 5, "two classes", missing=0.0, coarse=1, seed=1)
    table = case.table.astype({"colour": object, "code": int})
    steps = make_column_transformer(
        (OrdinalEncoder(), ["colour"]), remainder=StandardScaler()
    )
    pipeline = make_pipeline(steps, ensemble.RandomForestClassifier(20, random_state=0))
    model = RFAE(3, forest=pipeline.fit(table, case.target), random_state=0).fit(table)
    back = model.reconstruct(table)
    pd.testing.assert_series_equal(back.dtypes, table.dtypes)
    assert model.score(table) > 0.3


# R


def ranger_file(forest, X, path, *, broken=False):
    """Write a forest of scikit-learn as R would write one of ranger."""
    trees = []
    for member in forest.estimators_:
        tree = member.tree_
        leaf = tree.children_left < 0
        trees.append(
            {
                "nodeID": [str(n) for n in range(tree.node_count)],
                "leftChild": [
                    "NA" if e else str(c)
                    for c, e in zip(tree.children_left, leaf, strict=True)
                ],
                "rightChild": [
                    "NA" if e else str(c)
                    for c, e in zip(tree.children_right, leaf, strict=True)
                ],
                "splitvarName": [
                    "NA" if e else str(X.columns[f])
                    for f, e in zip(tree.feature, leaf, strict=True)
                ],
                "splitval": [
                    "NA" if e else f"{t:.17g}"
                    for t, e in zip(tree.threshold, leaf, strict=True)
                ],
            }
        )
    leaves = forest.apply(X) + broken
    content = {
        "format": "ranger",
        "levels": dict.fromkeys(X.columns),
        "trees": trees,
        "rows": {name: [f"{v:.17g}" for v in X[name]] for name in X},
        "leaves": leaves.tolist(),
    }
    path.write_text(json.dumps(content))
    return path


def test_ranger(tmp_path):
    case = make_case(120, 9, 5, "number", missing=0.0, coarse=1, seed=2)
    X = case.known.astype(np.float32).astype(float)
    forest = ensemble.RandomForestRegressor(9, random_state=0).fit(X, case.target)
    given_forest = from_ranger(ranger_file(forest, X, tmp_path / "forest.json"))
    model = RFAE(2, forest=given_forest, random_state=0).fit(X)
    assert (model.kernel_.forest_.route(X.to_numpy()) == forest.apply(X)).all()
    broken = from_ranger(ranger_file(forest, X, tmp_path / "b.json", broken=True))
    with pytest.raises(ValueError, match="not read exactly"):
        RFAE(2, forest=broken).fit(X)
    gaps = X.mask(np.eye(*X.shape, dtype=bool))
    with pytest.raises(ValueError, match="knows no missing cells"):
        RFAE(2, forest=given_forest).fit(gaps)
    (tmp_path / "c.json").write_text('{"format": "ranger"}')
    with pytest.raises(ValueError, match="no forest of ranger"):
        from_ranger(tmp_path / "c.json")


def test_factors_of_ranger(tmp_path):
    rows = {"f": ["a", "b", "c", "a"], "x": ["1", "2", "3", "4"]}
    tree = {
        "nodeID": ["0", "1", "2", "3", "4"],
        "leftChild": ["1", "NA", "3", "NA", "NA"],
        "rightChild": ["2", "NA", "4", "NA", "NA"],
        "splitvarName": ["f", "NA", "x", "NA", "NA"],
        "splitval": ["a,c", "NA", "3.5", "NA", "NA"],
    }
    content = {
        "format": "ranger",
        "levels": {"f": ["a", "b", "c"], "x": None},
        "trees": [tree],
        "rows": rows,
        "leaves": [[3], [1], [3], [4]],
    }
    path = tmp_path / "forest.json"
    path.write_text(json.dumps(content))
    X = pd.DataFrame({"f": rows["f"] * 5, "x": [1.0, 2.0, 3.0, 4.0] * 5})
    model = RFAE(1, forest=from_ranger(path), random_state=0).fit(X)
    assert model.kernel_.forest_.n_leaves == 3


# What is refused, and what is used


def test_a_wrong_reading_is_noticed(monkeypatch):
    case = make_case(100, 5, 4, "number", missing=0.0, coarse=1, seed=0)
    model = lightgbm_model(case)
    monkeypatch.setattr(
        _lightgbm, "_beside_zero", lambda cut: np.nextafter(cut, -np.inf)
    )
    with pytest.raises(
        ValueError, match=r"not read exactly: in tree \d+ .*\(node \d+\)"
    ):
        RFAE(forest=model).fit(case.table)


def refused():
    case = make_case(100, 5, 3, "number", missing=0.2, coarse=1, seed=0)
    import lightgbm
    import xgboost

    linear = lightgbm.LGBMRegressor(linear_tree=True, n_estimators=3, verbose=-1)
    zeros = lightgbm.LGBMRegressor(zero_as_missing=True, n_estimators=30, verbose=-1)
    X = case.numbers.to_numpy()
    return {
        "linear leaves": (linear.fit(X, case.target), X, "linear models"),
        "zero is missing": (
            zeros.set_params(min_child_samples=2).fit(
                np.nan_to_num(X.round(1)), case.target
            ),
            X,
            "zero_as_missing",
        ),
        "no trees": (
            xgboost.XGBRegressor(booster="gblinear", n_estimators=2).fit(
                X, case.target
            ),
            X,
            "has no trees",
        ),
        "another missing": (
            xgboost.XGBRegressor(missing=0.0, n_estimators=2).fit(X, case.target),
            X,
            "takes 0.0 for a missing cell",
        ),
    }


@pytest.mark.parametrize(
    "name",
    ["linear leaves", "zero is missing", "no trees", "another missing"],
)
def test_what_cannot_be_read_exactly_is_refused(name):
    model, table, reason = refused()[name]
    with pytest.raises(ValueError, match=reason):
        RFAE(forest=model).fit(table)


def test_statistics_of_several_columns_are_refused():
    info = {
        "categorical_features": [{"feature_index": 0, "flat_feature_index": 2}],
        "ctrs": [{"borders": [0.5], "elements": [{"cat_feature_index": 0}] * 2}],
    }
    splits = Splits("this model", info, {2: ("a", "b")}, answers=None)
    split = {"split_type": "OnlineCtr", "split_index": 0}
    with pytest.raises(ValueError, match="max_ctr_complexity=1"):
        splits.of_tree(0, [split])
    with pytest.raises(ValueError, match="not symmetric"):
        splits.of_node(split)


def test_models_that_are_not_fitted_are_refused():
    import catboost
    import lightgbm
    import xgboost

    for model in (
        lightgbm.LGBMClassifier(),
        xgboost.XGBClassifier(),
        catboost.CatBoostClassifier(),
        ensemble.HistGradientBoostingClassifier(),
        make_pipeline(StandardScaler(), ensemble.RandomForestClassifier()),
    ):
        with pytest.raises(ValueError, match="is not fitted"):
            RFAE(forest=model).fit(np.eye(5))


def test_the_best_round_is_the_last_that_is_read():
    import lightgbm
    import xgboost

    case = make_case(200, 60, 4, "two classes", missing=0.0, coarse=1, seed=5)
    rng = np.random.default_rng(0)
    noise = rng.random(200) < 0.3
    X, y = case.numbers, np.asarray(case.target) ^ noise
    early = lightgbm.early_stopping(3, verbose=False)
    lgbm = lightgbm.LGBMClassifier(n_estimators=200, verbose=-1).fit(
        X[:150], y[:150], eval_set=[(X[150:], y[150:])], callbacks=[early]
    )
    xgb = xgboost.XGBClassifier(n_estimators=200, early_stopping_rounds=3).fit(
        X[:150], y[:150], eval_set=[(X[150:], y[150:])], verbose=False
    )
    for model, n_trees in (
        (lgbm, lgbm.best_iteration_),
        (xgb, xgb.best_iteration + 1),
    ):
        assert n_trees < 200
        assert RFAE(forest=model).fit(X).kernel_.forest_.n_trees == n_trees


def test_facts_of_trees():
    case = make_case(150, 12, 4, "number", missing=0.0, coarse=1, seed=4)
    models = {
        "lightgbm": (lightgbm_model(case), case.table),
        "xgboost": (xgboost_model(case), case.table),
        "histogram": (
            ensemble.HistGradientBoostingRegressor(max_iter=12).fit(
                case.table, case.target
            ),
            case.table,
        ),
        "boosting": (
            ensemble.GradientBoostingRegressor(n_estimators=12).fit(
                case.known, case.target
            ),
            case.known,
        ),
    }
    for model, table in models.values():
        given_forest = resolve_forest(model)
        _, encoded, _ = given_forest.read(table, kinds=None, unseen="missing")
        with warnings.catch_warnings():
            grown, _ = given_forest.grow(
                encoded, None, rng=np.random.default_rng(0), n_jobs=1, verbose=False
            )
        assert grown.facts.shrinkage.shape == grown.facts.gain.shape == (12,)
        # The first trees of boosting reduce the loss most.
        assert grown.facts.gain[0] == grown.facts.gain.max() > grown.facts.gain[-1] >= 0


@pytest.mark.parametrize("library", ["lightgbm", "xgboost", "catboost", "histogram"])
def test_saved_and_loaded(library, tmp_path):
    case = make_case(150, 15, 4, "two classes", missing=0.1, coarse=1, seed=7)
    table = case.table
    if library == "lightgbm":
        forest = lightgbm_model(case)
    elif library == "xgboost":
        forest = xgboost_model(case)
    elif library == "catboost":
        forest, table = catboost_model(case), catboost_table(case)
    else:
        forest = ensemble.HistGradientBoostingClassifier(max_iter=15)
        forest.fit(table, case.target)
    model = RFAE(3, forest=forest, random_state=0).fit(table)
    Z = model.transform(table)
    back = model.inverse_transform(Z)
    pd.testing.assert_series_equal(back.dtypes, table.dtypes)
    model.save(tmp_path / "model.lf")
    loaded = RFAE.load(tmp_path / "model.lf")
    np.testing.assert_array_equal(loaded.transform(table), Z)
    pd.testing.assert_frame_equal(loaded.inverse_transform(Z), back)


# What strangers bring


def texts_with_gaps(gap):
    rng = np.random.default_rng(0)
    words = np.array(["a", "b", "c"], object)[rng.integers(0, 3, 300)]
    words[rng.random(300) < 0.2] = gap
    numbers = rng.random(300).round(3)
    table = pd.DataFrame({"word": pd.Series(words, dtype=object), "x": numbers})
    return table, 2 * table["word"].isna() + numbers


@pytest.mark.parametrize("gap", [None, np.nan], ids=str)
@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(),
        OneHotEncoder(handle_unknown="ignore"),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
    ],
    ids=repr,
)
def test_gaps_are_those_of_the_table(gap, encoder):
    table, target = texts_with_gaps(gap)
    steps = make_column_transformer((encoder, ["word"]), remainder="passthrough")
    forest = ensemble.RandomForestRegressor(10, max_depth=4, random_state=0)
    pipeline = make_pipeline(steps, forest).fit(table, target)
    model = RFAE(2, forest=pipeline, random_state=0).fit(table)
    ours = model.encoder_.forest.leaves(model.codec_.encode(table).values)
    same_groups(ours, forest.apply(pipeline[:-1].transform(table)))


@pytest.mark.parametrize("seed", range(4))
def test_rare_values_are_noticed(seed):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=3_000), "gain": 0.0})
    X.loc[rng.integers(0, 3_000, 6), "gain"] = [1e3, 2.5e3, 3e3, 5e3, 7e3, 9e3]
    target = 10 * (X["gain"] > 0) + X["a"].round()
    forest = ensemble.ExtraTreesRegressor(10, max_depth=8, random_state=0)
    pipeline = make_pipeline(SimpleImputer(strategy="median"), forest).fit(X, target)
    model = RFAE(2, forest=pipeline, random_state=0).fit(X)
    new = X[:200].assign(gain=rng.uniform(1e3, 9e3, 200))
    ours = model.encoder_.forest.leaves(model.codec_.encode(new).values)
    same_groups(ours, forest.apply(pipeline[:-1].transform(new)))


@pytest.mark.parametrize(
    "steps",
    [
        (FunctionTransformer(np.log1p), StandardScaler()),
        (SimpleImputer(), FunctionTransformer(np.log1p), MinMaxScaler()),
        (PowerTransformer("box-cox"),),
    ],
    ids=["log", "imputed log", "box-cox"],
)
def test_steps_that_know_no_negative_numbers(steps):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"x": rng.exponential(size=200) + 0.01, "n": rng.poisson(4, 200) + 1}
    )
    forest = ensemble.RandomForestRegressor(10, random_state=0)
    pipeline = make_pipeline(*steps, forest).fit(X, np.sin(X["x"]) + X["n"])
    forest_read, encoded = read(pipeline, X)
    same_groups(
        forest_read.leaves(encoded.values), forest.apply(pipeline[:-1].transform(X))
    )


def test_names_and_orders_of_lightgbm():
    case = make_case(150, 10, 4, "number", missing=0.1, coarse=1, seed=1)
    table = case.table.rename(columns={"wide": "how wide is it"})
    table["grade"] = pd.Categorical(
        np.random.default_rng(0).choice(["low", "mid", "high"], 150),
        ["low", "mid", "high"],
        ordered=True,
    )
    model = lightgbm_model(replace(case, table=table))
    forest, encoded = read(model, table)
    theirs = model.predict(table, pred_leaf=True)
    same_groups(forest.leaves(encoded.values), theirs)
    assert RFAE(forest=model).fit(table).reconstruct(table).dtypes.equals(table.dtypes)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_tables_of_other_libraries(library):
    case = make_case(150, 10, 4, "number", missing=0.1, coarse=1, seed=1)
    table = {"polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}[library]
    model = lightgbm_model(case)
    np.testing.assert_array_equal(
        RFAE(forest=model, random_state=0).fit_transform(table(case.table)),
        RFAE(forest=model, random_state=0).fit_transform(case.table),
    )
    pipeline = make_pipeline(StandardScaler(), ensemble.ExtraTreesRegressor(5))
    pipeline.fit(case.known, case.target)
    if library == "polars":
        read(pipeline, pl.from_pandas(case.known))
    else:
        with pytest.raises(ValueError, match="take no pyarrow table"):
            RFAE(forest=pipeline).fit(table(case.known))


def test_models_from_their_own_files(tmp_path):
    import lightgbm
    import xgboost

    case = make_case(150, 10, 4, "two classes", missing=0.1, coarse=1, seed=1)
    xgb, lgbm = xgboost_model(case), lightgbm_model(case)
    xgb.save_model(tmp_path / "model.ubj")
    loaded = xgboost.XGBClassifier()
    loaded.load_model(tmp_path / "model.ubj")
    lgbm.booster_.save_model(tmp_path / "model.txt")
    booster = lightgbm.Booster(model_file=tmp_path / "model.txt")
    for model, again in ((xgb, loaded), (lgbm, booster)):
        Z, same = (RFAE(forest=m).fit_transform(case.table) for m in (model, again))
        np.testing.assert_array_equal(Z, same)


def test_ensembles_of_more_than_trees_are_refused():
    from imblearn.over_sampling import RandomOverSampler
    from imblearn.pipeline import make_pipeline as make_sampled

    case = make_case(100, 5, 3, "two classes", missing=0.0, coarse=1, seed=0)
    inner = ensemble.RandomForestClassifier(3, random_state=0)
    stack = ensemble.StackingClassifier([("a", inner)], final_estimator=inner)
    with pytest.raises(TypeError, match="is not a forest"):
        RFAE(forest=stack.fit(case.known, case.target)).fit(case.known)
    bag = ensemble.BaggingClassifier(inner, n_estimators=2)
    with pytest.raises(TypeError, match="cannot read the trees of a BaggingClassifier"):
        RFAE(forest=bag.fit(case.known, case.target)).fit(case.known)
    sampled = make_sampled(StandardScaler(), RandomOverSampler(random_state=0), inner)
    read(sampled.fit(case.known, case.target), case.known)
