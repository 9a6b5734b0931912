"""What guessing loses, and losses measured by the training rows."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest import RFAE, EForest
from latentforest.metrics import RunningDistortion, Yardstick, distortion
from latentforest.table import TableCodec
from mixed_tables import mixed_frame

law = settings(max_examples=25, deadline=None)


def guessed(train, new):
    """Every row is the mean of the numbers and the commonest of the rest."""
    out = {}
    for name in train:
        column = train[name]
        if TableCodec().fit(train).schema_.columns[list(train).index(name)].is_number:
            out[name] = np.full(len(new), column.mean())
        else:
            common = column.value_counts(dropna=False).index[0]
            out[name] = pd.Series([common] * len(new), dtype=column.dtype)
    return pd.DataFrame(out)


@law
@given(st.integers(0, 2**31))
def test_guessing_is_what_a_guess_loses(seed):
    table = mixed_frame(60, missing=0.2, seed=seed % 1_000)[["length", "name", "grade"]]
    train, new = table[:40], table[40:].reset_index(drop=True)
    back = new.sample(frac=1, random_state=seed).reset_index(drop=True)
    found = distortion(new, back, training=train)
    guess = distortion(new, guessed(train, new), training=train)
    for column, plain in zip(found.columns, guess.columns, strict=True):
        if plain.distortion != pytest.approx(column.guess):  # a tie for the commonest
            counts = train[column.name].value_counts(dropna=False)
            assert counts.iloc[0] == counts.iloc[1]
        assert column.relative == pytest.approx(column.distortion / column.guess)


def test_a_rare_level_that_never_comes_back_is_no_better_than_guessing():
    was = pd.DataFrame({"x": ["common"] * 84 + ["rare"] * 16})
    back = pd.DataFrame({"x": ["common"] * 100})
    (column,) = distortion(was, back).columns
    assert (column.distortion, column.guess) == pytest.approx((0.16, 0.16))
    assert column.relative == pytest.approx(1.0)


def test_missing_can_be_the_commonest():
    train = pd.DataFrame({"x": ["a", None, None, "b"]})
    new = pd.DataFrame({"x": ["a", None]})
    assert Yardstick.of(train, None).mode == (None,)
    assert distortion(new, new, training=train).columns[0].guess == 0.5


def test_one_row_is_measured_by_the_spread_of_the_training_rows():
    train = pd.DataFrame({"x": [0.0, 2.0]})  # mean 1, standard deviation 1
    row, back = pd.DataFrame({"x": [1.5]}), pd.DataFrame({"x": [1.0]})
    assert distortion(row, back).mean == 1.0  # no spread of its own
    (column,) = distortion(row, back, training=train).columns
    assert (column.distortion, column.guess) == pytest.approx((0.25, 0.25))
    far = distortion(row, pd.DataFrame({"x": [9.0]}), training=train)
    assert far.mean == 1.0


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e150, 2.0**1000])
def test_numbers_of_any_size_are_measured(scale):
    train = pd.DataFrame({"x": np.array([0.0, 2.0]) * scale})
    row, back = (pd.DataFrame({"x": [x * scale]}) for x in (1.5, 1.0))
    assert distortion(row, back, training=train).mean == pytest.approx(0.25)


def test_constants_lose_all_or_nothing():
    train = pd.DataFrame({"x": [3.0, 3.0]})
    for value, lost, guess in [(3.0, 0.0, 0.0), (4.0, 1.0, 1.0)]:
        row = pd.DataFrame({"x": [value]})
        (column,) = distortion(row, train[:1], training=train).columns
        assert (column.distortion, column.guess) == (lost, guess)
    assert math.isnan(distortion(train, train, training=train).relative)


@law
@given(st.integers(0, 999), st.sampled_from([1, 7, 40]))
def test_blocks_are_measured_as_the_whole(seed, n_block):
    table = mixed_frame(90, missing=0.2, seed=seed)
    train, new = table[:50], table[50:]
    back = new.sample(frac=1, random_state=seed).set_index(new.index)
    schema = TableCodec().fit(table).schema_
    for training in (None, TableCodec.from_schema(schema).encode(train)):
        running = RunningDistortion(schema, training)
        for start in range(0, len(new), n_block):
            part = slice(start, start + n_block)
            running.add(new[part], back[part])
        whole = distortion(new, back, kinds=schema, training=training)
        for one, other in zip(running.result().columns, whole.columns, strict=True):
            assert one.distortion == pytest.approx(other.distortion, nan_ok=True)
            assert one.guess == pytest.approx(other.guess, nan_ok=True)


@pytest.mark.parametrize("model", [RFAE(random_state=0), EForest(random_state=0)])
def test_models_score_by_their_training_rows(model):
    table = mixed_frame(80, seed=1)
    model.fit(table[:60])
    back = model.reconstruct(table[60:])
    wanted = distortion(table[60:], back, training=table[:60]).mean
    assert model.distortion(table[60:]).mean == pytest.approx(wanted)
    assert model.score(table[60:]) == pytest.approx(1 - wanted)
    assert model.score(table[60:61]) > 0  # a single row has a score
    again = model.fit(table[20:]).yardstick_  # that of the new training rows
    np.testing.assert_array_equal(again.mean, Yardstick.of(table[20:], None).mean)
