"""Rows that are alike by the kernel, and rows that lie far from all others."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from latentforest import RFAE, CompletelyRandomForest
from latentforest.neighbours import NeighbourSearch, Reach
from mixed_tables import mixed_frame

TABLE = mixed_frame(80, missing=0.05, seed=1)
NEW = mixed_frame(6, seed=2)


@pytest.fixture(scope="module")
def model():
    return RFAE(random_state=0).fit(TABLE)


def test_similar_rows_are_the_largest_of_the_kernel(model):
    found = model.similar(NEW, n=4)
    ids = model.encoder_.forest.leaves(model.codec_.encode(NEW).values)
    known = model.encoder_.trained_on("this").leaf_ids
    size = np.bincount(known.ravel(), minlength=model.encoder_.forest.n_leaves)
    for i, label in enumerate(NEW.index):
        lines = found.loc[[label]]
        values = ((ids[i] == known) / size[ids[i]]).mean(axis=1)
        order = np.lexsort((np.arange(len(TABLE)), -values))[:4]
        assert lines["_rank"].tolist() == [0, 1, 2, 3, 4]  # the table has a rank
        assert lines["training_row"].tolist() == [-1, *order]
        np.testing.assert_allclose(lines["kernel"].iloc[1:], values[order])
        assert lines["training_label"].iloc[1:].tolist() == TABLE.index[order].tolist()
        cells = lines.iloc[1:, 4:].reset_index(drop=True)
        pd.testing.assert_frame_equal(
            cells, TABLE.iloc[order].reset_index(drop=True), check_dtype=False
        )
        assert lines["count"].iloc[0] == NEW["count"].iloc[i]


def test_a_training_row_finds_itself_and_copies_come_in_order():
    copied = pd.concat([TABLE, TABLE.iloc[[5]]])
    model = RFAE(random_state=0).fit(copied)
    found = model.similar(TABLE.iloc[[5]], n=2)
    assert found["training_row"].tolist() == [-1, 5, 80]
    assert found["kernel"].iloc[1] == found["kernel"].iloc[2]


def test_rows_of_large_leaves_find_themselves():
    rows = np.random.default_rng(0).normal(size=(1500, 2))
    forest = CompletelyRandomForest(10, min_samples_leaf=400)
    model = RFAE(forest=forest, decoder="knn", random_state=0).fit(rows)
    found = model.similar(rows[:9], n=1500)
    kernel = model.kernel_.gram(rows[:9], rows)
    found = found[found["rank"] > 0]
    given, at = found.index.to_numpy(), found["training_row"].to_numpy()
    np.testing.assert_allclose(found["kernel"], kernel[given, at])
    assert set(at[at == given]) == set(range(9))


def test_more_rows_than_there_are(model):
    assert len(model.similar(NEW.iloc[:1], n=10_000)) <= 1 + len(TABLE)
    with pytest.raises(ValueError, match="n=0"):
        model.similar(NEW, n=0)


def test_any_library_finds_rows():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    of_array = RFAE(forest=CompletelyRandomForest(10), random_state=0).fit(rows)
    assert of_array.similar(rows[:2], n=3).shape == (8, 5)
    frame = pl.DataFrame({"a": rows[:, 0], "b": rows[:, 1]})
    of_polars = RFAE(forest=CompletelyRandomForest(10), random_state=0).fit(frame)
    pd.testing.assert_frame_equal(
        of_polars.similar(frame[:2], n=3).iloc[:, :3],
        of_array.similar(rows[:2], n=3).iloc[:, :3],
    )


def test_what_is_wrong_is_said_before_anything_is_learned(monkeypatch, tmp_path):
    rows = np.random.default_rng(0).normal(size=(40, 2))
    model = RFAE(forest=CompletelyRandomForest(10), random_state=0).fit(rows)
    monkeypatch.delattr("latentforest._odd_rows.fit_oddness")
    for share in (0.9, 0.0, "many"):
        with pytest.raises(ValueError, match="contamination"):
            model.odd_rows(share)
    with pytest.raises(ValueError, match="3 features"):
        model.score_samples(np.zeros((2, 3)))
    with pytest.raises(FileNotFoundError):
        model.explore(path=tmp_path / "nowhere" / "page.html", color_by="oddness")


def test_reach_is_the_largest_distance_to_the_nearest_other():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [4.0, 0.0]])
    reach = Reach(NeighbourSearch(points))
    assert reach.limit == 3.0
    at = np.array([[1.0, 2.9], [1.0, 3.0], [1.0, 3.1], [0.0, -6.0]])
    assert reach.is_far(at).tolist() == [False, False, True, True]
    np.testing.assert_allclose(reach.stretch(at), [1, 1, 3.1 / 3, 2])
    assert Reach(NeighbourSearch(np.zeros((3, 2)))).stretch(at).tolist() == [1, 1, 1, 1]
    assert Reach(NeighbourSearch(np.zeros((1, 2)))).is_far(at).all()


def test_intervals_grow_far_from_all_rows(model):
    inside = model.embedding_[:1]
    reach = model.reach_
    way = np.array([[1.0, 0.0]]) * 1e3 * reach.limit
    _, near = model.inverse_transform(inside + way, return_uncertainty=True)
    _, far = model.inverse_transform(inside + 2 * way, return_uncertainty=True)
    lower, upper = (end.to_numpy(float) for end in near.interval(0.5))
    lower2, upper2 = (end.to_numpy(float) for end in far.interval(0.5))
    finite = np.isfinite(upper - lower) & (upper > lower)
    assert finite.any()
    assert (far.std.to_numpy()[0] >= 1.9 * near.std.to_numpy()[0])[finite[0]].all()
    assert (upper2 - lower2 >= upper - lower)[finite].all()


def test_rows_outside_the_range_are_far(model):
    rows = mixed_frame(5, seed=4)
    assert not model.far_rows(TABLE).any()
    rows.loc[rows.index[2], "area"] = 50.0
    assert model.far_rows(rows).tolist() == [False, False, True, False, False]
