"""The same seed gives the same bits; fitting changes nothing but the model."""

import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
import threadpoolctl
from pandas.testing import assert_frame_equal
from sklearn.base import clone

from latentforest import RFAE, CompletelyRandomForest, Refinement
from latentforest._base import _parallel
from mixed_tables import FORESTS, mixed_frame, shuffled, target_of

every_forest = pytest.mark.parametrize("name", FORESTS)


def fit(table, name, *, seed=0, **settings):
    model = RFAE(2, forest=FORESTS[name], random_state=seed, **settings)
    return model.fit(table, target_of(table))


def assert_same(one, two, new):
    """Two models are the same if no bit of what they return differs."""
    np.testing.assert_array_equal(one.embedding_, two.embedding_)
    np.testing.assert_array_equal(one.eigenvalues_, two.eigenvalues_)
    np.testing.assert_array_equal(one.transform(new), two.transform(new))
    np.testing.assert_array_equal(one.leave_one_out(), two.leave_one_out())
    assert_frame_equal(one.reconstruct(new), two.reconstruct(new))


@every_forest
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_same_seed_same_bits_for_any_number_of_threads(name, missing):
    # More than 400 rows: the iterative solver takes over from the dense one.
    table = mixed_frame(500, missing=missing)
    assert_same(fit(table, name, n_jobs=1), fit(table, name, n_jobs=2), shuffled(table))


def test_threads_that_share_products_change_no_bit():
    # Enough rows and trees for threaded products, and several blocks of each loop.
    table = mixed_frame(5000, columns=("area", "length", "name"))
    forest = CompletelyRandomForest(50, min_samples_leaf=20)
    one, two = (
        RFAE(2, forest=forest, random_state=0, n_jobs=n_jobs).fit(table)
        for n_jobs in (1, 2)
    )
    assert one.map_.spectrum_.solver == "lanczos"
    assert_same(one, two, shuffled(table))


# Few rows, many columns, coordinates that tie: dense problems of every sort.
SEVERAL_MODELS = """
import hashlib, warnings
import numpy as np
from latentforest import RFAE, CompletelyRandomForest, LassoDecoder, Refinement
from mixed_tables import mixed_frame
warnings.simplefilter("ignore")
table, forest = mixed_frame(300, missing=0.1), CompletelyRandomForest(10)
wide = np.random.default_rng(0).normal(size=(320, 90)).cumsum(axis=1)
digest = hashlib.sha256()
for X, settings in (
    (table, {}),
    (wide, {"n_components": 100}),
    (wide, {"refine": Refinement(2, start="linear"), "n_components": 40}),
    (table, {"refine": 2}),
    (table[:60], {"decoder": LassoDecoder(), "n_components": 20}),
):
    model = RFAE(forest=forest, random_state=0).set_params(**settings).fit(X)
    digest.update(model.embedding_.tobytes() + model.transform(X).tobytes())
    digest.update(repr(np.asarray(model.reconstruct(X)).tolist()).encode())
print(digest.hexdigest())
"""


def test_threads_of_linear_algebra_change_no_bit():
    found = set()
    for n_threads in "1", "2", "4":
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        paths = {"PYTHONPATH": str(Path(__file__).parent)}
        done = subprocess.run(
            [sys.executable, "-c", SEVERAL_MODELS],
            env=os.environ | dict.fromkeys(names, n_threads) | paths,
            check=True,
            capture_output=True,
            text=True,
        )
        found.add(done.stdout)
    assert len(found) == 1


def blas_threads():
    pools = threadpoolctl.threadpool_info()
    return sorted(p["num_threads"] for p in pools if p["user_api"] == "blas")


def test_concurrent_calls_leave_the_process_as_it_was(table):
    with threadpoolctl.threadpool_limits(3, user_api="blas"):
        before = blas_threads()
        # Without a barrier the calls may not overlap.
        start = threading.Barrier(8)

        def work(seed):
            start.wait()
            refine = Refinement(2, start="linear")
            model = RFAE(2, forest=FORESTS["completely random"], random_state=seed)
            return model.set_params(refine=refine).fit(table).transform(table)

        with ThreadPoolExecutor(8) as pool:
            done = list(pool.map(work, [0] * 8))
        assert blas_threads() == before
    assert all((coords == done[0]).all() for coords in done)


def test_what_serves_never_limits_linear_algebra(table, monkeypatch):
    refine = Refinement(2, start="linear")
    model = RFAE(2, forest=CompletelyRandomForest(10), refine=refine, random_state=0)
    Z = model.fit(table).transform(table)
    monkeypatch.setattr(_parallel, "_pools", None)
    np.testing.assert_array_equal(model.transform(table), Z)
    model.inverse_transform(Z)


@every_forest
def test_different_seeds_differ(name, models, table):
    other = fit(table, name, seed=1)
    assert (other.embedding_ != models[name].embedding_).any()
    assert not other.reconstruct(table).equals(models[name].reconstruct(table))


@every_forest
def test_same_seed_same_bits_again(name, models, table):
    assert_same(fit(table, name), models[name], shuffled(table))


def test_forest_may_have_a_seed_of_its_own(table):
    forest = CompletelyRandomForest(10, random_state=3)
    one, two = (
        RFAE(2, forest=forest, decoder="knn", random_state=seed).fit(table)
        for seed in (0, 1)
    )
    np.testing.assert_array_equal(one.kernel_.leaf_ids_, two.kernel_.leaf_ids_)
    assert (one.decoder_.prototypes_ != two.decoder_.prototypes_).any()


@pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")
def test_no_seed_means_another_result_each_time(table):
    one, two = (RFAE(1, forest=CompletelyRandomForest(5)).fit(table) for _ in range(2))
    assert (one.embedding_ != two.embedding_).any()


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
def test_generators_are_accepted_and_advance(kind, table):
    model = RFAE(1, forest=CompletelyRandomForest(5), random_state=kind(0))
    first = model.fit(table).embedding_
    second = model.fit(table).embedding_
    assert (first != second).any()
    model.random_state = kind(0)
    np.testing.assert_array_equal(model.fit(table).embedding_, first)


@every_forest
def test_input_is_not_changed(name):
    table = mixed_frame(missing=0.1)
    kept, y = table.copy(deep=True), target_of(table)
    before = joblib.hash((table, y))
    model = RFAE(2, forest=FORESTS[name], random_state=0).fit(table, y)
    Z = model.transform(table)
    places = Z.copy()
    model.inverse_transform(Z)
    model.score(table)
    assert_frame_equal(table, kept)
    assert joblib.hash((table, y)) == before
    np.testing.assert_array_equal(Z, places)


def test_read_only_arrays_are_enough(table):
    X = table[["length", "area", "count"]].to_numpy(np.float64)
    X.flags.writeable = False
    model = RFAE(2, forest=CompletelyRandomForest(5), random_state=0).fit(X)
    Z = model.transform(X)
    Z.flags.writeable = False
    assert model.inverse_transform(Z).shape == X.shape


@every_forest
def test_global_random_state_is_untouched(name, table):
    np.random.seed(5)  # noqa: NPY002 (the state that must not be touched)
    before = joblib.hash(np.random.get_state())  # noqa: NPY002
    fit(table, name, seed=None).reconstruct(table)
    assert joblib.hash(np.random.get_state()) == before  # noqa: NPY002


@every_forest
def test_use_changes_no_fitted_attribute(name, models, table):
    def use(model):
        Z = model.transform(table)
        answers = Z, model.inverse_transform(Z), model.reconstruct(table)
        more = model.score(table), model.leave_one_out()
        return joblib.hash((answers, more, model.truncate(1).reconstruct(table)))

    model = models[name]
    first = use(model)  # what is worked out when first asked for is there now
    before = joblib.hash(model)
    assert use(model) == first
    assert joblib.hash(model) == before


def test_coordinates_that_were_handed_out_are_not_the_models_own(table):
    model = RFAE(2, forest=CompletelyRandomForest(5), random_state=0)
    Z = model.fit_transform(table)
    before = joblib.hash(model)
    Z *= 2
    assert joblib.hash(model) == before


@every_forest
def test_fit_leaves_parameters_alone(name, table):
    forest = clone(FORESTS[name])
    model = RFAE(2, forest=forest, random_state=0)
    before = joblib.hash(model.get_params())
    model.fit(table, target_of(table))
    assert joblib.hash(model.get_params()) == before
    assert model.forest is forest
    assert not hasattr(forest, "forest_")


@pytest.mark.filterwarnings("ignore::latentforest._base._errors.SpectrumWarning")
@every_forest
def test_second_fit_leaves_nothing_stale(name):
    first = mixed_frame(50, columns=("length", "name", "few"))
    second = mixed_frame(40, columns=("area", "flag"), seed=1)
    again = fit(first, name).fit(second, target_of(second))
    fresh = fit(second, name)
    assert_same(again, fresh, second)
    assert vars(again).keys() == vars(fresh).keys()
    assert list(again.feature_names_in_) == ["area", "flag"]
    assert again.n_features_in_ == 2
    array = second.to_numpy(dtype=float)
    again.fit(array, target_of(second))
    assert not hasattr(again, "feature_names_in_")
    np.testing.assert_array_equal(
        again.transform(array), fit_array(array, name, second).transform(array)
    )


def fit_array(array, name, frame):
    model = RFAE(2, forest=FORESTS[name], random_state=0)
    return model.fit(array, target_of(frame))


@every_forest
def test_pickled_models_return_the_same(name, models, table):
    back = pickle.loads(pickle.dumps(models[name]))
    assert_same(back, models[name], shuffled(table))
    assert_same(back.truncate(1), models[name].truncate(1), table)


@every_forest
def test_clones_are_unfitted_and_fit_to_the_same(name, models, table):
    copy = clone(models[name])
    assert not hasattr(copy, "embedding_")
    assert_same(copy.fit(table, target_of(table)), models[name], shuffled(table))


def test_row_order_only_permutes_a_given_forest(table):
    # The forest is fixed, so the kernel of permuted rows is the permuted kernel.
    forest = CompletelyRandomForest(30, random_state=0).fit(table)
    order = np.random.default_rng(0).permutation(len(table))
    one = RFAE(2, forest=forest).fit(table)
    two = RFAE(2, forest=forest).fit(table.iloc[order])
    np.testing.assert_allclose(two.eigenvalues_, one.eigenvalues_, atol=1e-12)
    np.testing.assert_allclose(
        np.abs(two.embedding_), np.abs(one.embedding_[order]), atol=1e-9
    )


def test_index_labels_do_not_matter(table):
    relabelled = table.set_axis(pd.Index(list("ab") * 30), axis=0)
    one, two = (
        RFAE(2, forest=CompletelyRandomForest(5), random_state=0).fit(X)
        for X in (table, relabelled)
    )
    np.testing.assert_array_equal(one.embedding_, two.embedding_)
