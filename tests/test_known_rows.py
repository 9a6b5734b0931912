"""Rows that were trained on: where they lie, and where new rows like them would."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import NearestNeighbors

from latentforest import RFAE, CompletelyRandomForest, Refinement, Scorer
from mixed_tables import factor_frame, shuffled

FOREST = CompletelyRandomForest(40)
STARTS = ["neighbours", "forest", "linear"]


TABLE = factor_frame(500, 0)


@pytest.fixture(scope="module")
def default():
    return RFAE(random_state=0).fit(TABLE)


@pytest.fixture(scope="module", params=STARTS)
def model(request):
    refine = Refinement(3, start=request.param)
    return RFAE(2, forest=FOREST, refine=refine, random_state=0).fit(TABLE)


def test_transform_gives_training_rows_their_places(default, tmp_path):
    np.testing.assert_array_equal(default.transform(TABLE), default.embedding_)
    rows = np.random.default_rng(0).integers(len(TABLE), size=200)
    wanted = default.embedding_[rows]
    copies = TABLE.iloc[rows]
    np.testing.assert_array_equal(default.transform(copies), wanted)
    path = default.save(tmp_path / "whole.lf")
    bare = default.save(tmp_path / "bare.lf", drop_training=True)
    for again in (RFAE.load(path), RFAE.load(bare), Scorer.load(bare)):
        np.testing.assert_array_equal(again.transform(copies), wanted)


def test_new_rows_among_known_ones_are_placed(default):
    new = factor_frame(100, 1)
    both = pd.concat([new, TABLE], ignore_index=True)
    coords = default.transform(both)
    np.testing.assert_array_equal(coords[:100], default.transform(new))
    np.testing.assert_array_equal(coords[100:], default.embedding_)


def test_fit_transform_is_transform(default):
    made = RFAE(random_state=0).fit_transform(TABLE)
    np.testing.assert_array_equal(made, default.transform(TABLE))


@pytest.mark.parametrize("kernel", ["rf", "scornet"])
def test_plain_maps_place_training_rows_where_they_lie(kernel):
    model = RFAE(3, forest=FOREST, kernel=kernel, random_state=0).fit(TABLE)
    coords = model.transform(TABLE)
    np.testing.assert_allclose(coords, model.embedding_, rtol=0, atol=1e-8)
    placed = model.encoder_.place(model.codec_.encode(TABLE).values)
    np.testing.assert_array_equal(coords, placed)


def test_near_copies_do_not_jump(model):
    near = TABLE.copy()
    near["x3"] += 1e-6 * TABLE["x3"].std()
    moved = model.transform(near) - model.embedding_
    far = np.linalg.norm(moved / model.embedding_.std(axis=0), axis=1) > 0.1
    assert far.mean() <= 0.01


def test_rows_that_are_no_copies_go_all_their_way(model):
    # Of shuffled rows, few are near to a single training row.
    new = shuffled(TABLE)
    coords = model.transform(new)
    gaps, _ = NearestNeighbors(n_neighbors=1).fit(model.embedding_).kneighbors(coords)
    assert (gaps > 0).mean() > 0.95


NUMBERS = [f"x{j}" for j in range(7)]


def displacement(coords, cells, known, own):
    """Distance of rows to the mean place of the ten training rows most like them."""
    near = NearestNeighbors(n_neighbors=10 + own).fit(known.cells).kneighbors(cells)
    gaps = coords - known.coords[near[1][:, own:]].mean(axis=1)
    return np.linalg.norm(gaps / known.coords.std(axis=0), axis=1)


def lost(coords, cells, known, own):
    """Squared distance of rows to the mean of ten others that lie nearest."""
    search = NearestNeighbors(n_neighbors=10 + own).fit(known.coords)
    near = search.kneighbors(coords, return_distance=False)
    if own:  # where the row itself lies does not count
        is_other = near != np.arange(len(near))[:, None]
        is_other[is_other.all(axis=1), -1] = False
        near = near[is_other].reshape(len(near), 10)
    return np.square(cells - known.cells[near].mean(axis=1)).mean(axis=1)


@pytest.mark.parametrize("n_components", [2, 4])
def test_left_out_rows_lie_as_new_rows_do(n_components):
    measured = {displacement: [], lost: []}
    for seed in range(3):
        both = factor_frame(1200, seed, 5)
        table, fresh = both[:600], both[600:]
        model = RFAE(n_components, random_state=seed).fit(table)
        unit = table[NUMBERS].std().to_numpy()
        cells, new = (part[NUMBERS].to_numpy() / unit for part in (table, fresh))
        known = SimpleNamespace(coords=model.embedding_, cells=cells)
        for measure, found in measured.items():
            own = measure(known.coords, cells, known, own=True)
            left_out = measure(model.leave_one_out(), cells, known, own=True)
            as_new = measure(model.transform(fresh), new, known, own=False)
            found.append([part.mean() for part in (own, left_out, as_new)])
    for found in measured.values():
        own, left_out, new = np.mean(found, axis=0)
        assert left_out == pytest.approx(new, rel=0.15)
        # Rows that shaped the map lie better than new ones, which is seen.
        assert left_out > own
    assert new > 0.05


def test_leave_one_out_of_a_refined_map_is_not_the_embedding(default):
    moved = default.leave_one_out() - default.embedding_
    assert np.median(np.abs(moved) / default.embedding_.std(axis=0)) > 0.05
    again = RFAE(random_state=0, n_jobs=1).fit(TABLE)
    np.testing.assert_array_equal(again.leave_one_out(), default.leave_one_out())
