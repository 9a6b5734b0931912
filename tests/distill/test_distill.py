"""A distilled model is smaller, and places, decodes and predicts nearly alike."""

import pickle

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits, load_wine
from sklearn.ensemble import RandomForestRegressor

from latentforest import (
    RFAE,
    CompletelyRandomForest,
    Refinement,
    Scorer,
    SupervisedForest,
)
from latentforest.distill import _distil
from latentforest.distill._judge import _without
from latentforest.distill._size import size_of
from latentforest.forest import StoredForest
from latentforest.serving import onnx_inputs
from mixed_tables import mixed_frame

# Small forests may fall apart into pieces; that is not asked here.
pytestmark = pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")

TREES = CompletelyRandomForest(60)


def bytes_of(model):
    return size_of(model.encoder_.forest, model.encoder_.n_components)


def same_bits(one, other):
    return np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(other).tobytes()


@pytest.fixture(scope="module")
def digits():
    table = load_digits(as_frame=True).frame.sample(900, random_state=0)
    return table[:600].reset_index(drop=True), table[600:].reset_index(drop=True)


@pytest.fixture(scope="module")
def model(digits):
    return RFAE(2, forest=CompletelyRandomForest(200), random_state=0).fit(digits[0])


@pytest.fixture(scope="module")
def small(model):
    return model.distill(0.25, random_state=0)


@pytest.mark.parametrize("size", [0.5, 0.25, 0.06])
def test_the_size_that_was_asked_for_is_kept(model, size):
    found = model.distill(size, random_state=0)
    assert size * bytes_of(model) - 100 < bytes_of(found) <= size * bytes_of(model)
    told = found.distillation_
    assert told.small.n_bytes == bytes_of(found)
    assert told.small.n_leaves == found.encoder_.forest.n_leaves
    assert told.small.n_trees == found.encoder_.forest.n_trees
    assert (told.large.size, told.small.size) == (1.0, size)


def test_nothing_changes_at_full_size(model, digits):
    same = model.distill(1.0, random_state=0)
    wanted = model.transform(digits[1])
    np.testing.assert_allclose(same.transform(digits[1]), wanted, rtol=1e-10)
    told = same.distillation_
    assert told.small.agreement == pytest.approx(1)
    assert told.small.kept(told.large) == pytest.approx(1)


def test_new_rows_land_near_where_the_large_model_puts_them(model, small, digits):
    """Nearer than by as many bytes of whole trees."""
    new = digits[1]
    wanted, encoder = model.transform(new), model.encoder_
    spread = ((wanted - wanted.mean(axis=0)) ** 2).sum()
    lost = ((small.transform(new) - wanted) ** 2).sum() / spread
    codes = model.codec_.encode(new).values
    ids = encoder.forest.leaves(codes)[:, :50]
    first = 4 * encoder.leaf_table.values[ids].sum(axis=1)
    assert lost < 0.005
    assert lost < ((first - wanted) ** 2).sum() / spread / 2
    assert small.score(new) > model.score(new) - 0.02
    # What the report says of held-back rows is what new rows show.
    assert 1 - small.distillation_.small.agreement == pytest.approx(lost, rel=1)


def test_training_rows_and_decoder_stay(model, small):
    assert same_bits(small.embedding_, model.embedding_)
    assert same_bits(small.leave_one_out(), model.leave_one_out())
    assert same_bits(small.eigenvalues_, model.eigenvalues_)
    at = model.embedding_[:20]
    assert small.inverse_transform(at).equals(model.inverse_transform(at))
    assert small.decoder_ is model.decoder_
    assert model.distillation_ is None
    assert bytes_of(model) > 3 * bytes_of(small)  # and is untouched


def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(digits):
    train, new = digits[0][:200], digits[1]
    found = []
    for n_jobs in (1, 2, 2):
        forest = SupervisedForest(30, min_samples_leaf=3)
        large = RFAE(3, forest=forest, random_state=0, n_jobs=n_jobs)
        small = large.fit(train, train["target"]).distill(0.2, random_state=7)
        found.append((small.transform(new), small.grower_.predict_proba(new)))
        found[-1] += (small.distillation_.report(),)
    for other in found[1:]:
        assert same_bits(other[0], found[0][0])
        assert same_bits(other[1], found[0][1])
        assert other[2] == found[0][2]


