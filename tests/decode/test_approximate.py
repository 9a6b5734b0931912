"""Decoders that search approximately say how well, and are saved with their answers."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from latentforest import (
    RFAE,
    CompletelyRandomForest,
    KNNDecoder,
    LocalLinearDecoder,
    MissingExtraError,
    RecallWarning,
)
from latentforest.decode import _neighbour_decoder
from latentforest.neighbours import ApproximateSearch, NeighbourSearch

pytest.importorskip("voyager")

DECODERS = [
    KNNDecoder(5, prototypes="rows", search="approximate"),
    LocalLinearDecoder(20, search="approximate"),
]
every_decoder = pytest.mark.parametrize("decoder", DECODERS, ids=repr)


@pytest.fixture(scope="module")
def map_and_table():
    rng = np.random.default_rng(0)
    along = rng.normal(size=(1_500, 3))
    Z = np.tanh(along @ rng.normal(size=(3, 10))) + 0.05 * rng.normal(size=(1_500, 10))
    table = pd.DataFrame(along @ rng.normal(size=(3, 4)), columns=list("abcd"))
    table["level"] = np.where(along[:, 0] > 0, "high", "low")
    table.loc[::9, "a"] = np.nan
    return Z, table


@every_decoder
def test_decoded_rows_are_those_of_an_exact_search_or_near(decoder, map_and_table):
    Z, table = map_and_table
    decoder = clone(decoder).fit(Z, table, random_state=0)
    exact = clone(decoder).set_params(search="exact").fit(Z, table, random_state=0)
    assert isinstance(decoder.search_, ApproximateSearch)
    assert isinstance(exact.search_, NeighbourSearch)
    assert exact.recall_ == 1.0
    assert 0.95 < decoder.recall_ <= 1.0
    rows, true = decoder.predict(Z[:200] + 0.01), exact.predict(Z[:200] + 0.01)
    assert (rows["level"] == true["level"]).mean() > 0.98
    assert np.abs(rows["b"] - true["b"]).mean() < 0.02 * table["b"].std()


@every_decoder
def test_recall_is_the_share_of_true_neighbours(decoder, map_and_table, monkeypatch):
    Z, table = map_and_table
    nearest = ApproximateSearch.nearest

    def lose_one_in_five(self, queries, n_neighbors, *, n_jobs=None):
        found = nearest(self, queries, 2 * n_neighbors, n_jobs=n_jobs)
        keep = np.ones(2 * n_neighbors, bool)
        keep[1 : n_neighbors + 1 : 5] = False  # the first is the row itself
        fewer = type(found)(found.rows[:, keep], found.distances[:, keep])
        return fewer.first(n_neighbors)

    monkeypatch.setattr(ApproximateSearch, "nearest", lose_one_in_five)
    with pytest.warns(RecallWarning, match=r"finds \d+%.*'exact'"):
        decoder = clone(decoder).fit(Z, table, random_state=0)
    n = decoder.n_neighbors
    lost = len(range(1, n + 1, 5)) / n
    assert decoder.recall_ == pytest.approx(1 - lost, abs=0.03)


def test_recall_is_measured_anew_at_other_coordinates(map_and_table):
    _, table = map_and_table
    forest = CompletelyRandomForest(20, min_samples_leaf=5)
    knn = KNNDecoder(5, prototypes="rows", search="approximate")
    model = RFAE(10, forest=forest, decoder=knn, random_state=0).fit(table)
    model.decoder_.recall_ = 0.123
    short = model.truncate(4)
    assert short.decoder_.recall_ > 0.9
    assert short.decoder_.search_.points.shape[1] == 4


@every_decoder
def test_models_are_the_same_after_a_reload(decoder, map_and_table, tmp_path):
    _, table = map_and_table
    forest = CompletelyRandomForest(20, min_samples_leaf=5)
    model = RFAE(9, forest=forest, decoder=decoder, random_state=0).fit(table)
    model.save(tmp_path / "model.lf")
    Z = model.embedding_[:300] + 0.01
    for again in (RFAE.load(tmp_path / "model.lf"), pickle.loads(pickle.dumps(model))):
        assert again.decoder.search == again.decoder_.search == "approximate"
        assert again.decoder_.recall_ == model.decoder_.recall_
        assert again.decoder_.search_.effort == model.decoder_.search_.effort
        pd.testing.assert_frame_equal(
            again.inverse_transform(Z), model.inverse_transform(Z)
        )
        rows, sure = again.inverse_transform(Z, return_uncertainty=True)
        assert len(sure.std) == len(rows) == 300


def test_nothing_is_done_before_the_package_is_there(monkeypatch, map_and_table):
    _, table = map_and_table
    monkeypatch.setitem(sys.modules, "voyager", None)
    with pytest.raises(MissingExtraError, match=r"latentforest\[ann\]"):
        RFAE(9, decoder=DECODERS[0]).fit(table)


def test_an_unknown_search_is_refused(map_and_table):
    with pytest.raises(ValueError, match="search='fast'"):
        KNNDecoder(search="fast").fit(*map_and_table)


def test_an_exact_search_needs_no_package(monkeypatch, map_and_table):
    monkeypatch.setattr(_neighbour_decoder, "require", None)
    KNNDecoder(prototypes="rows").fit(*map_and_table)
