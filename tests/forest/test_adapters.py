"""Forests read from scikit-learn route every row as scikit-learn does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

from latentforest.forest import from_sklearn
from latentforest.forest._foreign._precision import in_double_precision

FORESTS = [
    RandomForestClassifier,
    RandomForestRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomTreesEmbedding,
]
TREES = [
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
]
READ_NAN = [kind for kind in FORESTS + TREES if kind is not RandomTreesEmbedding]

every_kind = pytest.mark.parametrize("kind", FORESTS + TREES)


def data(n_rows=60, n_columns=3, *, missing=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    X[:, -1] = np.round(X[:, -1], 1)
    y = (np.sin(3 * X[:, 0]) + X[:, -1] > 0).astype(int)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def fit(kind, X, y, seed=0):
    model = kind(random_state=seed)
    if kind in FORESTS:
        model.set_params(n_estimators=4)
    return model.fit(X, y)


def near(cells):
    """Doubles around a value where rounding to singles could change the side."""
    single = cells.astype(np.float32)
    above = np.nextafter(single, np.float32(np.inf)).astype(np.float64)
    below = np.nextafter(single, np.float32(-np.inf)).astype(np.float64)
    single = single.astype(np.float64)
    points = [cells, single, above, below, (single + above) / 2, (single + below) / 2]
    sides = (-np.inf, np.inf)
    return np.concatenate(
        [*points, *(np.nextafter(x, side) for x in points for side in sides)]
    )


def check_same_leaves(model, X):
    theirs = np.asarray(model.apply(X)).reshape(len(X), -1)
    np.testing.assert_array_equal(from_sklearn(model).route(X, n_jobs=1), theirs)


@every_kind
def test_leaves_are_those_of_apply(kind):
    X, y = data()
    model = fit(kind, X, y)
    check_same_leaves(model, X)
    check_same_leaves(model, data(200, seed=1)[0] * 2)


@every_kind
@given(seed=st.integers(0, 999))
@settings(max_examples=10, deadline=None)
def test_leaves_are_those_of_apply_around_every_threshold(kind, seed):
    X, y = data(30, seed=seed)
    model = fit(kind, X, y, seed)
    forest = from_sklearn(model)
    members = model.estimators_ if kind in FORESTS else [model]
    thresholds = np.concatenate([member.tree_.threshold for member in members])
    rng = np.random.default_rng(seed)
    cells = near(rng.permutation(thresholds[forest.feature >= 0])[:40])
    check_same_leaves(model, rng.permuted(np.tile(cells, (3, 1)), axis=1).T)


@every_kind
def test_one_column_and_one_leaf(kind):
    X, y = data(40, 1)
    check_same_leaves(fit(kind, X, y), X)
    X = np.zeros((5, 2))
    check_same_leaves(fit(kind, X, np.zeros(5)), X)


@pytest.mark.parametrize("kind", READ_NAN)
@given(seed=st.integers(0, 999), missing=st.sampled_from([0.1, 0.6]))
@settings(max_examples=5, deadline=None)
def test_missing_cells_go_where_scikit_learn_sends_them(kind, seed, missing):
    X, y = data(50, missing=missing, seed=seed)
    model = fit(kind, X, y, seed)
    check_same_leaves(model, X)
    check_same_leaves(model, 5 * data(50, missing=missing, seed=seed + 1)[0])


def test_splits_of_missing_against_known_cells():
    """Their threshold is infinite; moving it gave NaN, and all rows went right."""
    X, _ = data(80, missing=0.4)
    model = fit(RandomForestClassifier, X, np.isnan(X[:, 0]))
    assert any(np.isinf(member.tree_.threshold).any() for member in model.estimators_)
    check_same_leaves(model, X)


@pytest.mark.parametrize("max_features", [1.0, 0.5])
def test_isolation_forest_reads_its_own_columns(max_features):
    X, _ = data(n_columns=4)
    model = IsolationForest(
        n_estimators=5, max_features=max_features, random_state=0
    ).fit(X)
    theirs = [
        member.apply(X[:, columns])
        for member, columns in zip(
            model.estimators_, model.estimators_features_, strict=True
        )
    ]
    np.testing.assert_array_equal(from_sklearn(model).route(X), np.transpose(theirs))


def test_leaves_are_numbered_tree_by_tree():
    X, y = data()
    forest = from_sklearn(fit(RandomForestClassifier, X, y))
    assert (forest.n_trees, forest.n_columns) == (4, 3)
    leaves = forest.leaf[forest.leaf >= 0]
    np.testing.assert_array_equal(leaves, np.arange(forest.n_leaves))


def test_what_cannot_be_read_is_refused():
    with pytest.raises(NotFittedError):
        from_sklearn(RandomForestClassifier())
    with pytest.raises(NotFittedError):
        from_sklearn(GradientBoostingClassifier())
    boosted = AdaBoostClassifier(LogisticRegression()).fit(np.eye(4), [0, 1, 0, 1])
    with pytest.raises(TypeError, match="trees of a AdaBoostClassifier"):
        from_sklearn(boosted)
    with pytest.raises(TypeError, match="cannot read the trees of a str"):
        from_sklearn("forest")


singles = st.floats(width=32, allow_nan=False, allow_infinity=False).filter(
    lambda t: abs(t) < 3e38
)
doubles = st.floats(-3e38, 3e38)


@given(st.lists(singles | doubles, min_size=1, max_size=5))
@settings(max_examples=200, deadline=None)
def test_moved_thresholds_say_what_singles_say(thresholds):
    for threshold in thresholds:
        moved = in_double_precision(np.array([threshold]))[0]
        x = near(np.array([threshold]))
        rounded = x.astype(np.float32).astype(np.float64)
        np.testing.assert_array_equal(rounded <= threshold, x <= moved)


def test_infinite_thresholds_stay():
    thresholds = np.array([np.inf, 0.1, -np.inf])
    moved = in_double_precision(thresholds)
    np.testing.assert_array_equal(moved[[0, 2]], [np.inf, -np.inf])
    assert moved[1] != 0.1