def test_another_seed_gives_other_bits(model, small, digits):
    other = model.distill(0.25, random_state=1)
    assert not same_bits(other.transform(digits[1]), small.transform(digits[1]))


def test_files_scorers_graphs_and_pickles_give_the_same_bits(small, digits, tmp_path):
    new = digits[1]
    wanted = small.transform(new)
    whole = small.save(tmp_path / "whole.lf")
    alone = small.save(tmp_path / "alone.lf", drop_training=True)
    assert same_bits(RFAE.load(whole).transform(new), wanted)
    assert same_bits(RFAE.load(whole).leave_one_out(), small.leave_one_out())
    assert same_bits(RFAE.load(alone).transform(new), wanted)
    rows = new.to_numpy()
    for path in (whole, alone):
        assert same_bits(Scorer.load(path).transform(rows), wanted)
    assert same_bits(Scorer.of(small).transform(rows), wanted)
    assert same_bits(pickle.loads(pickle.dumps(small)).transform(new), wanted)
    session = onnxruntime.InferenceSession(
        small.to_onnx().SerializeToString(), providers=["CPUExecutionProvider"]
    )
    graph = session.run(None, onnx_inputs(small, new))[0]
    np.testing.assert_allclose(graph, wanted, rtol=1e-12, atol=1e-12)


def test_files_shrink(model, small, tmp_path):
    before = model.save(tmp_path / "large.lf", drop_training=True).stat().st_size
    after = small.save(tmp_path / "small.lf", drop_training=True).stat().st_size
    assert after < 0.35 * before  # the columns take as much as before


def test_a_loaded_model_says_what_it_is(small, tmp_path):
    again = RFAE.load(small.save(tmp_path / "small.lf", drop_training=True))
    assert again.distillation_ == small.distillation_
    lines = again.distillation_.report().splitlines()
    assert [line.split()[0] for line in lines] == ["size", "large", "small"]
    assert "predictions" not in lines[0]


def test_a_model_with_gaps_can_be_asked_all_that_others_can():
    table = mixed_frame(200, missing=0.1, seed=4)
    settings = {"decoder": "knn", "landmarks": 150, "random_state": 0}
    large = RFAE(2, forest=TREES, **settings).fit(table)
    small = large.distill(0.2, random_state=0)
    assert same_bits(small.embedding_, large.embedding_)
    assert small.fill_gaps(table).notna().all(axis=None)
    with pytest.warns(UserWarning, match="cannot be grown again"):
        _, sure = small.inverse_transform(small.embedding_[:5], return_uncertainty=True)
    assert np.isfinite(sure.std.to_numpy()).any()
    assert small.truncate(1).transform(table).shape == (200, 1)
    assert same_bits(small.truncate(1).embedding_, large.embedding_[:, :1])
    assert len(small.kernel_.gram(table[:3])) == 3
    assert "held-back rows lose" in str(small.describe())


def test_predictions_of_classes_are_kept():
    table, target = load_wine(return_X_y=True, as_frame=True)
    names = np.array(["red", "white", "rose"])[target]
    large = RFAE(2, forest=SupervisedForest(80), random_state=0).fit(table, names)
    small = large.distill(0.25, random_state=0)
    shares = small.grower_.predict_proba(table)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert shares.min() >= 0
    assert small.grower_.n_estimators == small.encoder_.forest.n_trees == 40
    same = small.grower_.predict(table) == large.grower_.predict(table)
    assert same.mean() > 0.97
    assert small.distillation_.small.predictions > 0.9
    assert large.distillation_ is None
    assert large.grower_.forest_.n_trees == 80
    assert "predictions" in small.distillation_.report()
    # The parameter still says what to grow.
    assert clone(small).forest.n_estimators == 80


