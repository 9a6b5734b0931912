"""One encoder: put together once, read once, and split from what it was trained on."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from latentforest import (
    RFAE,
    CompletelyRandomForest,
    DiffusionMap,
    ForestKernel,
    Refinement,
)
from latentforest._base._errors import DroppedTrainingError
from latentforest.encoder import _encoder, fit_encoder
from latentforest.forest import GrownForest, SupervisedForest
from latentforest.table import EncodedTable, TableCodec, _codec, _schema
from mixed_tables import mixed_frame

FOREST = CompletelyRandomForest(10, min_samples_leaf=3, random_state=0)
TABLE = mixed_frame(60, missing=0.1, seed=3)


def counted(monkeypatch, module, name):
    """Count the calls of a function; return the list that they end in."""
    calls, function = [], getattr(module, name)

    def counting(*args, **kwargs):
        calls.append(args)
        return function(*args, **kwargs)

    monkeypatch.setattr(module, name, counting)
    return calls


@pytest.mark.parametrize(
    "model",
    [
        RFAE(2, forest=FOREST, random_state=0),
        RFAE(2, forest=FOREST, refine=2, random_state=0),
        RFAE(2, forest=FOREST, landmarks=30, random_state=0),
        RFAE.auto(2, time_budget=0, random_state=0),
    ],
)
def test_a_table_is_read_once(model, monkeypatch):
    opened = counted(monkeypatch, _codec, "open_table")
    model.fit(TABLE)
    assert len(opened) == 1


def test_an_encoded_table_is_taken_as_it_is(monkeypatch):
    model = RFAE(2, forest=FOREST, random_state=0).fit(TABLE)
    encoded = TableCodec().fit_encode(TABLE)
    opened = counted(monkeypatch, _codec, "open_table")
    again = RFAE(2, forest=FOREST, random_state=0).fit(encoded)
    assert not opened
    np.testing.assert_array_equal(again.embedding_, model.embedding_)
    np.testing.assert_array_equal(again.transform(TABLE), model.transform(TABLE))
    pd.testing.assert_frame_equal(again.reconstruct(TABLE), model.reconstruct(TABLE))


def test_an_encoded_table_must_be_the_forests_own():
    forest = CompletelyRandomForest(5, random_state=0).fit(TABLE)
    encoded = TableCodec().fit_encode(TABLE[:20])
    with pytest.raises(ValueError, match="other columns or levels"):
        RFAE(2, forest=forest).fit(encoded)
    own = EncodedTable(forest.codec_.schema_, forest.codec_.encode(TABLE).values)
    assert RFAE(2, forest=forest).fit(own).embedding_.shape == (60, 2)


def test_trials_share_what_does_not_change(monkeypatch):
    left_out = counted(monkeypatch, _encoder, "leave_one_out")
    distinct = counted(monkeypatch, _schema, "number_rows")
    # Columns that packed coordinates are not far ahead on.
    model = RFAE.auto(2, random_state=0).fit(TABLE[["length", "area", "flag", "rank"]])
    forests, parts = 2, 2
    assert len(model.tried_) > 2 * forests
    # Once for each forest and part of the contest, and once for a model that begins so.
    begins_so = model.tried_[0].refinement.start == "forest"
    assert len(left_out) == forests * parts + begins_so
    # Copies are looked for once in each table: all rows, and those of each part.
    assert len(distinct) == 1 + parts


def test_the_encoder_of_a_model_is_the_one_put_together_by_hand():
    model = RFAE(3, forest=FOREST, kernel="scornet", random_state=0).fit(TABLE)
    training = model.encoder_.trained_on("this test")
    grown = GrownForest(model.encoder_.forest, training.leaf_ids)
    by_hand = fit_encoder(training.table, grown, model.map_, kind="scornet")
    codes = training.table.values
    np.testing.assert_array_equal(by_hand.place(codes), model.encoder_.place(codes))
    np.testing.assert_array_equal(by_hand.embedding, model.embedding_)
    np.testing.assert_array_equal(by_hand.leave_one_out(), model.leave_one_out())


@pytest.mark.parametrize("refine", [None, 2, Refinement(2, start="linear")])
def test_placing_needs_nothing_of_the_training(refine):
    model = RFAE(2, forest=FOREST, refine=refine, random_state=0).fit(TABLE)
    bare = replace(model.encoder_, training=None)
    codes = model.codec_.encode(TABLE).values
    np.testing.assert_array_equal(bare.place(codes), model.encoder_.place(codes))
    for ask in (bare.context, bare.leave_one_out, lambda: bare.truncate(1)):
        with pytest.raises(DroppedTrainingError, match="needs the training rows"):
            ask()


def test_the_kernel_of_a_model_is_that_of_the_forest():
    y = TABLE["few"]
    forest = SupervisedForest(10, random_state=0)
    model = RFAE(2, forest=forest, random_state=0).fit(TABLE, y)
    kernel = ForestKernel(forest).fit(TABLE, y)
    np.testing.assert_array_equal(model.kernel_.gram(TABLE), kernel.gram(TABLE))
    assert model.kernel_ is model.kernel_
    assert isinstance(model.map_, DiffusionMap)
