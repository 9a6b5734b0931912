"""Files without training rows: they transform, and say why they do no more."""

import re

import numpy as np
import pytest
from sklearn.utils.validation import check_is_fitted

from files.model_cases import HOLED, NUMBERS, fitted, model_of, rows_of, same_bits
from latentforest import RFAE, Refinement, SupervisedForest
from latentforest._base._errors import DroppedTrainingError, ModelFileError
from latentforest.files import describe, load_model, save_model
from latentforest.forest import StoredForest

CASES = ["classes", "sklearn numbers", "knn draw", "landmarks", "scornet", "kinds"]
CASES += ["oob", "gap", "gap, weighed", "weighed", "first trees"]
REFINED = [
    "refined",
    "refined forest",
    "refined linear",
    "refined neighbours",
    "refined some rows",
]
REFINED += ["refined packed", "packed some rows"]


@pytest.mark.parametrize("case", CASES + REFINED)
def test_transform_gives_the_same_bits(case, tmp_path):
    model = model_of(case)
    path = save_model(model, tmp_path / "small.lf", drop_training=True)
    again = load_model(path, RFAE)
    rows = rows_of(model)
    assert same_bits(again.transform(rows), model.transform(rows))
    if case in {*CASES, "refined forest"}:
        assert same_bits(again.eigenvalues_, model.eigenvalues_)
    else:  # the forest's own map has no part in placing rows
        with pytest.raises(DroppedTrainingError, match="eigenvalues_ needs the tr"):
            again.eigenvalues_
    assert list(again.get_feature_names_out()) == list(model.get_feature_names_out())
    assert repr(again.decoder) == repr(model.decoder)
    assert again.schema_ == model.schema_


@pytest.mark.parametrize("case", ["knn draw", "refined"])
def test_everything_else_says_why_not(case, tmp_path):
    model = model_of(case)
    path = save_model(model, tmp_path / "small.lf", drop_training=True)
    again, coords = load_model(path, RFAE), model.transform(HOLED)
    check_is_fitted(again)
    assert "RFAE" in repr(again)
    for ask in (
        lambda: again.inverse_transform(coords),
        lambda: again.inverse_transform(coords, return_uncertainty=True),
        lambda: again.reconstruct(HOLED),
        lambda: again.score(HOLED),
        lambda: again.embedding_,
        again.leave_one_out,
        lambda: again.truncate(1),
        lambda: again.kernel_,
        lambda: again.map_,
        lambda: again.decoder_,
    ):
        with pytest.raises(
            DroppedTrainingError, match=r"saved with drop_training=True"
        ):
            ask()
    codes = model.codec_.encode(HOLED).values
    assert same_bits(again.encoder_.forest.leaves(codes), model.kernel_.leaves(HOLED))
    assert same_bits(again.encoder_.place(codes), coords)


def test_the_error_is_one_of_ours():
    assert issubclass(DroppedTrainingError, ModelFileError)
    assert not issubclass(DroppedTrainingError, AttributeError)


def test_saving_again_keeps_it_as_it_is(tmp_path):
    for case in ("knn draw", "refined linear"):
        model = model_of(case)
        path = save_model(model, tmp_path / "one.lf", drop_training=True)
        again = save_model(load_model(path, RFAE), tmp_path / "two.lf")
        assert again.read_bytes() == path.read_bytes()


def test_no_training_row_is_inside(tmp_path):
    model = fitted(decoder="knn")
    path = save_model(model, tmp_path / "small.lf", drop_training=True)
    names = {member.name for member in describe(path).members}
    kept = {name.partition("/")[0] for name in names}
    assert kept == {"forest", "map"}
    assert {"map/embedding.npy", "map/vectors.npy"}.isdisjoint(names)
    assert describe(path).n_rows == 0
    assert not describe(path).has_training
    # A refined map is a search among its rows.
    model = fitted(refine=Refinement(1, n_neighbors=8, max_rows=12))
    path = save_model(model, tmp_path / "refined.lf", drop_training=True)
    assert describe(path).n_rows == 12


def test_it_can_be_fitted_again(tmp_path):
    model = fitted(forest=SupervisedForest(5), y=HOLED["few"], decoder="knn")
    path = save_model(model, tmp_path / "small.lf", drop_training=True)
    again = load_model(path, RFAE)
    assert isinstance(again.grower_, StoredForest)
    again.fit(HOLED, HOLED["few"])
    assert same_bits(again.embedding_, model.embedding_)
    foreign = load_model(
        save_model(model_of("sklearn classes"), path, drop_training=True), RFAE
    )
    assert re.match("RandomForestClassifier", foreign.forest.source)
    assert np.isfinite(foreign.fit(NUMBERS).embedding_).all()
