"""eForest: leaves out, a row of the table in the same leaves back."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from latentforest import CompletelyRandomForest, UnseenLevelsWarning
from latentforest._eforest import EForest
from latentforest.metrics import distortion
from mixed_tables import FORESTS, LAW, frames, mixed_frame, shuffled, target_of

every_forest = pytest.mark.parametrize("forest", FORESTS.values(), ids=FORESTS)


@parametrize_with_checks(
    [
        EForest(CompletelyRandomForest(4), random_state=0),
        EForest(FORESTS["adversarial"], point="draw", random_state=0),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@every_forest
@given(
    table=frames(),
    point=st.sampled_from(["middle", "draw"]),
    seed=st.integers(0, 99),
)
@LAW
def test_decoded_rows_have_the_leaves_they_came_from(forest, table, point, seed):
    model = EForest(clone(forest), point=point, random_state=seed)
    leaves = model.fit_transform(table, target_of(table))
    np.testing.assert_array_equal(model.transform(table), leaves)
    decoded = model.inverse_transform(leaves)
    np.testing.assert_array_equal(model.transform(decoded), leaves)
    # Only a cell that was missing can come back missing.
    assert not (decoded.isna().to_numpy() & table.notna().to_numpy()).any()


@every_forest
@given(table=frames(min_rows=10), seed=st.integers(0, 99))
@LAW
def test_rows_never_seen_come_back_to_their_leaves(forest, table, seed):
    model = EForest(clone(forest), random_state=seed).fit(table, target_of(table))
    new = shuffled(table, seed)
    leaves = model.transform(new)
    decoded = model.inverse_transform(leaves)
    # A gap bounds nothing: a number in its place may need more decimals than there are.
    same = ~(new.isna() & decoded.notna()).any(axis=1).to_numpy()
    np.testing.assert_array_equal(model.transform(decoded)[same], leaves[same])
    assert (decoded.dtypes == table.dtypes).all()


@every_forest
def test_regions_hold_their_rows(forest, table):
    model = EForest(clone(forest), random_state=0)
    leaves = model.fit_transform(table, target_of(table))
    values = model.codec_.encode(table).values
    regions = model.decoder_.regions(leaves)
    for column, n_levels in enumerate(model.forest_.split_levels):
        cells = values[:, column]
        if n_levels:
            allowed = regions.has_level(column)
            assert allowed[np.arange(len(cells)), cells.astype(int)].all()
        else:
            assert (regions.lower[:, column] < cells).all()
            assert (cells <= regions.upper[:, column]).all()


def test_more_trees_leave_smaller_regions():
    table = mixed_frame(80)
    scores = [
        EForest(CompletelyRandomForest(n_trees), random_state=0).fit(table).score(table)
        for n_trees in (1, 10, 200)
    ]
    assert scores[0] < scores[1] < scores[2]
    assert scores[2] > 0.95


def test_score_is_one_minus_distortion(table):
    model = EForest(CompletelyRandomForest(10), random_state=0).fit(table)
    wanted = 1 - float(distortion(table, model.reconstruct(table), kinds=model.schema_))
    assert model.score(table) == wanted


def test_names_index_and_library_are_kept(table):
    model = EForest(CompletelyRandomForest(5), random_state=0).fit(table)
    assert list(model.feature_names_in_) == list(table.columns)
    assert model.n_features_in_ == table.shape[1]
    assert list(model.get_feature_names_out()) == [
        f"eforest{tree}" for tree in range(5)
    ]
    decoded = model.reconstruct(table)
    assert (decoded.index == table.index).all()
    assert (decoded.dtypes == table.dtypes).all()
    leaves = clone(model).set_output(transform="pandas").fit_transform(table)
    assert isinstance(leaves, pd.DataFrame)
    assert leaves.shape == (len(table), 5)
    assert_frame_equal(model.inverse_transform(leaves), decoded)
    columns = ["length", "count", "name"]
    other = EForest(CompletelyRandomForest(5), random_state=0)
    other.fit(pl.from_pandas(table[columns]))
    assert isinstance(other.reconstruct(table[columns]), pl.DataFrame)


def test_same_seed_same_bits_whatever_the_threads(holed_table):
    def rows(**params):
        model = EForest(CompletelyRandomForest(10), point="draw", **params)
        return model.fit(holed_table).reconstruct(holed_table)

    one = rows(random_state=0, n_jobs=1)
    assert_frame_equal(one, rows(random_state=0, n_jobs=2))
    assert not one.equals(rows(random_state=1, n_jobs=1))


def test_fitted_forests_are_used_as_they_are():
    table = mixed_frame(60, columns=("length", "area", "count"))
    mine = CompletelyRandomForest(7, random_state=0).fit(table)
    model = EForest(mine).fit(table)
    assert model.forest_ is mine.forest_
    assert model.grower_ is mine
    foreign = RandomForestRegressor(7, random_state=0).fit(table, table["area"])
    model = EForest(foreign).fit(table)
    leaves = model.transform(table)
    decoded = model.inverse_transform(leaves)
    np.testing.assert_array_equal(foreign.apply(decoded), foreign.apply(table))


def test_a_second_fit_forgets_the_first(table, holed_table):
    fresh = EForest(CompletelyRandomForest(5), random_state=0).fit(holed_table)
    again = EForest(CompletelyRandomForest(5), random_state=0).fit(
        table["length"].to_frame()
    )
    again.fit(holed_table)
    assert_frame_equal(again.reconstruct(table), fresh.reconstruct(table))
    copied = pickle.loads(pickle.dumps(fresh))
    assert_frame_equal(copied.reconstruct(table), fresh.reconstruct(table))


def test_mistakes_are_said(table):
    model = EForest(CompletelyRandomForest(5), random_state=0)
    with pytest.raises(NotFittedError):
        model.reconstruct(table)
    with pytest.raises(NotFittedError):
        model.inverse_transform([[0]])
    leaves = model.fit_transform(table)
    with pytest.raises(ValueError, match="Z has 4 coordinates"):
        model.inverse_transform(leaves[:, :4])
    wrong = leaves.copy()
    wrong[2, 3] = -1
    with pytest.raises(ValueError, match=r"row 2 has -1 for tree 3"):
        model.inverse_transform(wrong)
    # Every tree takes the leaf of another row.
    first, last = table["area"].to_numpy().argsort()[[0, -1]]
    mixed = np.diag(leaves[[first, last, first, last, first]])
    with pytest.raises(ValueError, match="the leaves of row 0 do not meet: in column"):
        model.inverse_transform(mixed[None])
    with pytest.raises(ValueError, match="point='edge' is not known"):
        EForest(point="edge").fit(table)
    with pytest.raises(ValueError, match="forest='pine' is not known"):
        EForest("pine").fit(table)
    with pytest.raises(ValueError, match="n_jobs=0"):
        EForest(n_jobs=0).fit(table)
    unknown = table.assign(name="zoe")
    with pytest.warns(UnseenLevelsWarning, match="'zoe'"):
        model.transform(unknown)
    lenient = EForest(CompletelyRandomForest(5), unseen="nearest", random_state=0)
    assert lenient.fit(table).transform(unknown).shape == (len(table), 5)


def test_a_region_without_a_number_of_few_decimals_is_missing():
    # Trees send the gap to places between which lies no length with one decimal.
    table = pd.DataFrame(
        {
            "length": [11.7, 11.6, 13.8, 10.9, 12.8, np.nan, 10.5],
            "area": [np.nan, np.nan, 0.784008, 0.333333, 0.656920, 0.848418, 0.341450],
            "count": [29, 28, 90, 0, 55, 75, 36],
        }
    )
    found = 0
    for seed in range(30):
        forest = CompletelyRandomForest(12, min_samples_leaf=3)
        model = EForest(forest, random_state=seed)
        leaves = model.fit_transform(table)
        decoded = model.inverse_transform(leaves)
        np.testing.assert_array_equal(model.transform(decoded), leaves)
        found += decoded["length"].isna().sum()
    assert found
