"""Rows that stand for others lie at peaks of the density, and nowhere twice."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from latentforest import RFAE, CompletelyRandomForest, Refinement
from latentforest.insight import _peaks, density_peaks
from mixed_tables import LAW, mixed_frame


def slow_peaks(coords, n):
    """Compare all pairs of rows."""
    n_rows = len(coords)
    k = min(max(min(n_rows // (2 * n), 100), 3), n_rows - 1)
    apart = np.sqrt(((coords[:, None] - coords) ** 2).sum(axis=2))
    radius = np.sort(apart, axis=1)[:, k]
    order = sorted(range(n_rows), key=lambda row: (radius[row], row))
    least = min([r for r in radius if r > 0], default=1.0)
    away, score = {}, {}
    for place, row in enumerate(order):
        denser = order[:place]
        away[row] = apart[row, denser].min() if denser else apart[row].max()
        score[row] = away[row] / max(radius[row], least)
    taken = sorted(order, key=lambda row: -score[row])[:n]
    return [row for row in taken if away[row] > 0 or row == order[0]]


@st.composite
def coordinates(draw):
    rng = np.random.default_rng(draw(st.integers(0, 9_999)))
    shape = (draw(st.integers(2, 60)), draw(st.integers(1, 3)))
    coords = rng.normal(size=shape)
    # Eighths have exact squares, so that ties are ties however they are added up.
    return np.round(8 * coords) / 8 if draw(st.booleans()) else coords


@LAW
@given(coordinates(), st.integers(1, 8))
def test_peaks_are_far_from_denser_rows(coords, n):
    found = density_peaks(coords, n)
    assert found.rows.tolist() == slow_peaks(coords, n)


@LAW
@given(coordinates(), st.integers(1, 80))
def test_every_row_is_stood_for_once_and_no_place_twice(coords, n):
    found = density_peaks(coords, n)
    assert found.stand_for.sum() == len(coords)
    assert (found.stand_for >= 1).all()
    n_places = len(np.unique(coords, axis=0))
    assert len(np.unique(coords[found.rows], axis=0)) == len(found.rows)
    assert len(found.rows) == min(n, n_places)


@LAW
@given(coordinates(), st.integers(1, 5), st.integers(-20, 20))
def test_the_scale_of_the_map_does_not_matter(coords, n, power):
    one, two = density_peaks(coords, n), density_peaks(coords * 2.0**power, n)
    np.testing.assert_array_equal(one.rows, two.rows)
    np.testing.assert_array_equal(one.stand_for, two.stand_for)


def test_each_crowd_has_one_and_a_lonely_row_none():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    crowd = np.repeat(np.arange(3), 50)
    coords = np.vstack([centres[crowd] + rng.normal(size=(150, 2)), [[60.0, 60.0]]])
    found = density_peaks(coords, 3)
    assert sorted(crowd[found.rows]) == [0, 1, 2]
    assert (np.abs(coords[found.rows] - centres[crowd[found.rows]]) < 1.5).all()
    assert found.stand_for.max() <= 51


@LAW
@given(coordinates(), st.integers(1, 8))
def test_blocks_change_nothing(coords, n):
    one = density_peaks(coords, n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_peaks, "ROW_BLOCK", 7)
        patch.setattr(_peaks, "PAIRS", 100)
        two = density_peaks(coords, n)
    np.testing.assert_array_equal(one.rows, two.rows)
    np.testing.assert_array_equal(one.stand_for, two.stand_for)


def test_one_row_stands_for_itself():
    found = density_peaks(np.zeros((1, 2)), 3)
    assert found.rows.tolist() == [0]
    assert found.stand_for.tolist() == [1]


def test_prototypes_are_rows_of_the_table(model, table):
    found = model.prototypes(4)
    assert list(found)[:2] == ["training_row", "stands_for"]
    assert found["stands_for"].sum() == len(table)
    cells = table.iloc[found["training_row"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(found[list(table)], cells)


def test_groups_have_prototypes_of_their_own(model, table):
    by = table["name"].to_numpy()
    found = model.prototypes(2, by=by)
    assert found["_group"].tolist() == ["ada", "ada", "bob", "bob", "eve", "eve"]
    assert by[found["training_row"]].tolist() == found["_group"].tolist()
    for name, rows in found.groupby("_group"):
        assert rows["stands_for"].sum() == (by == name).sum()


def test_names_of_columns_are_free_for_the_table():
    table = mixed_frame(40, columns=("length", "area")).rename(
        columns={"length": "training_row"}
    )
    forest = CompletelyRandomForest(50)
    found = RFAE(forest=forest, random_state=0).fit(table).prototypes(2)
    ours = ["_training_row", "stands_for", "training_label"]
    assert list(found) == [*ours, "training_row", "area"]


def test_of_a_refined_map_refined_rows_are_taken():
    table = mixed_frame(80)
    refine = Refinement(1, max_rows=40, n_neighbors=8)
    forest = CompletelyRandomForest(20)
    model = RFAE(forest=forest, refine=refine, random_state=0).fit(table)
    found = model.prototypes(3, by=np.arange(80) % 2)
    assert list(found)[:2] == ["_group", "training_row"]  # the table has a group
    rows = found["training_row"].to_numpy()
    assert set(rows) <= set(model.encoder_.refined.rows.tolist())
    assert found["stands_for"].sum() == 40
    assert (rows % 2).tolist() == found["_group"].tolist()


def test_threads_change_nothing(table):
    forest = CompletelyRandomForest(20)
    one, two = (
        RFAE(forest=forest, random_state=0, n_jobs=n).fit(table).prototypes(5)
        for n in (1, 2)
    )
    pd.testing.assert_frame_equal(one, two)


def test_what_cannot_be_is_refused(model):
    with pytest.raises(ValueError, match="n=0 is too small"):
        model.prototypes(0)
    with pytest.raises(ValueError, match="by has 3 values, but there are 60 rows"):
        model.prototypes(by=[1, 2, 3])
    with pytest.raises(ValueError, match="by has missing values"):
        model.prototypes(by=[None, *"a" * 59])
    with pytest.raises(NotFittedError):
        RFAE().prototypes()
