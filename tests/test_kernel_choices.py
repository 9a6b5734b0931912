"""Kernels and weights of trees, from the table to the map."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from sklearn.tree import DecisionTreeRegressor

from latentforest import (
    RFAE,
    CompletelyRandomForest,
    ForestKernel,
    LassoDecoder,
    Refinement,
    SupervisedForest,
)
from latentforest._trials import Part
from latentforest.encoder import fit_encoder
from latentforest.forest import GrownForest, TreeFacts
from latentforest.plot._film import _map_at_depth
from latentforest.spectral import DiffusionMap
from mixed_tables import LAW, frames, mixed_frame, shuffled, target_of

pytestmark = pytest.mark.filterwarnings(
    "ignore::latentforest._base._errors.SpectrumWarning"
)

COLUMNS = ("length", "area", "count", "few", "flag")
TABLE = mixed_frame(60, columns=COLUMNS, seed=3)
RESPONSE = TABLE["count"] + TABLE["length"].fillna(0)
seeds = st.integers(0, 9_999)


# --- out-of-bag predictions -------------------------------------------------------


def out_of_bag_by_hand(forest, table):
    """Mean of the leaf values over trees that did not see the row; NaN if all did."""
    ids = forest.forest_.leaves(forest.codec_.encode(table).values)
    out = forest.in_bag_ == 0
    said = forest.leaf_values_[ids] * out[:, :, None]
    with np.errstate(invalid="ignore"):
        return said.sum(axis=1) / out.sum(axis=1)[:, None]


@LAW
@given(frames(), st.booleans(), seeds)
def test_proximities_predict_out_of_bag_as_our_forest_does(frame, regression, seed):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=len(frame)) if regression else rng.integers(3, size=len(frame))
    forest = SupervisedForest(10, min_samples_leaf=2, random_state=seed)
    kernel = ForestKernel(forest, kind="gap").fit(frame, y)
    response = y[:, None] if regression else y[:, None] == kernel.grower_.classes_
    wanted = out_of_bag_by_hand(kernel.grower_, frame)
    known = np.isfinite(wanted[:, 0])
    np.testing.assert_allclose(
        kernel.out_of_bag(response)[known], wanted[known], atol=1e-12
    )
    proximities = kernel.out_of_bag(np.eye(len(frame)))
    np.testing.assert_allclose(proximities[known].sum(axis=1), 1.0)
    # New rows get the forest's own prediction, and need no draws told.
    new = shuffled(frame, seed)
    predict = kernel.grower_.predict if regression else kernel.grower_.predict_proba
    np.testing.assert_allclose(
        kernel.smooth(new, response),
        np.reshape(predict(new), (len(new), -1)),
        atol=1e-12,
    )


SKLEARN = {
    "regressor": RandomForestRegressor(12, min_samples_leaf=2, oob_score=True),
    "half the rows": RandomForestRegressor(12, max_samples=0.5, oob_score=True),
    "classifier": RandomForestClassifier(12, oob_score=True),
    "extra trees": ExtraTreesClassifier(12, bootstrap=True, oob_score=True),
}


def fit_sklearn(name, seed=0):
    forest = clone(SKLEARN[name]).set_params(random_state=seed)
    y = RESPONSE if "Regressor" in type(forest).__name__ else target_of(TABLE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some rows are never out of bag
        return forest.fit(TABLE, y), np.asarray(y)


@pytest.mark.parametrize("name", SKLEARN)
@pytest.mark.parametrize("seed", range(3))
def test_proximities_predict_out_of_bag_as_scikit_learn_does(name, seed):
    forest, y = fit_sklearn(name, seed)
    kernel = ForestKernel(forest, kind="gap").fit(TABLE)
    classify = hasattr(forest, "classes_")
    response = y[:, None] == forest.classes_ if classify else y
    wanted = forest.oob_decision_function_ if classify else forest.oob_prediction_
    drawn = [np.bincount(rows, minlength=60) for rows in forest.estimators_samples_]
    known = (np.stack(drawn) == 0).any(axis=0)
    assert known.sum() > 50
    np.testing.assert_allclose(
        kernel.out_of_bag(response)[known], wanted[known], atol=1e-12
    )
    predicted = forest.predict_proba(TABLE) if classify else forest.predict(TABLE)
    np.testing.assert_allclose(kernel.smooth(TABLE, response), predicted, atol=1e-12)


NEEDS = "needs to know which rows each tree was grown on, but "
UNKNOWN = {
    "grown": (CompletelyRandomForest(5), TABLE, NEEDS + "this forest does not tell"),
    "own": (
        CompletelyRandomForest(5).fit(TABLE),
        TABLE,
        NEEDS + "a CompletelyRandomForest does not tell",
    ),
    "own, fewer rows": (
        SupervisedForest(5).fit(TABLE, RESPONSE),
        TABLE[:50],
        NEEDS + "the forest was fitted on 60 rows, and 50 are given",
    ),
    "fewer rows": (
        fit_sklearn("regressor")[0],
        TABLE[:50],
        NEEDS + "the forest was fitted on 60 rows, and 50 are given",
    ),
    "another order": (
        fit_sklearn("classifier")[0],
        TABLE[::-1],
        NEEDS + "the rows given are not those",
    ),
    "one tree": (
        DecisionTreeRegressor().fit(TABLE, RESPONSE),
        TABLE,
        NEEDS + "a DecisionTreeRegressor does not tell",
    ),
    "all rows": (
        RandomForestRegressor(5, bootstrap=False).fit(TABLE, RESPONSE),
        TABLE,
        "every tree was grown on all rows.*bootstrap=True",
    ),
    "embedding": (
        RandomTreesEmbedding(5).fit(TABLE),
        TABLE,
        "every tree was grown on all rows",
    ),
}


@pytest.mark.parametrize("kind", ["oob", "gap"])
@pytest.mark.parametrize("case", UNKNOWN)
def test_forests_that_do_not_tell_are_refused(kind, case):
    forest, table, match = UNKNOWN[case]
    with pytest.raises(ValueError, match=match):
        RFAE(2, forest=forest, kernel=kind, random_state=0).fit(table)


def test_isolation_forests_tell_too():
    forest = IsolationForest(n_estimators=20, max_samples=30, random_state=0).fit(TABLE)
    model = RFAE(2, forest=forest, kernel="oob", random_state=0).fit(TABLE)
    assert (model.encoder_.training.in_bag.sum(axis=0) == 30).all()


# --- maps -------------------------------------------------------------------------


def fit_model(frame, kind, seed, forest=None, **settings):
    forest = forest or SupervisedForest(10, min_samples_leaf=2)
    model = RFAE(3, forest=forest, kernel=kind, random_state=seed, **settings)
    return model.fit(frame, target_of(frame, seed=seed))


@LAW
@given(frames(), st.sampled_from(["rf", "scornet"]), seeds)
def test_weights_of_trees_keep_training_rows_where_they_are(frame, kind, seed):
    weights = np.random.default_rng(seed).uniform(0, 2, size=10).round(1)
    assume(weights.any())
    model = fit_model(frame, kind, seed, tree_weights=weights)
    np.testing.assert_allclose(model.transform(frame), model.embedding_, atol=1e-8)


@LAW
@given(frames(), st.sampled_from(["oob", "gap"]), st.booleans(), seeds)
def test_maps_are_eigenvectors_of_the_walk(frame, kind, weighed, seed):
    weights = np.arange(1.0, 11.0) if weighed else None
    model = fit_model(frame, kind, seed, tree_weights=weights)
    K = model.kernel_.leaf_kernel_.dot(np.eye(len(frame)))
    walk = K / K.sum(axis=1, keepdims=True)
    Z, values = model.embedding_, model.eigenvalues_
    np.testing.assert_allclose(walk @ Z, Z * values, atol=1e-8)
    root = np.sqrt(K.sum(axis=1))
    every = np.linalg.eigvalsh(K / root / root[:, None])[::-1]
    np.testing.assert_allclose(values, np.maximum(every[1:4], 0), atol=1e-8)


@pytest.mark.parametrize("kind", ["oob", "gap"])
def test_training_rows_are_not_new_to_kernels_that_know_bags(kind):
    # They are in bag in some trees, and new rows in none: placed anew, they move.
    model = fit_model(TABLE, kind, 0, forest=SupervisedForest(200))
    moved = np.abs(model.transform(TABLE) - model.embedding_).max()
    assert 0.01 < moved < np.abs(model.embedding_).max()
    # Out of bag they lie where new rows do: nearer to it than to where they overfit.
    left_out = model.leave_one_out()
    corr = [np.corrcoef(left_out[:, j], model.embedding_[:, j])[0, 1] for j in range(3)]
    assert min(corr) > 0.9


@pytest.mark.parametrize("kind", ["oob", "gap"])
def test_what_was_learned_by_heart_is_not_seen_out_of_bag(kind):
    # Classes are drawn at random: whatever tells them apart is overfitted.
    rng = np.random.default_rng(0)
    table, y = pd.DataFrame(rng.normal(size=(300, 6))), rng.integers(2, size=300)
    forest = RandomForestClassifier(100, random_state=0).fit(table, y)

    def steps_to_own_class(kind):
        K = ForestKernel(forest, kind=kind).fit(table).leaf_kernel_.dot(np.eye(300))
        np.fill_diagonal(K, 0)
        return np.average(y[:, None] == y, weights=K)

    assert steps_to_own_class("rf") > 0.6
    assert abs(steps_to_own_class(kind) - 0.5) < 0.05


CHOICES = {"oob": None, "gap": 7, "scornet": np.arange(10.0)}  # and weights of trees


def facts_of(model, rows):
    """What is known of some training rows."""
    training = model.encoder_.training
    draws = None if training.in_bag is None else training.in_bag[rows]
    return GrownForest(model.encoder_.forest, training.leaf_ids[rows], TreeFacts(draws))


@pytest.mark.parametrize("kind", CHOICES)
def test_maps_without_some_rows_are_of_the_same_kernel(kind):
    model = fit_model(TABLE, kind, 0, tree_weights=CHOICES[kind])
    known, held = np.arange(0, 60, 2), np.arange(1, 60, 2)
    table = model.encoder_.training.table
    _, coords = model.encoder_.context().hold_out(known, held)
    by_hand = fit_encoder(
        table.take(known),
        facts_of(model, known),
        DiffusionMap(3, random_state=0),
        kind=kind,
        tree_weights=CHOICES[kind],
    )
    np.testing.assert_array_equal(coords, by_hand.place(table.values[held]))


@pytest.mark.parametrize("kind", CHOICES)
def test_films_end_with_the_kernel_of_the_model(kind):
    model = fit_model(TABLE, kind, 0, tree_weights=CHOICES[kind])
    table = model.encoder_.training.table
    last = _map_at_depth(model, table, None, 100)
    np.testing.assert_allclose(last, model.transform(TABLE)[:, :2], atol=1e-8)


@pytest.mark.parametrize("kind", CHOICES)
def test_settings_are_tried_with_the_kernel_of_the_model(kind):
    forest = SupervisedForest(10, min_samples_leaf=2)
    weights = CHOICES[kind]
    model = RFAE(2, forest=forest, refine="auto", kernel=kind, tree_weights=weights)
    plain = fit_model(TABLE, "rf", 0)
    part = Part(plain.encoder_.training.table, target_of(TABLE), TABLE.to_numpy()[:3])
    kernel = part.encoder(0, model, 0).training.kernel
    assert kernel.kind == kind
    assert (kernel.factors is None) is (weights is None)


@pytest.mark.parametrize("kind", CHOICES)
def test_the_kernel_of_a_model_can_be_fitted_again(kind):
    model = fit_model(TABLE, kind, 0, tree_weights=CHOICES[kind])
    kernel = model.kernel_
    again = ForestKernel(
        kernel.grower_, kind=kernel.kind, tree_weights=kernel.tree_weights
    ).fit(TABLE)
    np.testing.assert_array_equal(again.leaf_kernel_.scale, kernel.leaf_kernel_.scale)
    vector = np.arange(60.0)
    np.testing.assert_array_equal(
        again.leaf_kernel_.dot(vector), kernel.leaf_kernel_.dot(vector)
    )


# --- weights of trees -------------------------------------------------------------


def same(one, other):
    np.testing.assert_array_equal(one.embedding_, other.embedding_)
    np.testing.assert_array_equal(one.transform(TABLE), other.transform(TABLE))
    np.testing.assert_array_equal(one.leave_one_out(), other.leave_one_out())


@pytest.mark.parametrize("kind", ["rf", "scornet", "oob", "gap"])
@pytest.mark.parametrize("weights", ["equal", np.full(10, 0.1), 10])
def test_equal_weights_are_none(kind, weights):
    same(fit_model(TABLE, kind, 1, tree_weights=weights), fit_model(TABLE, kind, 1))


def test_first_trees_are_weights_of_one_and_zero():
    first = fit_model(TABLE, "rf", 1, tree_weights=4)
    same(first, fit_model(TABLE, "rf", 1, tree_weights=[1.0] * 4 + [0.0] * 6))
    small = SupervisedForest(4, min_samples_leaf=2)
    # The trees of a forest do not depend on how many follow.
    fewer = fit_model(TABLE, "rf", 1, forest=small)
    np.testing.assert_allclose(first.eigenvalues_, fewer.eigenvalues_, atol=1e-12)
    np.testing.assert_allclose(
        first.transform(TABLE), fewer.transform(TABLE), atol=1e-8
    )


def test_gain_is_told_by_scikit_learn():
    forest, _ = fit_sklearn("regressor")
    gain = ForestKernel(forest, tree_weights="gain").fit(TABLE).leaf_kernel_.factors
    total = [
        sum(tree.tree_.compute_feature_importances(normalize=False))
        for tree in forest.estimators_
    ]
    np.testing.assert_allclose(gain, total / np.mean(total))


@pytest.mark.parametrize("name", ["shrinkage", "gain"])
def test_facts_of_trees_become_weights(name):
    plain = fit_model(TABLE, "rf", 0)
    training, told = plain.encoder_.training, np.array([0.5, -0.1, *range(8)])
    facts = TreeFacts(**{name: told})
    grown = GrownForest(plain.encoder_.forest, training.leaf_ids, facts)
    encoder = fit_encoder(
        training.table, grown, DiffusionMap(2, random_state=0), tree_weights=name
    )
    # A tree that made things worse counts nothing.
    np.testing.assert_array_equal(encoder.tree_weights, np.maximum(told, 0))


@pytest.mark.parametrize(
    ("weights", "error", "match"),
    [
        ("loss", ValueError, "Choose one of 'equal', 'shrinkage', 'gain'"),
        ("shrinkage", ValueError, "does not tell the shrinkage.*learning rate"),
        ("gain", ValueError, "does not tell the gain.*as an array"),
        (0, ValueError, "at least 1"),
        (11, ValueError, "at most 10"),
        ([1.0, 2.0], ValueError, r"one per tree: \(10,\)"),
        ([-1.0] * 10, ValueError, "at least 0"),
        (True, TypeError, "bool"),
    ],
)
def test_wrong_weights_are_refused(weights, error, match):
    with pytest.raises(error, match=match):
        fit_model(TABLE, "rf", 0, tree_weights=weights)


def test_names_are_checked_before_anything_grows():
    class Fragile(CompletelyRandomForest):
        def grow(self, *_):
            raise AssertionError

    with pytest.raises(ValueError, match="Choose one of"):
        RFAE(2, forest=Fragile(3), tree_weights="loss").fit(TABLE)


def test_decoders_of_the_plain_kernel_refuse_weights():
    with pytest.raises(ValueError, match="equal tree weights"):
        fit_model(TABLE, "rf", 0, decoder=LassoDecoder(), tree_weights=3)


def test_weights_that_a_refined_map_does_not_use_are_told():
    with pytest.warns(UserWarning, match="tree_weights: they shape the diffusion map"):
        fit_model(TABLE, "rf", 0, refine=Refinement(1, n_neighbors=8), tree_weights=3)


@pytest.mark.parametrize("settings", [{"kernel": "gap"}, {"tree_weights": 20}])
def test_forecasts_know_kernels(settings):
    plain, other = (
        RFAE(2, forest="supervised", refine=None, **more).estimate(rows=5000, columns=9)
        for more in ({}, settings)
    )
    more = settings.get("kernel") is not None
    assert (other.fit_bytes > plain.fit_bytes) is more
    assert (other.fit_seconds > plain.fit_seconds) is more
    assert (other.file_bytes > plain.file_bytes) is more
    assert other.encoder_bytes == plain.encoder_bytes
