"""Laws that hold from the table to the coordinates and back, whatever the forest."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from latentforest import (
    RFAE,
    CompletelyRandomForest,
    ForestKernel,
    KNNDecoder,
    SpectrumWarning,
    SupervisedForest,
)
from latentforest.encoder import make_leaf_table
from latentforest.forest import compatible_regions
from latentforest.kernel import LeafKernel
from mixed_tables import FORESTS, LAW, frames, mixed_frame, shuffled, target_of

# Tiny tables fall into pieces or have few eigenvalues; only some tests care.
pytestmark = pytest.mark.filterwarnings(
    "ignore::latentforest._base._errors.SpectrumWarning"
)

KINDS = ("rf", "scornet")
seeds = st.integers(0, 9_999)
forest_names = st.sampled_from(sorted(FORESTS))
kinds = st.sampled_from(KINDS)


def fit_kernel(frame, name, kind="rf", seed=0, **settings):
    kernel = ForestKernel(FORESTS[name], kind=kind, random_state=seed, **settings)
    return kernel.fit(frame, target_of(frame, seed=seed))


def fit_model(frame, name, n_components=2, seed=0, **settings):
    model = RFAE(n_components, forest=FORESTS[name], random_state=seed, **settings)
    return model.fit(frame, target_of(frame, seed=seed))


def walk_of(model):
    """Dense kernel, its degrees, and the random walk that it defines."""
    ids = model.kernel_.leaf_ids_[model.kernel_.landmarks_]
    K = model.kernel_.leaf_kernel_.gram(ids, ids)
    degrees = K.sum(axis=1)
    return K, degrees, K / degrees[:, None]


# --- the kernel -------------------------------------------------------------------


@LAW
@given(frames(), forest_names, kinds, seeds)
def test_kernel_is_symmetric_and_positive_semi_definite(frame, name, kind, seed):
    kernel = fit_kernel(frame, name, kind, seed)
    K = kernel.gram(frame)
    np.testing.assert_array_equal(K, K.T)
    assert np.linalg.eigvalsh(K).min() > -1e-12 * len(K)
    if kind == "rf":
        np.testing.assert_allclose(K.sum(axis=1), 1.0, rtol=1e-12)
    else:
        np.testing.assert_allclose(np.diag(K), 1.0, rtol=1e-12)
    # Also among new rows, where leaf sizes still come from the training rows.
    new = kernel.gram(shuffled(frame, seed))
    assert np.linalg.eigvalsh(new).min() > -1e-12 * len(K)


@LAW
@given(frames(), forest_names, kinds, seeds)
def test_features_and_blocks_give_the_same_kernel(frame, name, kind, seed):
    kernel = fit_kernel(frame, name, kind, seed)
    new = shuffled(frame, seed)
    np.testing.assert_allclose(
        (kernel.features(new) @ kernel.features(frame).T).toarray(),
        kernel.gram(new, frame),
        atol=1e-15,
    )
    assert kernel.mmd(frame, frame) == 0.0
    np.testing.assert_allclose(kernel.mmd(frame, new), kernel.mmd(new, frame))


@LAW
@given(frames(), st.booleans(), st.booleans(), seeds)
def test_kernel_predicts_as_the_forest_does(frame, bootstrap, regression, seed):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=len(frame)) if regression else rng.integers(3, size=len(frame))
    forest = SupervisedForest(10, bootstrap=bootstrap, min_samples_leaf=2)
    kernel = ForestKernel(forest, random_state=seed).fit(frame, y)
    grower, new = kernel.grower_, shuffled(frame, seed)
    weights = grower.in_bag_ if bootstrap else None
    if regression:
        wanted, response = grower.predict(new), y
    else:
        wanted, response = grower.predict_proba(new), y[:, None] == grower.classes_
    np.testing.assert_allclose(
        kernel.smooth(new, response, in_bag=weights), wanted, atol=1e-12
    )
    if not bootstrap:
        np.testing.assert_allclose(
            kernel.gram(new, frame) @ response, wanted, atol=1e-12
        )


SKLEARN = {
    "regressor, bootstrap": RandomForestRegressor(8, min_samples_leaf=2),
    "regressor, half the rows": RandomForestRegressor(8, max_samples=0.5),
    "regressor, all rows": RandomForestRegressor(8, bootstrap=False, max_features=1),
    "classifier, bootstrap": RandomForestClassifier(8, min_samples_leaf=2),
    "extra trees": ExtraTreesRegressor(8, min_samples_leaf=2),
}


@pytest.mark.parametrize("name", SKLEARN)
@pytest.mark.parametrize("seed", range(3))
def test_kernel_predicts_as_a_scikit_learn_forest_does(name, seed):
    columns = ("length", "area", "count", "few", "flag")
    frame = mixed_frame(50, columns=columns, seed=seed)
    rng = np.random.default_rng(seed)
    forest = clone(SKLEARN[name]).set_params(random_state=seed)
    classify = isinstance(forest, RandomForestClassifier)
    y = rng.integers(3, size=50) if classify else rng.normal(size=50)
    forest.fit(frame, y)
    kernel = ForestKernel(forest).fit(frame)
    in_bag = np.stack(
        [np.bincount(rows, minlength=50) for rows in forest.estimators_samples_], 1
    )
    new = mixed_frame(200, columns=columns, seed=seed + 10)
    wanted = forest.predict_proba(new) if classify else forest.predict(new)
    response = y[:, None] == forest.classes_ if classify else y
    np.testing.assert_allclose(
        kernel.smooth(new, response, in_bag=in_bag),
        wanted,
        rtol=1e-10,
        atol=1e-12,
    )


# --- the map ----------------------------------------------------------------------


@LAW
@given(frames(), forest_names, kinds, seeds)
def test_coordinates_are_eigenvectors(frame, name, kind, seed):
    model = fit_model(frame, name, 4, seed, kernel=kind)
    _, degrees, walk = walk_of(model)
    values = model.eigenvalues_
    Z = model.embedding_
    np.testing.assert_allclose(walk @ Z, Z * values, atol=1e-9)
    # Unscaled, they are orthonormal in the long run of the walk, and never constant.
    alive = values > 1e-6
    unit = Z[:, alive] / values[alive]
    share = degrees / degrees.sum()
    np.testing.assert_allclose(
        unit.T @ (share[:, None] * unit), np.eye(alive.sum()), atol=1e-7
    )
    np.testing.assert_allclose(share @ Z, 0.0, atol=1e-9)
    # They are the leading ones.
    symmetric = walk * np.sqrt(degrees)[:, None] / np.sqrt(degrees)
    every = np.linalg.eigvalsh(symmetric)[::-1]
    np.testing.assert_allclose(values, np.maximum(every[1:5], 0), atol=1e-9)


@LAW
@given(frames(max_rows=16), forest_names, kinds, st.sampled_from([1, 2]), seeds)
def test_distances_are_diffusion_distances(frame, name, kind, time, seed):
    n_rows = len(frame)
    model = fit_model(frame, name, n_rows - 1, seed, kernel=kind, diffusion_time=time)
    _, degrees, walk = walk_of(model)
    after = np.linalg.matrix_power(walk, time)
    share = degrees / degrees.sum()
    for i in range(n_rows):
        gaps = (after - after[i]) ** 2 / share
        np.testing.assert_allclose(
            np.sum((model.embedding_ - model.embedding_[i]) ** 2, axis=1),
            gaps.sum(axis=1),
            atol=1e-8,
        )


@LAW
@given(frames(), forest_names, kinds, st.sampled_from([0.0, 1.0, 2.5]), seeds)
def test_training_rows_are_mapped_to_themselves(frame, name, kind, time, seed):
    model = fit_model(frame, name, 3, seed, kernel=kind, diffusion_time=time)
    np.testing.assert_allclose(model.transform(frame), model.embedding_, atol=1e-8)


@LAW
@given(frames(), forest_names, kinds, seeds)
def test_one_by_one_equals_all_at_once(frame, name, kind, seed):
    model = fit_model(frame, name, 3, seed, kernel=kind)
    new = shuffled(frame, seed)
    together = model.transform(new)
    alone = np.concatenate([model.transform(new.iloc[[i]]) for i in range(len(new))])
    np.testing.assert_array_equal(alone, together)
    np.testing.assert_array_equal(model.transform(new.iloc[::-1])[::-1], together)


@LAW
@given(frames(), forest_names, kinds, seeds)
def test_leave_one_out_equals_a_kernel_without_the_row(frame, name, kind, seed):
    frame = pd.concat([frame, frame.iloc[:3], frame.iloc[:1]], ignore_index=True)
    model = fit_model(frame, name, 3, seed, kernel=kind)
    index, values = model.kernel_.leaf_kernel_.index, model.kernel_.table_.values
    left_out = model.leave_one_out()
    for row in range(len(frame)):
        same = (values == values[row]) | np.isnan(values) & np.isnan(values[row])
        others = np.flatnonzero(~same.all(axis=1))
        if not len(others):
            np.testing.assert_array_equal(left_out[row], 0)
            continue
        smaller = LeafKernel(index.take(others), kind)
        table = make_leaf_table(smaller, model.embedding_[others], model.eigenvalues_)
        wanted = table.encode(index.ids[[row]])[0]
        scale = 1 / model.eigenvalues_.clip(1e-6)
        np.testing.assert_allclose(left_out[row], wanted, atol=1e-9 * scale.max())


def test_leave_one_out_differs_from_the_embedding(model):
    # A row is always its own neighbour: without itself it moves.
    assert np.abs(model.leave_one_out() - model.embedding_).min(axis=1).max() > 0.01


# --- and back ---------------------------------------------------------------------


@LAW
@given(frames(), forest_names, seeds)
def test_every_row_lies_in_its_own_region(frame, name, seed):
    kernel = fit_kernel(frame, name, seed=seed)
    values = kernel.table_.values
    regions = compatible_regions(kernel.forest_, values)
    for column, n_levels in enumerate(regions.split_levels):
        cells = values[:, column]
        known = ~np.isnan(cells)
        if n_levels:
            allowed = regions.has_level(column)[known]
            assert allowed[np.arange(known.sum()), cells[known].astype(int)].all()
        else:
            assert (regions.lower[known, column] < cells[known]).all()
            assert (cells[known] <= regions.upper[known, column]).all()


@LAW
@given(frames(), forest_names, seeds)
def test_reconstruction_keeps_the_schema(frame, name, seed):
    model = fit_model(frame, name, seed=seed)
    back = model.reconstruct(shuffled(frame, seed))
    assert back.dtypes.to_dict() == frame.dtypes.to_dict()
    assert model.reconstruct(frame).index.equals(frame.index)
    model.kernel_.codec_.encode(back)  # every level is known


def test_one_neighbour_returns_the_rows_that_were_fitted(table):
    model = RFAE(
        3,
        forest=CompletelyRandomForest(50, min_samples_leaf=2),
        decoder=KNNDecoder(1, prototypes="rows"),
        random_state=0,
    )
    Z = model.fit_transform(table)
    assert len(np.unique(Z.round(9), axis=0)) == len(table)
    pd.testing.assert_frame_equal(
        model.inverse_transform(Z).set_index(table.index), table
    )
    assert model.score(table) == 1.0


# --- landmarks and pieces ---------------------------------------------------------


@LAW
@given(frames(), forest_names, seeds)
def test_all_rows_as_landmarks_change_nothing(frame, name, seed):
    every = fit_model(frame, name, 3, seed)
    landmarks = fit_model(frame, name, 3, seed, landmarks=len(frame))
    np.testing.assert_array_equal(landmarks.kernel_.landmarks_, np.arange(len(frame)))
    np.testing.assert_array_equal(landmarks.eigenvalues_, every.eigenvalues_)
    np.testing.assert_allclose(landmarks.embedding_, every.embedding_, atol=1e-8)
    np.testing.assert_array_equal(landmarks.transform(frame), every.transform(frame))


@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("kind", KINDS)
def test_few_landmarks_define_the_kernel(name, kind, table):
    model = fit_model(table, name, 2, landmarks=25, kernel=kind)
    chosen = model.kernel_.landmarks_
    assert len(np.unique(chosen)) == 25
    assert model.embedding_.shape == (len(table), 2)
    np.testing.assert_allclose(
        model.embedding_[chosen], model.map_.embedding_, atol=1e-9
    )
    np.testing.assert_array_equal(model.transform(table), model.embedding_)
    assert model.leave_one_out().shape == (25, 2)
    # Rows that define nothing can be changed without moving the others.
    smaller = LeafKernel(model.kernel_.leaf_kernel_.index, kind)
    np.testing.assert_array_equal(smaller.mass, model.kernel_.leaf_kernel_.mass)
    assert model.kernel_.leaf_kernel_.mass.sum() == 25 * model.kernel_.forest_.n_trees


def test_separate_clusters_are_told_apart_and_the_rest_is_kept():
    rng = np.random.default_rng(0)
    near, far = np.sort(rng.random(40)), 1e9 + np.sort(rng.random(30))
    frame = pd.DataFrame({"x": np.concatenate([near, far])})
    forest = CompletelyRandomForest(30, min_samples_leaf=3)
    model = RFAE(3, forest=forest, random_state=0)
    with pytest.warns(SpectrumWarning, match="falls into 2 components"):
        model.fit(frame)
    assert model.map_.spectrum_.n_graph_components == 2
    assert model.eigenvalues_[0] == 1.0
    assert (model.eigenvalues_[1:] < 1).all()
    first = model.embedding_[:, 0]
    np.testing.assert_allclose(first[:40], first[0])
    np.testing.assert_allclose(first[40:], first[-1])
    assert first[0] * first[-1] < 0
    # The other two follow x within the clusters, one each.
    spread = np.stack([model.embedding_[:40].std(axis=0), model.embedding_[40:].std(0)])
    np.testing.assert_array_equal(spread[:, 1:] > 1e-9, [[True, False], [False, True]])
    for cluster, k in ((slice(0, 40), 1), (slice(40, None), 2)):
        along = np.corrcoef(frame["x"][cluster].rank(), model.embedding_[cluster, k])
        assert abs(along[0, 1]) > 0.8
    np.testing.assert_allclose(model.transform(frame), model.embedding_, atol=1e-9)


def test_connected_tables_do_not_warn(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RFAE(2, forest=CompletelyRandomForest(20), random_state=0).fit(table)
