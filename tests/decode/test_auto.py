"""The automatic decoder: an honest comparison on rows that were held back."""

import numpy as np
import pandas as pd
import pytest

from latentforest import RFAE, AutoDecoder, CompletelyRandomForest
from latentforest.choice import held_out_parts
from latentforest.decode._auto import FIVE_PARTS, ONE_PART
from latentforest.metrics import Yardstick, code_distortions, distortion
from latentforest.table import TableCodec
from mixed_tables import mixed_frame


@pytest.fixture(scope="module")
def model():
    forest = CompletelyRandomForest(30)
    return RFAE(2, forest=forest, decoder="auto", random_state=0).fit(mixed_frame(150))


def test_the_best_is_kept_and_all_are_reported(model):
    auto = model.decoder_
    losses = [trial.distortion for trial in auto.tried_]
    assert losses == sorted(losses)
    assert len({repr(trial.decoder) for trial in auto.tried_}) == len(losses) >= 8
    assert auto.chosen_ is auto.tried_[0].decoder
    np.testing.assert_array_equal(
        auto.decode(model.embedding_), auto.chosen_.decode(model.embedding_)
    )
    report = auto.report().splitlines()
    assert report[0] == "distortion  decoder"
    assert report[1].endswith(repr(auto.chosen_))
    assert len(report) == len(losses) + 1


def test_reported_distortion_is_that_of_the_metric():
    table = TableCodec().fit_encode(mixed_frame(80, missing=0.2))
    other = TableCodec.from_schema(table.schema)
    shuffled = table.values[np.random.default_rng(0).permutation(80)]
    wanted = distortion(
        other.decode(table.values), other.decode(shuffled), kinds=table.schema
    )
    measure = Yardstick.of_table(table)
    got = code_distortions(measure, table.values, shuffled)
    np.testing.assert_allclose(got, [c.distortion for c in wanted.columns], atol=1e-6)


def test_copies_are_held_back_together():
    # Noise cannot be decoded; who knows the copies thinks it can.
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(100, 4)))
    sample = noise.iloc[rng.integers(100, size=100)]
    auto = AutoDecoder().fit(rng.normal(size=(100, 1))[sample.index], sample)
    assert auto.tried_[0].distortion > 0.9
    table = TableCodec().fit_encode(sample)
    number = table.distinct_rows()
    held = []
    for part in held_out_parts(table, rng, FIVE_PARTS):
        assert not set(number[part.held]) & set(number[part.known])
        assert len(np.unique(number[part.held])) == len(part.held)
        held.extend(number[part.held])
    assert sorted(held) == sorted(set(number))


def test_long_tables_are_sampled():
    table = TableCodec().fit_encode(pd.DataFrame({"x": np.arange(10_000.0)}))
    (part,) = held_out_parts(table, np.random.default_rng(0), ONE_PART)
    assert (len(part.held), len(part.known)) == (1_000, 9_000)
    parts = list(held_out_parts(table, np.random.default_rng(0), FIVE_PARTS))
    assert [len(part.held) for part in parts] == [200] * 5
    assert [len(part.known) for part in parts] == [9_800] * 5
    assert len(np.unique(np.concatenate([part.held for part in parts]))) == 1_000


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]}),
        pd.DataFrame({"x": [1.0] * 9}),
        pd.DataFrame({"x": [1.0, np.nan, 2.0] * 3, "y": [np.nan] * 9}),
    ],
    ids=["two rows", "copies of one row", "nearly nothing"],
)
def test_tiny_tables_are_decoded(table):
    Z = np.arange(len(table), dtype=float)[:, None]
    decoded = AutoDecoder().fit(Z, table, random_state=0).predict(Z)
    assert decoded.shape == table.shape


def test_it_chooses_a_plane_for_a_plane_and_rows_for_islands():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(400, 2))
    plane = pd.DataFrame(Z @ rng.normal(size=(2, 3)))
    chosen = AutoDecoder().fit(Z, plane, random_state=0).chosen_
    assert type(chosen).__name__ == "LocalLinearDecoder"
    # Two numbers on each of 100 far islands: wide planes mix the islands up.
    island = np.repeat(np.arange(100), 4)
    far = pd.DataFrame({"x": rng.permutation(100)[island] + 0.001 * rng.random(400)})
    Z = 1000.0 * rng.normal(size=(100, 2))[island] + rng.normal(size=(400, 2))
    chosen = AutoDecoder().fit(Z, far, random_state=0).chosen_
    assert chosen.n_neighbors == 5