def test_predictions_of_numbers_are_kept():
    table = load_wine(as_frame=True).data
    target = table.pop("alcohol")
    large = RFAE(2, forest=SupervisedForest(80), random_state=0).fit(table, target)
    small = large.distill(0.25, random_state=0)
    old, new = large.grower_.predict(table), small.grower_.predict(table)
    assert ((old - new) ** 2).mean() < 0.02 * old.var()
    assert small.distillation_.small.predictions > 0.9


def test_forests_of_scikit_learn_are_distilled(tmp_path):
    table = load_wine(as_frame=True).data
    forest = RandomForestRegressor(60, min_samples_leaf=2, random_state=0)
    forest.fit(table, table["alcohol"])
    large = RFAE(2, forest=forest, random_state=0).fit(table)
    small = large.distill(0.25, random_state=0)
    assert isinstance(small.grower_, StoredForest)
    assert "RandomForestRegressor" in small.grower_.source
    assert large.forest is forest
    again = RFAE.load(small.save(tmp_path / "small.lf"))
    assert same_bits(again.transform(table), small.transform(table))
    # To fit it again is to use the trees that are left.
    refitted = clone(small).fit(table)
    assert refitted.encoder_.forest.n_trees == 30
    assert refitted.distillation_ is None


def test_the_smallest_size_that_keeps_enough_is_found(model, monkeypatch):
    monkeypatch.setattr(_distil, "SIZES", (0.5, 0.25, 0.01, 0.005))
    found = model.distill("auto", random_state=0).distillation_
    assert [one.size for one in found.tried] == [0.5, 0.25, 0.01]
    assert found.small.size == 0.25
    assert found.small.kept(found.large) >= 0.99 > found.tried[-1].kept(found.large)
    names = [line.split()[0] for line in found.report().splitlines()[1:]]
    assert names == ["large", "tried", "small", "tried"]
    monkeypatch.setattr(_distil, "SIZES", (0.005,))
    with pytest.raises(ValueError, match=r"less than 99%. Give the size you need"):
        model.distill("auto", random_state=0)


@pytest.mark.parametrize(
    ("size", "error", "words"),
    [
        (0, ValueError, "size=0 leaves nothing"),
        (-0.1, ValueError, "too small"),
        (1.5, ValueError, "too large"),
        (float("nan"), ValueError, "too small"),
        (True, TypeError, "size=True is a bool"),
        ("small", ValueError, "Give a share, or 'auto'"),
        (0.00001, ValueError, "size=1e-05 is too small"),
    ],
)
def test_sizes_that_cannot_be_are_refused(model, size, error, words):
    with pytest.raises(error, match=words):
        model.distill(size)


def test_what_cannot_be_distilled_is_refused(small, tmp_path):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 3)))
    refined = RFAE(forest=TREES, refine=Refinement(1), random_state=0).fit(table)
    with pytest.raises(ValueError, match=r"map is refined.*Fit with refine=None"):
        refined.distill()
    with pytest.raises(ValueError, match="distilled already"):
        small.distill()
    weighed = RFAE(forest=TREES, tree_weights=5, random_state=0).fit(table)
    with pytest.raises(ValueError, match="tree_weights=None"):
        weighed.distill()
    leaves = RFAE(forest=TREES, decoder="relabel", random_state=0).fit(table)
    with pytest.raises(ValueError, match=r"infers leaves of the whole forest.*'knn'"):
        leaves.distill()
    few = RFAE(forest=TREES, random_state=0).fit(table[:24])
    with pytest.raises(ValueError, match=r"24 distinct rows, too few.*at least 25"):
        few.distill()
    plain = RFAE(forest=TREES, landmarks=5, random_state=0).fit(table)
    kernel_rows = plain.encoder_.training.landmarks
    others = np.setdiff1d(np.arange(60), kernel_rows)
    with pytest.raises(ValueError, match=r"all 5 landmarks were held back.*more"):
        _without(None, plain.encoder_, others)
    plain.save(tmp_path / "alone.lf", drop_training=True)
    with pytest.raises(Exception, match="needs the training rows"):
        RFAE.load(tmp_path / "alone.lf").distill()
    with pytest.raises(Exception, match="not fitted"):
        RFAE().distill()
