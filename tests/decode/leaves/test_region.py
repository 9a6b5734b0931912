"""Leaves that meet are decoded to a row that falls into them again."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from forest_oracles import GROWERS, QUICK, grow, mixed_table, slow_region, tables
from latentforest import RFAE
from latentforest.decode import DecoderContext
from latentforest.decode._leaves._leaf_decoder import settle_in_regions
from latentforest.decode._leaves._region import (
    RegionDecoder,
)
from latentforest.forest import GrownForest
from latentforest.regions import (
    compatible_regions,
    meet_leaves,
    regions_of_leaves,
)
from latentforest.table import ColumnKind, ColumnSpec, TableSchema
from latentforest.trees import ForestArrays
from mixed_tables import mixed_frame

MIXED = ["continuous", "5 levels", "integer", "70 levels", "ordered"]
BOTH = [RegionDecoder(), RegionDecoder(point="draw")]

every_grower = pytest.mark.parametrize("sort", GROWERS)
every_point = pytest.mark.parametrize("decoder", BOTH, ids=repr)


def fitted(decoder, encoded, grown, coords=None, *, seed=0):
    coords = grown.leaf_ids.astype(float) if coords is None else coords
    context = DecoderContext(encoded, coords, grown)
    return clone(decoder).fit_context(context, np.random.default_rng(seed))


@every_point
@every_grower
@given(encoded=tables(max_rows=25), seed=st.integers(0, 99))
@QUICK
def test_rows_fall_into_the_leaves_they_were_made_from(decoder, sort, encoded, seed):
    grown = grow(sort, encoded, seed=seed)
    decoder = fitted(decoder, encoded, grown)
    made = decoder.decode(grown.leaf_ids.astype(float))
    np.testing.assert_array_equal(grown.forest.leaves(made), grown.leaf_ids)
    # A cell is missing only if the row's own was, or if none was ever seen.
    never = np.isnan(encoded.values).all(axis=0)
    assert not (np.isnan(made) & ~np.isnan(encoded.values) & ~never).any()


@every_grower
@given(encoded=tables(max_rows=20), seed=st.integers(0, 99))
@QUICK
def test_regions_hold_the_rows_and_all_that_their_leaves_hold(sort, encoded, seed):
    grown = grow(sort, encoded, seed=seed)
    regions = fitted(RegionDecoder(), encoded, grown).regions(grown.leaf_ids)
    for i, row in enumerate(encoded.values):
        lower, upper, sets = slow_region(grown.forest, row)
        known = ~np.isnan(row)
        np.testing.assert_array_equal(regions.lower[i][known], lower[known])
        np.testing.assert_array_equal(regions.upper[i][known], upper[known])
        for column in np.flatnonzero(known & (grown.forest.split_levels > 0)):
            allowed = np.flatnonzero(regions.has_level(column)[i])
            assert set(allowed) == sets[column]
    # A row is made in each, so none is empty.
    whole = encoded.schema.is_whole
    assert not regions.empty(whole).any()


@every_grower
@given(encoded=tables(max_rows=20), seed=st.integers(0, 99))
@QUICK
def test_missing_cells_lead_into_their_own_leaves(sort, encoded, seed):
    """Oracle: replace a cell by a missing one and route the row again."""
    grown = grow(sort, encoded, seed=seed)
    _, leads = meet_leaves(grown.forest, grown.leaf_ids)
    for column in range(encoded.values.shape[1]):
        values = encoded.values.copy()
        values[:, column] = np.nan
        same = (grown.forest.leaves(values) == grown.leaf_ids).all(axis=1)
        np.testing.assert_array_equal(leads[:, column], same)


@every_point
def test_batch_and_threads_change_nothing(decoder):
    encoded = mixed_table(MIXED, 300, missing=0.1)
    grown = grow("completely random", encoded, n_estimators=10)
    decoder = fitted(decoder, encoded, grown)
    ids = grown.leaf_ids.astype(float)
    made = decoder.decode(ids)
    alone = np.concatenate([decoder.decode(row[None]) for row in ids])
    np.testing.assert_array_equal(made, alone)
    two = clone(decoder).set_params(n_jobs=2)
    np.testing.assert_array_equal(made, fitted(two, encoded, grown).decode(ids))
    other = fitted(decoder, encoded, grown, seed=1).decode(ids)
    same = np.array_equal(made, other, equal_nan=True)
    assert same == (decoder.point == "middle")


def test_numbers_are_rounded_inside_their_region():
    spec = ColumnSpec("x", ColumnKind("continuous"), decimals=1)
    rows = np.array([[1.25], [1.25], [1.26], [1.301], [1.22]])
    regions = regions_of_leaves(one_split(0.0), np.zeros((5, 1), np.int32))
    regions.lower[:, 0] = [1.2, -np.inf, 1.24, 1.3, 1.21]
    regions.upper[:, 0] = [1.3, 1.29, np.inf, 1.35, 1.24]
    settled = settle_in_regions(rows, regions, TableSchema((spec,)))
    # Half to even, up from an open end, up, none below 1.35, none at all.
    np.testing.assert_array_equal(settled[:, 0], [1.3, 1.2, 1.3, 1.301, 1.22])


def one_split(*cuts, missing_left=True):
    """Forest of one-split trees on a single number."""
    n_trees = len(cuts)
    trees = {
        "left": np.tile(np.array([1, -1, -1], np.int32), n_trees),
        "right": np.tile(np.array([2, -1, -1], np.int32), n_trees),
        "feature": np.tile(np.array([0, -1, -1], np.int32), n_trees),
        "threshold": np.ravel([[cut, np.nan, np.nan] for cut in cuts]),
        "missing_left": np.full(3 * n_trees, missing_left),
        "category": np.full(3 * n_trees, -1),
    }
    leaf = np.ravel([[-1, 2 * tree, 2 * tree + 1] for tree in range(n_trees)])
    return ForestArrays(
        start=3 * np.arange(n_trees + 1),
        words=np.empty(0, np.uint32),
        leaf=leaf.astype(np.int32),
        split_levels=np.zeros(1, np.int32),
        **trees,
    )


@pytest.fixture(scope="module")
def three_cuts():
    """Decoder of three trees that cut at -1, 0 and 1."""
    encoded = mixed_table(["continuous"], 50)
    forest = one_split(-1.0, 0.0, 1.0)
    grown = GrownForest(forest, forest.leaves(encoded.values))
    return fitted(RegionDecoder(), encoded, grown)


def test_the_row_lies_in_the_middle(three_cuts):
    made = three_cuts.decode(np.array([[1.0, 2.0, 4.0], [1.0, 3.0, 4.0]]))
    np.testing.assert_allclose(made, [[-0.5], [0.5]])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([0.0, 2.0, 6.0], "row 1 has 6 for tree 2, whose leaves are 4 to 5"),
        ([0.0, 1.0, 4.0], "row 1 has 1 for tree 1, whose leaves are 2 to 3"),
        ([0.5, 2.0, 4.0], r"row 1 has 0\.5 for tree 0, whose leaves are 0 to 1"),
        ([-1.0, 2.0, 4.0], "row 1 has -1 for tree 0"),
        ([np.nan, 2.0, 4.0], "NaN"),
        ([1e200, 2.0, 4.0], r"row 1 has 1e\+200 for tree 0"),
        ([0.0, 3.0, 4.0], "row 1 do not meet: in column 'x0', the leaf of tree 1 has"),
        ([0.0, 2.0, 5.0], "row 1 do not meet: in column 'x0', the leaf of tree 2 has"),
        ([1.0, 2.0, 5.0], "leaf of tree 2 .* Give the leaves of one row"),
    ],
)
def test_numbers_that_are_no_leaves_of_a_row_are_refused(three_cuts, ids, message):
    with pytest.raises(ValueError, match=message):
        three_cuts.predict(np.array([[0.0, 2.0, 4.0], ids]))


def test_a_cell_is_missing_where_nothing_else_leads():
    """Missing goes left of -1 and right of 1 at once; no number does."""
    encoded = mixed_table(["continuous"], 50)
    sides = np.repeat([True, False], 3)
    forest = replace(one_split(-1.0, 1.0), missing_left=sides)
    grown = GrownForest(forest, forest.leaves(encoded.values))
    decoder = fitted(RegionDecoder(), encoded, grown)
    apart = forest.leaves(np.array([[np.nan]]))
    np.testing.assert_array_equal(apart, [[0, 3]])
    assert np.isnan(decoder.predict(apart)).all()
    assert np.isfinite(decoder.regions(apart).upper).sum() == 0
    # Where a number leads there too, it is taken.
    assert np.isfinite(decoder.predict([[0, 2], [1, 3]])).all()


def test_a_level_never_seen_is_no_reason_to_fill_a_missing_cell():
    """Both seen levels go left, missing right, where levels lie that nobody has."""
    encoded = mixed_table(["rare levels"], 30)
    forest = replace(
        one_split(0.0, missing_left=False),
        threshold=np.full(3, np.nan),
        category=np.array([0, -1, -1]),
        words=np.array([0b1000, 0b1000], np.uint32),  # levels 3 and 35
        split_levels=np.array([40], np.int32),
    )
    grown = GrownForest(forest, forest.leaves(encoded.values))
    for decoder in BOTH:
        made = fitted(decoder, encoded, grown).decode(np.array([[0.0], [1.0]]))
        assert made[0, 0] in (3, 35)
        assert np.isnan(made[1, 0])


def test_sets_that_meet_in_pairs_but_not_together_are_found():
    """{a, b}, {b, c} and {a, c}."""
    encoded = mixed_table(["5 levels"], 30)
    forest = replace(
        one_split(0.0, 0.0, 0.0, missing_left=False),
        threshold=np.full(9, np.nan),
        category=np.ravel([[tree, -1, -1] for tree in range(3)]),
        words=np.array([0b011, 0b110, 0b101], np.uint32),
        split_levels=np.array([5], np.int32),
    )
    grown = GrownForest(forest, forest.leaves(encoded.values))
    decoder = fitted(RegionDecoder(), encoded, grown)
    for ids, level in {(0, 2, 5): 1, (0, 3, 4): 0, (1, 2, 4): 2}.items():
        np.testing.assert_array_equal(decoder.decode(np.array([ids])), [[level]])
    with pytest.raises(ValueError, match="leaf of tree 2 has no value in common"):
        decoder.decode(np.array([[0.0, 2.0, 4.0]]))


def test_it_says_that_coordinates_are_no_leaves():
    with pytest.raises(ValueError, match=r"coordinates are none: .*Use it in EForest"):
        RFAE(2, decoder=RegionDecoder(), random_state=0).fit(mixed_frame(30))
    encoded = mixed_table(MIXED, 20)
    grown = grow("completely random", encoded)
    with pytest.raises(ValueError, match="needs the forest"):
        fitted(RegionDecoder(), encoded, None, grown.leaf_ids.astype(float))
    with pytest.raises(ValueError, match="2 numbers per row, but the forest has 3"):
        fitted(RegionDecoder(), encoded, grown, grown.leaf_ids[:, :2].astype(float))
    with pytest.raises(ValueError, match="point='edge' is not known"):
        fitted(RegionDecoder(point="edge"), encoded, grown)


def test_complete_rows_have_the_regions_that_the_forest_room_finds():
    encoded = mixed_table(MIXED, 60)
    grown = grow("shi horvath", encoded, n_estimators=10)
    found = fitted(RegionDecoder(), encoded, grown).regions(grown.leaf_ids)
    wanted = compatible_regions(grown.forest, encoded.values)
    np.testing.assert_array_equal(found.lower, wanted.lower)
    np.testing.assert_array_equal(found.upper, wanted.upper)
    np.testing.assert_array_equal(found.levels, wanted.levels)
