"""What a model predicts on its map is what it predicts."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import (
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from latentforest import RFAE, Refinement, SupervisedForest
from latentforest.insight import spread_of_leaves
from latentforest.kernel import LeafIndex, LeafKernel
from mixed_tables import mixed_frame

FLOWERS = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X.set_axis(X.index + 100), pd.Series(FLOWERS[y], X.index + 100)


@pytest.fixture(scope="module")
def classifier(flowers):
    X, y = flowers
    forest = RandomForestClassifier(30, max_depth=3, random_state=0)
    return forest.fit(X[::2], y[::2])


@pytest.fixture(scope="module")
def view(flowers, classifier):
    return RFAE(forest=classifier, random_state=0).fit(flowers[0][::2])


@pytest.fixture(scope="module")
def patients():
    return load_diabetes(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def regressor(patients):
    X, y = patients
    forest = RandomForestRegressor(30, min_samples_leaf=4, random_state=0)
    return forest.fit(X[:200], y[:200])


@pytest.mark.parametrize("refine", [None, Refinement(1)])
def test_classes(flowers, classifier, refine):
    X, y = flowers
    model = RFAE(forest=classifier, refine=refine, random_state=0).fit(X[::2])
    new, target = X[1::2], y[1::2]
    found = model.explain(new, target)
    np.testing.assert_array_equal(found.prediction, classifier.predict(new))
    shares = classifier.predict_proba(new)
    np.testing.assert_array_equal(found.probabilities, shares)
    np.testing.assert_array_equal(found.confidence, shares.max(axis=1))
    np.testing.assert_array_equal(found.error, classifier.predict(new) != target)
    np.testing.assert_array_equal(found.coords, model.transform(new))
    assert 0 < found.error.sum() < 20
    assert found.classes.tolist() == FLOWERS.tolist()
    assert found.spread is None
    frame = found.to_frame()
    assert list(frame) == ["z1", "z2", "prediction", "confidence", "error"]
    pd.testing.assert_index_equal(frame.index, new.index)


def kernel_spread(model, new, values):
    """Spread under the kernel, by a matrix."""
    gram = model.kernel_.gram(new, model.codec_.decode(model.kernel_.table_.values))
    weights = gram[:, model.kernel_.landmarks_]
    weights = weights / weights.sum(axis=1, keepdims=True)
    mean = weights @ values
    return np.sqrt((weights * (values - mean[:, None]) ** 2).sum(axis=1))


@pytest.mark.parametrize("kernel", ["rf", "scornet"])
@pytest.mark.parametrize("landmarks", [None, 150])
def test_numbers(patients, regressor, kernel, landmarks):
    X, y = patients
    model = RFAE(
        forest=regressor, kernel=kernel, landmarks=landmarks, random_state=0
    ).fit(X[:200])
    rows = model.kernel_.landmarks_
    new, target = X[200:], y[200:]
    found = model.explain(new, target)
    np.testing.assert_array_equal(found.prediction, regressor.predict(new))
    np.testing.assert_allclose(found.error, regressor.predict(new) - target)
    spread = kernel_spread(model, new, regressor.predict(X.iloc[rows]))
    np.testing.assert_allclose(found.spread, spread)
    with_targets = model.explain(new, y_train=y[:200])
    spread = kernel_spread(model, new, y.to_numpy()[rows])
    np.testing.assert_allclose(with_targets.spread, spread)
    assert list(with_targets.to_frame()) == ["z1", "z2", "prediction", "spread"]
    assert found.confidence is found.classes is found.probabilities is None


def test_an_offset_of_the_target_does_not_drown_the_spread(patients, regressor):
    X, y = patients
    model = RFAE(forest=regressor, random_state=0).fit(X[:200])
    small, large = (
        model.explain(X[200:], y_train=y[:200] + offset).spread for offset in (0, 1e8)
    )
    np.testing.assert_allclose(small, large, rtol=1e-6)


def test_rows_without_any_relative_have_no_spread():
    kernel = LeafKernel(LeafIndex(np.array([[0], [0], [1]]), n_leaves=3))
    spread = spread_of_leaves(kernel, np.array([[0], [1], [2]]), np.array([1.0, 5, 7]))
    np.testing.assert_allclose(spread, [2.0, 0.0, np.nan])


def test_without_rows_the_training_rows_are_told(flowers, classifier, view):
    X, y = flowers
    found = view.explain(y=y[::2])
    np.testing.assert_array_equal(found.prediction, classifier.predict(X[::2]))
    np.testing.assert_array_equal(found.probabilities, classifier.predict_proba(X[::2]))
    np.testing.assert_array_equal(found.coords, view.embedding_)
    np.testing.assert_array_equal(found.error, found.prediction != y[::2])
    found.coords[:] = 0
    assert view.embedding_.any()


def test_of_a_long_table_the_kept_rows_are_told(flowers, classifier):
    X, y = flowers
    settings = {"forest": classifier, "max_samples": 60, "random_state": 0}
    model = RFAE(**settings).fit(X)
    found = model.explain(y=y)
    kept = X.iloc[model.rows_]
    np.testing.assert_array_equal(found.prediction, classifier.predict(kept))
    np.testing.assert_array_equal(found.error, found.prediction != y.iloc[model.rows_])


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_our_own_forests_predict_also_from_files(tmp_path, task):
    table = mixed_frame(60, missing=0.1)
    y = table.pop("count")
    if task == "classification":
        y = (y > 50).map({True: "much", False: "little"})
    forest = SupervisedForest(20, task=task, min_samples_leaf=3)
    model = RFAE(forest=forest, random_state=0).fit(table, y)
    found = model.explain(table, y)
    np.testing.assert_array_equal(found.prediction, model.grower_.predict(table))
    model.save(tmp_path / "m.lf")
    again = RFAE.load(tmp_path / "m.lf").explain(table, y)
    pd.testing.assert_frame_equal(again.to_frame(), found.to_frame())


def test_a_frozen_forest_and_other_libraries(flowers, classifier):
    X, y = flowers
    frozen = RFAE(forest=FrozenEstimator(classifier), random_state=0).fit(X[::2])
    assert frozen.explain(X).prediction.tolist() == classifier.predict(X).tolist()
    rows = pl.from_pandas(X.reset_index(drop=True))
    own = RandomForestClassifier(10, random_state=0).fit(rows, y)
    found = RFAE(forest=own, random_state=0).fit(rows).explain(rows, y.to_list())
    assert found.prediction.tolist() == own.predict(rows).tolist()
    assert found.index is None


def test_others_may_predict(flowers, classifier, view, model, table):
    X, y = flowers
    other = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y)
    found = view.explain(X, predict=other)
    np.testing.assert_array_equal(found.prediction, other.predict(X))
    counted = view.explain(X, predict=classifier.predict_proba)
    assert counted.classes.tolist() == [0, 1, 2]

    def named(rows):
        return pd.DataFrame(classifier.predict_proba(rows), columns=FLOWERS)

    found = view.explain(X, y, predict=named)
    np.testing.assert_array_equal(found.prediction, classifier.predict(X))
    found = model.explain(table, predict=lambda rows: rows["area"] * 2)
    np.testing.assert_array_equal(found.prediction, table["area"] * 2)
    assert found.spread.shape == (60,)


def test_regressors_may_have_a_list_of_no_classes(flowers, view):
    class Regressor:
        classes_ = ()

        def predict(self, rows):
            return rows.iloc[:, 0]

    X, _ = flowers
    assert view.explain(X, predict=Regressor()).prediction.tolist() == list(
        X.iloc[:, 0]
    )


def test_classes_need_no_training_rows(tmp_path, flowers, classifier, view):
    X, y = flowers
    view.save(tmp_path / "m.lf", drop_training=True)
    found = RFAE.load(tmp_path / "m.lf").explain(X, y, predict=classifier)
    pd.testing.assert_frame_equal(found.to_frame(), view.explain(X, y).to_frame())


def test_forests_without_a_target_are_refused(models, table, patients):
    for name in ("completely random", "adversarial", "shi horvath"):
        with pytest.raises(TypeError, match=r"has learned no target.*give predict="):
            models[name].explain(table)
    X, _ = patients
    forest = IsolationForest(n_estimators=20, random_state=0).fit(X)
    with pytest.raises(TypeError, match="IsolationForest has learned no target"):
        RFAE(forest=forest, random_state=0).fit(X).explain(X)
    with pytest.raises(NotFittedError):
        RFAE().explain(X)


def test_forests_from_files_are_refused(tmp_path, flowers, view):
    view.save(tmp_path / "m.lf")
    match = r"holds the trees of RandomForestClassifier\(.*Give predict="
    with pytest.raises(TypeError, match=match):
        RFAE.load(tmp_path / "m.lf").explain(flowers[0])


def test_targets_that_do_not_fit_are_refused(flowers, view, patients, regressor):
    X, y = flowers
    with pytest.raises(ValueError, match="y has 3 values, but there are 150 rows"):
        view.explain(X, y[:3])
    with pytest.raises(ValueError, match="y has missing values"):
        view.explain(X, y.where(y != "setosa"))
    with pytest.raises(ValueError, match=r"none of the classes 'setosa'.*which has 1"):
        view.explain(X, np.ones(150, int))
    with pytest.raises(ValueError, match="Leave y_train out"):
        view.explain(X, y_train=y[::2])
    X, y = patients
    model = RFAE(forest=regressor, random_state=0).fit(X[:200])
    with pytest.raises(ValueError, match="y is not made of numbers, but"):
        model.explain(X, ["high"] * len(X))
    with pytest.raises(ValueError, match="y_train has 10 values, but there are 200"):
        model.explain(X, y_train=y[:10])


def test_the_text_1_is_not_the_number_1():
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.where(X[:, 0] > 0, "1", "0")
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    model = RFAE(forest=forest, random_state=0).fit(X)
    with pytest.raises(ValueError, match="none of the classes '0', '1' is in y"):
        model.explain(X, y.astype(int))


def test_what_does_not_predict_is_refused(flowers, view, classifier):
    X, y = flowers
    ridge = RidgeClassifier().fit(X, y)
    twice = RandomForestClassifier(3).fit(X, np.column_stack([y, y]))
    two_numbers = RandomForestRegressor(3).fit(X, X.iloc[:, :2])
    cases = [
        (ridge, TypeError, "RidgeClassifier predicts classes without probabilities"),
        (twice, TypeError, "predicts 2 targets at once"),
        (5, TypeError, "predict=5 does not predict"),
        (classifier.predict, TypeError, "predict predicts object where numbers"),
        (lambda rows: np.ones(3), ValueError, r"shape \(3,\) for 150 rows"),
        (lambda rows: np.ones((3, 2)), ValueError, r"wanted \(150, 2\)"),
        (lambda rows: np.ones((150, 2)), ValueError, "no probabilities"),
        (two_numbers, ValueError, "RandomForestRegressor predicts several numbers"),
        (lambda rows: np.full(150, np.nan), ValueError, "150 times NaN or infinity"),
        (StandardScaler(), TypeError, "does not predict"),
    ]
    for predict, kind, match in cases:
        with pytest.raises(kind, match=match):
            view.explain(X, predict=predict)
