"""Eq. 2 of the paper: smoothing with the kernel is the forest's own prediction."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from latentforest.kernel import LeafIndex, LeafKernel

SETTINGS = {"n_estimators": 7, "min_samples_leaf": 3, "random_state": 0}


def make_data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 4)).astype(np.float32)
    y = X[:, 0] + np.sin(3 * X[:, 1]) + 0.1 * rng.normal(size=90)
    return X[:60], y[:60], X[60:]


def number_leaves(forest, X):
    """Renumber scikit-learn's node numbers through the forest."""
    sizes = [tree.tree_.node_count for tree in forest.estimators_]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return forest.apply(X) + offsets[:-1], int(offsets[-1])


def in_bag_counts(forest, n_rows):
    counts = [
        np.bincount(rows, minlength=n_rows) for rows in forest.estimators_samples_
    ]
    return np.column_stack(counts)


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("n_outputs", [1, 2])
def test_smooth_is_the_regression_forest(bootstrap, n_outputs):
    X, y, new = make_data()
    y = y if n_outputs == 1 else np.column_stack([y, y**2])
    forest = RandomForestRegressor(bootstrap=bootstrap, max_features=2, **SETTINGS)
    forest.fit(X, y)
    ids, n_leaves = number_leaves(forest, X)
    kernel = LeafKernel(LeafIndex(ids, n_leaves))
    counts = in_bag_counts(forest, len(X)) if bootstrap else None
    for rows in (X, new):
        smoothed = kernel.smooth(number_leaves(forest, rows)[0], y, in_bag=counts)
        np.testing.assert_allclose(smoothed, forest.predict(rows), rtol=1e-10)


def test_in_bag_counts_matter():
    X, y, new = make_data()
    forest = RandomForestRegressor(**SETTINGS).fit(X, y)
    ids, n_leaves = number_leaves(forest, X)
    plain = LeafKernel(LeafIndex(ids, n_leaves)).smooth(
        number_leaves(forest, new)[0], y
    )
    assert np.abs(plain - forest.predict(new)).max() > 1e-3


@pytest.mark.parametrize("bootstrap", [False, True])
def test_smooth_is_the_classification_forest(bootstrap):
    X, y, new = make_data()
    classes = np.digitize(y, [-0.5, 0.5])
    forest = RandomForestClassifier(bootstrap=bootstrap, max_features=2, **SETTINGS)
    forest.fit(X, classes)
    ids, n_leaves = number_leaves(forest, X)
    counts = in_bag_counts(forest, len(X)) if bootstrap else None
    smoothed = LeafKernel(LeafIndex(ids, n_leaves)).smooth(
        number_leaves(forest, new)[0], np.eye(3)[classes], in_bag=counts
    )
    np.testing.assert_allclose(smoothed, forest.predict_proba(new), atol=1e-12)


def test_row_weights_are_sample_weights():
    X, y, new = make_data()
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=len(X))
    forest = RandomForestRegressor(bootstrap=False, max_features=2, **SETTINGS)
    forest.fit(X, y, sample_weight=weights)
    ids, n_leaves = number_leaves(forest, X)
    smoothed = LeafKernel(LeafIndex(ids, n_leaves), weights=weights).smooth(
        number_leaves(forest, new)[0], y
    )
    np.testing.assert_allclose(smoothed, forest.predict(new), rtol=1e-10)
