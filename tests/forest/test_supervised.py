"""Predictions are averages of in-bag leaf means; targets are read as they should."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import QUICK, grow, mixed_table, slow_leaves, tables
from latentforest.forest import SupervisedForest


def slow_predictions(forest, values, new, columns):
    """Mean over trees of the in-bag mean of each target column, row by row."""
    train = slow_leaves(forest.forest_, values)
    total = np.zeros((len(new), columns.shape[1]))
    for i, leaves in enumerate(slow_leaves(forest.forest_, new)):
        for tree, leaf in enumerate(leaves):
            weights = forest.in_bag_[:, tree] * (train[:, tree] == leaf)
            total[i] += weights @ columns / weights.sum()
    return total / train.shape[1]


def fit(encoded, y, **params):
    forest = SupervisedForest(4, n_jobs=1, **params)
    forest.grow_on(encoded, y, np.random.default_rng(0))
    return forest


@given(tables(min_rows=2, max_rows=25), st.booleans(), st.integers(0, 99))
@QUICK
def test_predictions_are_in_bag_means(encoded, bootstrap, seed):
    rng = np.random.default_rng(seed)
    values = encoded.values
    new = values[rng.permutation(len(values))]
    y = rng.normal(size=len(values)) + 3
    forest = fit(encoded, y, bootstrap=bootstrap, task="regression")
    wanted = slow_predictions(forest, values, new, y[:, None])
    decoded = forest.codec_.decode(new)
    np.testing.assert_allclose(forest.predict(decoded), wanted[:, 0], atol=1e-12)
    labels = rng.choice(["a", "b", "c"], size=len(values))
    forest = fit(encoded, labels, bootstrap=bootstrap)
    wanted = slow_predictions(
        forest, values, new, (labels[:, None] == forest.classes_).astype(float)
    )
    proba = forest.predict_proba(decoded)
    assert proba.shape == (len(new), len(forest.classes_))
    np.testing.assert_allclose(proba, wanted, atol=1e-12)
    np.testing.assert_array_equal(
        forest.predict(decoded), forest.classes_[proba.argmax(axis=1)]
    )


def test_in_bag_counts_are_bootstrap_samples():
    encoded = mixed_table(["continuous"], 200)
    y = np.arange(200) % 2
    forest = fit(encoded, y)
    np.testing.assert_array_equal(forest.in_bag_.sum(axis=0), 200)
    assert abs((forest.in_bag_ == 0).mean() - np.exp(-1)) < 0.05
    np.testing.assert_array_equal(fit(encoded, y, bootstrap=False).in_bag_, 1)


@given(tables(min_rows=2), st.integers(1, 5))
@QUICK
def test_leaves_keep_enough_in_bag_rows(encoded, min_leaf):
    y = np.random.default_rng(0).normal(size=encoded.n_rows)
    forest = SupervisedForest(3, min_samples_leaf=min_leaf, n_jobs=1)
    leaf_ids = forest.grow(encoded, y, np.random.default_rng(0)).leaf_ids
    sizes = np.bincount(leaf_ids.ravel(), weights=forest.in_bag_.ravel())
    assert sizes[sizes > 0].min() >= min(min_leaf, encoded.n_rows)


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([0.5, 1.5, 2.0, 3.0], None),
        ([0.0, 1.0, 2.0, 1.0], [0.0, 1.0, 2.0]),
        ([3, 1, 3, 1], [1, 3]),
        (["b", "a", "b", "c"], ["a", "b", "c"]),
        ([True, False, True, True], [False, True]),
        (pd.Series([0.5, 1.5, 2.0, 3.0]), None),
        (pd.Series(["b", "a", "b", "c"], dtype="category"), ["a", "b", "c"]),
        (pl.Series([2, 2, 5, 5]), [2, 5]),
        ([1, 1, 1, 1], [1]),
    ],
)
def test_auto_tells_classes_from_numbers(y, classes):
    X = np.arange(8.0).reshape(4, 2)
    forest = SupervisedForest(30, bootstrap=False, max_features=None).fit(X, y)
    np.testing.assert_array_equal(forest.predict(X), np.asarray(y))
    if classes is None:
        assert forest.classes_ is None
        with pytest.raises(AttributeError, match="fitted for regression"):
            forest.predict_proba(X)
    else:
        assert forest.classes_.tolist() == classes
        assert forest.predict_proba(X).shape == (4, len(classes))


def test_task_overrules_the_look_of_the_target():
    X = np.arange(6.0).reshape(6, 1)
    numbers = SupervisedForest(5, task="regression", random_state=0)
    assert numbers.fit(X, [1, 2, 3, 4, 5, 6]).classes_ is None
    classes = SupervisedForest(5, task="classification", random_state=0)
    assert len(classes.fit(X, [0.5, 0.5, 0.5, 1.5, 1.5, 1.5]).classes_) == 2


@pytest.mark.parametrize("task", ["auto", "classification", "regression"])
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([0, 1], "y has 2 values, but the table has 4 rows"),
        ([0.5, 1.5, np.nan, 2.5], "y has missing values"),
        (pd.Series([0, 1, None, 1], dtype="Int64"), "y has missing values"),
        (np.array([1, 2, None, 3], dtype=object), "y has missing values"),
    ],
)
def test_targets_that_do_not_fit_are_refused(task, y, message):
    with pytest.raises(ValueError, match=message):
        SupervisedForest(2, task=task).fit(np.zeros((4, 2)), y)


def test_infinite_responses_and_missing_labels_are_refused():
    X = np.zeros((3, 1))
    with pytest.raises(ValueError, match="infinite"):
        SupervisedForest(2, task="regression").fit(X, [0.5, np.inf, 1.0])
    with pytest.raises(ValueError, match="y has missing values"):
        SupervisedForest(2).fit(X, pd.Series(["a", None, "b"]))


def test_a_target_can_be_learned():
    encoded = mixed_table(["continuous", "70 levels", "5 levels"], 400)
    level = encoded.values[:, 1]
    y = np.where(level % 3 == 0, 2.0, -1.0) + 0.01 * encoded.values[:, 0]
    forest = SupervisedForest(30, max_features=None, random_state=0)
    forest.grow_on(encoded, y, np.random.default_rng(0))
    new = mixed_table(["continuous", "70 levels", "5 levels"], 200, seed=1)
    predicted = forest.predict(forest.codec_.decode(new.values))
    wanted = np.where(new.values[:, 1] % 3 == 0, 2.0, -1.0)
    known = np.isin(new.values[:, 1], level)
    assert np.abs(predicted - wanted)[known].mean() < 0.1


def test_grow_alone_returns_the_leaves_of_all_rows():
    grown = grow("two classes", mixed_table(["continuous"], 50))
    assert grown.leaf_ids.min() >= 0


def test_many_whole_numbers_are_a_response():
    rng = np.random.default_rng(0)
    X, price = rng.normal(size=(200, 2)), rng.integers(10**6, size=200)
    forest = SupervisedForest(3, random_state=0).fit(X, price)
    assert forest.classes_ is None
    assert forest.leaf_values_.shape[1] == 1
    few = SupervisedForest(3, random_state=0).fit(X, price % 7)
    assert len(few.classes_) == 7
    asked = SupervisedForest(3, task="classification", random_state=0).fit(X, price)
    assert len(asked.classes_) == len(np.unique(price))
