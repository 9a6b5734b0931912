"""The packed start: columns dealt to coordinates, each laid along a curve."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from latentforest import (
    RFAE,
    CompletelyRandomForest,
    KNNDecoder,
    PackedDecoder,
    Refinement,
)
from latentforest.forest import BaseForest
from latentforest.refine import _curve
from latentforest.refine._cells import Cells, CellSpace
from latentforest.refine._curve import Curve, places_on_curve
from latentforest.refine._curve_loops import curve_through
from latentforest.refine._deal import deal_columns
from latentforest.table import TableCodec, number_rows
from mixed_tables import LAW, mixed_frame, shuffled

FOREST = CompletelyRandomForest(4)
NEW = mixed_frame(80, missing=0.2, seed=5)


def packed(n_components=2, *, max_rows=None, **settings):
    settings = {"forest": FOREST, "random_state": 0, "n_jobs": 1} | settings
    refine = Refinement(start="packed", max_rows=max_rows)
    return RFAE(n_components, refine=refine, **settings)


def cells_of(table):
    encoded = TableCodec().fit_encode(table)
    return CellSpace.of_table(encoded, tell_gaps=False).cells(encoded.values)


def map_of(model):
    return model.encoder_.refined.map


@pytest.fixture(scope="module")
def holed():
    """A hundred and fifty rows with gaps."""
    return mixed_frame(150, missing=0.15)


@pytest.fixture(scope="module")
def model(holed):
    """Ten columns in two coordinates."""
    return packed().fit(holed)


@st.composite
def some_cells(draw, max_rows=90):
    """Draw rows of numbers and levels, with ties, copies and gaps."""
    rng = np.random.default_rng(draw(st.integers(0, 9_999)))
    shape = draw(st.integers(1, max_rows)), draw(st.integers(1, 6))
    is_number = rng.random(shape[1]) < 0.5
    steps = draw(st.sampled_from([2, 5, 1_000]))
    values = np.floor(steps * rng.random(shape))
    values[:, is_number] *= 4 / steps
    values[rng.random(shape) < draw(st.sampled_from([0.0, 0.3]))] = np.nan
    width = np.where(is_number, 1, steps)
    return Cells(
        values, is_number, np.concatenate([[0], np.cumsum(width)]), np.zeros(len(width))
    )


def squares_between(one, other, is_number):
    """What one row loses if another stands for it, written to be read."""
    a, b = one[:, None], other[None]
    either, both = np.isnan(a) | np.isnan(b), np.isnan(a) & np.isnan(b)
    apart = np.where(is_number, np.square(a - b), a != b)
    return np.where(either, 1.0 - both, apart).sum(axis=2)


# --- dealing ----------------------------------------------------------------------


@LAW
@given(some_cells(), st.integers(1, 9))
def test_every_column_is_dealt_to_one_coordinate(cells, n_coordinates):
    rng = np.random.default_rng(0)
    dealt = deal_columns(cells, n_coordinates, rng)
    assert len(dealt) == n_coordinates
    n_columns = len(cells.is_number)
    np.testing.assert_array_equal(np.sort(np.concatenate(dealt)), np.arange(n_columns))
    # No coordinate is idle while another carries two columns.
    sizes = [len(of_one) for of_one in dealt]
    assert min(sizes) > 0 or max(sizes) == 1
    assert all((np.diff(of_one) > 0).all() for of_one in dealt)


@pytest.mark.parametrize("n_columns", [70, 200])
@pytest.mark.parametrize("n_coordinates", [1, 3, 66])
def test_many_columns_are_dealt(n_columns, n_coordinates):
    X = np.random.default_rng(0).normal(size=(40, n_columns))
    dealt = deal_columns(cells_of(X), n_coordinates, np.random.default_rng(0))
    assert len(dealt) == n_coordinates
    assert all(map(len, dealt))
    np.testing.assert_array_equal(np.sort(np.concatenate(dealt)), np.arange(n_columns))


def test_columns_that_go_together_share_a_coordinate():
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(2, 700))
    X = np.column_stack([one, two, -one, 3 * two, 2 * one + 1])
    first, second = deal_columns(cells_of(X), 2, rng)
    assert (first.tolist(), second.tolist()) == ([0, 2, 4], [1, 3])


# --- the curve --------------------------------------------------------------------


@LAW
@given(some_cells())
def test_the_curve_visits_every_point_once(cells):
    _, first = np.unique(number_rows(cells.values), return_index=True)
    points = cells.values[first]
    order, steps = curve_through(points, np.ones(len(points)), cells.is_number)
    np.testing.assert_array_equal(np.sort(order), np.arange(len(points)))
    along = squares_between(points[order], points[order], cells.is_number)
    np.testing.assert_allclose(steps[1:] ** 2, np.diagonal(along, 1))
    assert steps[0] == 0


def test_the_curve_is_far_shorter_than_a_walk_without_plan():
    X = np.random.default_rng(0).random((2_000, 2))
    _, steps = curve_through(X, np.ones(2_000), np.ones(2, bool))
    # The shortest way through so many points is about 0.71 √n long.
    assert steps.sum() < 1.6 * 0.71 * np.sqrt(2_000)
    numbers, _ = curve_through(X[:, :1], np.ones(2_000), np.ones(1, bool))
    along = (
        X[numbers, 0] if X[numbers[0], 0] < X[numbers[-1], 0] else X[numbers[::-1], 0]
    )
    assert (np.diff(along) > 0).all()


@LAW
@given(some_cells())
def test_rows_share_a_place_if_they_are_equal_and_only_then(cells):
    every = np.arange(len(cells.is_number))
    places = places_on_curve(cells, every)
    assert np.isfinite(places).all()
    apart = squares_between(cells.values, cells.values, cells.is_number) > 0
    np.testing.assert_array_equal(places[:, None] != places, apart)


# --- the nearest point ------------------------------------------------------------


@LAW
@given(
    some_cells(max_rows=200),
    some_cells(max_rows=40),
    st.booleans(),
    st.sampled_from([(_curve.BOX, _curve.GROUP), (3, 2)]),
)
def test_the_nearest_point_is_found(cells, others, alone, sizes):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_curve, "BOX", sizes[0])
        patch.setattr(_curve, "GROUP", sizes[1])
        check_nearest(cells, others, alone=alone)


def check_nearest(cells, others, *, alone):
    """Compare with a search of all points."""
    n_columns = min(len(cells.is_number), len(others.is_number))
    columns = np.arange(1 if alone else n_columns)
    curve = Curve.of_places(cells, columns, places_on_curve(cells, columns))
    wanted, is_number = others.values[:, columns], cells.is_number[columns]
    found = curve.nearest(wanted, n_jobs=1)
    if curve.straight:
        np.testing.assert_array_equal(found, np.nan_to_num(wanted[:, 0]))
        return
    squares = squares_between(wanted, curve.values, is_number)
    taken = np.searchsorted(curve.places, found)
    np.testing.assert_array_equal(curve.places[taken], found)
    np.testing.assert_array_equal(taken, squares.argmin(axis=1))  # the first of equals
    # Each without some point: the nearest of the others.
    own = np.random.default_rng(0).integers(-1, len(curve.places), len(wanted))
    found = curve.nearest(wanted, own, n_jobs=1)
    if len(curve.places) > 1:
        squares[np.flatnonzero(own >= 0), own[own >= 0]] = np.inf
    taken = np.searchsorted(curve.places, found)
    np.testing.assert_array_equal(taken, squares.argmin(axis=1))


def test_many_points_are_searched_as_well():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(5_000, 3)), rng.normal(size=(300, 3))
    X[rng.random(X.shape) < 0.02] = new[rng.random(new.shape) < 0.1] = np.nan
    X[:, 2] = np.floor(4 * X[:, 2])
    cells = cells_of(pd.DataFrame(X).astype({2: "category"}))
    every = np.arange(3)
    curve = Curve.of_places(cells, every, places_on_curve(cells, every))
    new[:, 2] = rng.integers(0, cells.start[-1] - 2, 300)
    taken = np.searchsorted(curve.places, curve.nearest(new, n_jobs=1))
    squares = squares_between(new, curve.values, cells.is_number)
    np.testing.assert_array_equal(squares[np.arange(300), taken], squares.min(axis=1))


# --- nothing is lost with a coordinate for each column ----------------------------


@pytest.mark.parametrize("n_components", [10, 13])
def test_with_as_many_coordinates_as_columns_rows_come_back(n_components, holed):
    model = packed(n_components).fit(holed)
    assert model.score(holed) == 1
    assert_frame_equal(model.reconstruct(holed), holed)
    # Cells that were never seen together, gaps included.
    mixed = shuffled(holed)
    assert model.score(mixed) == 1
    assert_frame_equal(model.reconstruct(mixed), mixed)


def test_numbers_go_on_beyond_the_rows_where_they_are_asked_to():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=40), "b": rng.exponential(size=40)})
    new = pd.DataFrame({"a": [-9, -3, 0.1, 5, 8], "b": [0, 1e-3, 7, 9, 10.0]})
    inside = packed(2).fit(table).reconstruct(new)
    assert_frame_equal(inside, new.clip(table.min(), table.max(), axis=1))
    decoder = PackedDecoder(extrapolate=True)
    model = packed(2, decoder=decoder).fit(table)
    back = model.reconstruct(new)
    # What is left is rounding, in units of the column.
    assert (np.abs(back - new) <= 1e-14 * (new.abs() + 1)).all(axis=None)
    # Numbers that were never negative stay so.
    assert model.reconstruct(new.assign(b=-1.0))["b"].eq(0).all()


@pytest.mark.parametrize("most", [1e9, 1e200, np.finfo(float).max])
def test_numbers_far_beyond_the_rows_count_as_the_end_of_their_range(most):
    table = pd.DataFrame({"a": [-0.1, 0.1, 0.2] * 5, "b": np.arange(15) / 99})
    new = pd.DataFrame({"a": [most, -most], "b": [0.1, most]})
    ends = pd.DataFrame({"a": [0.2, -0.1], "b": [0.1, 14 / 99]})
    for n_components in (1, 2):
        model = packed(n_components).fit(table)
        np.testing.assert_array_equal(model.transform(new), model.transform(ends))
    np.testing.assert_allclose(model.reconstruct(new), ends)


@pytest.mark.parametrize("far", [1e5, 1e100, 1e300])
def test_a_number_far_away_is_as_near_as_the_largest(far):
    X = np.random.default_rng(0).normal(size=(200, 3))
    model = packed(1).fit(X)
    low, high = X.min(axis=0), X.max(axis=0)
    new = np.array([[far, 0, 0], [0, -far, 0], [0, far, np.nan]])
    ends = np.array([[high[0], 0, 0], [0, low[1], 0], [0, high[1], np.nan]])
    np.testing.assert_array_equal(model.transform(new), model.transform(ends))


# --- where rows lie ---------------------------------------------------------------


@pytest.mark.parametrize("n_components", [1, 2, 5])
def test_rows_lie_where_they_began(n_components, holed):
    model = packed(n_components).fit(holed)
    np.testing.assert_array_equal(model.transform(holed), model.embedding_)
    assert_frame_equal(model.reconstruct(holed), holed)
    columns = map_of(model).columns
    assert np.isin(np.arange(10), np.concatenate(columns)).all()
    placed = np.column_stack([places_on_curve(cells_of(holed), one) for one in columns])
    np.testing.assert_array_equal(placed, model.embedding_)


def test_each_column_is_carried_by_its_coordinate_alone(model):
    Z = model.transform(NEW)
    before = model.decoder_.decode(Z)
    for number, columns in enumerate(map_of(model).columns):
        moved = Z.copy()
        moved[:, number] = np.random.default_rng(0).permutation(Z[:, number])
        after = model.decoder_.decode(moved)
        others = np.setdiff1d(np.arange(10), columns)
        np.testing.assert_array_equal(after[:, others], before[:, others])
        changed = ~np.isclose(after, before, equal_nan=True).all(axis=0)
        assert changed[columns].all()


def test_between_rows_the_nearer_one_is_decoded(model):
    Z = 2 * np.random.default_rng(0).normal(size=(300, 2))
    decoded, known = model.decoder_.decode(Z), map_of(model)
    codes = model.encoder_.refined.codes
    for where, own, columns in zip(Z.T, known.coords_.T, known.columns, strict=True):
        nearest = np.abs(where[:, None] - own).argmin(axis=1)
        np.testing.assert_array_equal(
            decoded[:, columns], codes[np.ix_(nearest, columns)]
        )


def test_batches_and_threads_change_no_bit(holed, model):
    together = model.transform(NEW)
    alone = np.concatenate([model.transform(NEW[i : i + 1]) for i in range(len(NEW))])
    np.testing.assert_array_equal(alone, together)
    other = packed(n_jobs=2).fit(holed)
    np.testing.assert_array_equal(other.embedding_, model.embedding_)
    many = pd.concat([NEW] * 8)
    np.testing.assert_array_equal(other.transform(many), model.transform(many))
    np.testing.assert_array_equal(other.leave_one_out(), model.leave_one_out())


def test_copies_lie_where_their_row_lies(holed):
    copies = pd.concat([holed, holed[:40], holed[:40]])
    model = packed().fit(copies)
    np.testing.assert_array_equal(model.embedding_[:40], model.embedding_[150:190])
    assert len(map_of(model).coords_) == 150
    assert_frame_equal(model.reconstruct(copies), copies)


@pytest.mark.parametrize("n_components", [1, 2, 4])
def test_left_out_rows_lie_where_new_ones_would(n_components):
    table = mixed_frame(40, missing=0.1, columns=("length", "few", "name", "rank"))
    model = packed(n_components).fit(table)
    left_out, refined = model.leave_one_out(), model.encoder_.refined
    moved = (left_out != model.embedding_).any(axis=1)
    assert moved.mean() > 0.2
    number = number_rows(refined.codes)
    assert len(np.unique(number)) == len(number)
    for row in range(len(refined.rows)):
        rest = np.delete(np.arange(len(refined.rows)), row)
        placed = map_of(model).take(rest).nearest(map_of(model).cells_.take([row]))
        np.testing.assert_array_equal(left_out[refined.rows[row]], placed[0])


@pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")
def test_a_lone_row_is_not_its_own_neighbour():
    X = np.array([[0.0, 0], [0, 1], [5, 5], [5, 6], [5, 6]])
    model = packed(1).fit(X)
    np.testing.assert_array_equal(
        model.inverse_transform(model.leave_one_out()),
        [[0, 1], [0, 0], [5, 6], [5, 5], [5, 5]],
    )


@pytest.mark.parametrize("n_components", [1, 3, 10])
def test_a_map_of_some_rows_keeps_their_places(n_components, holed):
    whole = map_of(packed(n_components).fit(holed))
    # Without its gaps, a column alone could be taken for a number without any.
    known = ~np.isnan(whole.cells_.values)
    subsets = [np.arange(0, 150, 2), *map(np.flatnonzero, known.T)]
    for rows in subsets:
        fewer, cells = whole.take(rows), whole.cells_.take(rows)
        np.testing.assert_array_equal(fewer.coords_, whole.coords_[rows])
        np.testing.assert_array_equal(fewer.nearest(cells), fewer.coords_)
        for curve, others in zip(fewer.curves_, whole.curves_, strict=True):
            assert np.isin(curve.places, others.places).all()
            assert len(curve.places) <= len(rows)


def test_fewer_rows_may_be_refined(holed):
    model = packed(3, max_rows=60).fit(holed)
    rows = model.encoder_.refined.rows
    assert len(rows) == 60
    np.testing.assert_array_equal(model.embedding_, model.transform(holed))
    assert_frame_equal(model.reconstruct(holed).iloc[rows], holed.iloc[rows])
    whole = packed(3).fit(holed)
    assert model.score(holed) < whole.score(holed)
    assert model.score(holed) > 0.8


@pytest.mark.parametrize("n_components", [1, 2])
def test_truncated_equals_fitted_with_fewer(n_components, holed):
    cut = packed(4).fit(holed).truncate(n_components)
    fresh = packed(n_components).fit(holed)
    np.testing.assert_array_equal(cut.embedding_, fresh.embedding_)
    np.testing.assert_array_equal(cut.transform(NEW), fresh.transform(NEW))
    assert_frame_equal(cut.reconstruct(NEW), fresh.reconstruct(NEW))


@pytest.mark.parametrize("drop_training", [False, True])
def test_saved_models_place_rows_with_the_same_bits(drop_training, model, tmp_path):
    path = model.save(tmp_path / "model.lf", drop_training=drop_training)
    again = RFAE.load(path)
    np.testing.assert_array_equal(again.transform(NEW), model.transform(NEW))
    for one, other in zip(map_of(again).columns, map_of(model).columns, strict=True):
        np.testing.assert_array_equal(one, other)
    if drop_training:
        return
    np.testing.assert_array_equal(again.embedding_, model.embedding_)
    np.testing.assert_array_equal(again.leave_one_out(), model.leave_one_out())
    assert_frame_equal(again.reconstruct(NEW), model.reconstruct(NEW))
    assert isinstance(again.decoder_, PackedDecoder)


# --- odd tables -------------------------------------------------------------------


@pytest.mark.parametrize("n_components", [1, 2, 5, 7])
def test_columns_that_tell_nothing(n_components):
    table = mixed_frame(30, columns=("length", "name")).assign(
        constant=0.5, one_level=pd.Categorical(["a"] * 30), empty=np.nan
    )
    model = packed(n_components).fit(table)
    assert_frame_equal(model.reconstruct(table), table)
    assert np.isfinite(model.transform(table.assign(constant=7.0))).all()


@pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")
@pytest.mark.parametrize("n_copies", [1, 3])
@pytest.mark.parametrize("n_rows", [1, 2])
def test_one_or_two_rows(n_rows, n_copies):
    table = pd.concat([mixed_frame(n_rows)] * (n_copies + (n_rows == 1)))
    model = packed(1).fit(table)
    assert_frame_equal(model.reconstruct(table), table)
    (dealt,) = map_of(model).columns
    assert len(dealt) == 10
    _, sure = model.inverse_transform(model.embedding_, return_uncertainty=True)
    if n_rows == 2:  # each was decoded from the other, and nobody can tell more
        assert np.isinf(sure.interval()[1].to_numpy()).all()


@pytest.mark.parametrize("n_components", [1, 2, 6])
def test_a_table_of_categories(n_components):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {name: rng.integers(3, size=120).astype(str) for name in "abcdef"}
    )
    table = table.mask(rng.random(table.shape) < 0.1)
    model = packed(n_components).fit(table[:80])
    assert_frame_equal(model.reconstruct(table[:80]), table[:80])
    back = model.reconstruct(table)
    wrong = (back.fillna("-") != table.fillna("-"))[80:].to_numpy()
    assert wrong.mean() < [0.4, 0.25, 0.01][[1, 2, 6].index(n_components)]
    # A gap is a level like any other: as far from one as from the next.
    _, sure = model.inverse_transform(model.transform(table), return_uncertainty=True)
    for name, shares in sure.probabilities.items():
        told = shares.to_numpy(float).argmax(axis=1)
        names = np.array([*shares.columns], dtype=object)[told]
        np.testing.assert_array_equal(pd.isna(names), back[name].isna())
        np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_thousands_of_levels():
    rng = np.random.default_rng(0)
    names = np.array([f"name {i}" for i in range(2_000)])
    table = pd.DataFrame(
        {"name": rng.permutation(names), "size": rng.normal(size=2_000)}
    )
    for n_components in (1, 2):
        model = packed(n_components).fit(table)
        assert_frame_equal(model.reconstruct(table), table)


def test_gaps_where_there_were_none():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(50, 3)), columns=list("abc"))
    new = table[:5].assign(a=np.nan)
    # A number with a coordinate for itself is filled with the mean.
    alone = packed(3).fit(table).reconstruct(new)
    np.testing.assert_allclose(alone["a"], table["a"].mean())
    np.testing.assert_allclose(alone[["b", "c"]], new[["b", "c"]])
    # Among others, the gap is filled from the row that is nearest in the others.
    assert_frame_equal(packed(1).fit(table).reconstruct(new), table[:5])


# --- how sure cells are -----------------------------------------------------------


def covered(model, new, coverage):
    """Share of numbers that lie in their interval, for each column."""
    _, sure = model.inverse_transform(model.transform(new), return_uncertainty=True)
    lower, upper = (end.to_numpy() for end in sure.interval(coverage))
    truth = new.to_numpy()
    slack = 1e-9 * np.abs(truth)  # a number alone comes back but for rounding
    inside = (lower - slack <= truth) & (truth <= upper + slack)
    return inside[~np.isnan(truth).any(axis=1)].mean(axis=0)


@pytest.mark.parametrize("n_components", [1, 2, 4, 5])
@pytest.mark.parametrize("n_rows", [400, 2_500])
def test_intervals_cover_new_rows(n_rows, n_components):
    # Columns that are alike: which of them share a coordinate hangs by a thread.
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(n_rows + 400, 5)), columns=list("abcde"))
    model = packed(n_components).fit(table[:n_rows])
    for coverage in (0.5, 0.9):
        shares = covered(model, table[n_rows:], coverage)
        lost = [
            column for one in map_of(model).columns if len(one) > 1 for column in one
        ]
        assert (np.abs(shares[lost] - coverage) < 0.15).all()
        # All but what lies outside the training range, one row in a hundred.
        assert (np.delete(shares, lost) > 0.98).all()


# --- decoders ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "refine", [None, 2, Refinement(2, start="linear"), "auto"], ids=str
)
def test_the_packed_decoder_says_what_it_needs(refine, table, monkeypatch):
    monkeypatch.setattr(BaseForest, "grow_on", pytest.fail)  # before anything is grown
    model = RFAE(2, forest=FOREST, decoder="packed", refine=refine)
    with pytest.raises(ValueError, match=r"Give refine=Refinement\(start='packed'\)"):
        model.fit(table)
    with pytest.raises(ValueError, match=r"needs coordinates that carry"):
        PackedDecoder().fit(np.zeros((60, 2)), table)


@pytest.mark.parametrize(
    "decoder", ["packed", "knn", KNNDecoder(1, prototypes="rows"), "local_linear"]
)
def test_other_decoders_read_packed_coordinates(decoder, holed):
    model = packed(2, decoder=decoder).fit(holed)
    assert model.score(holed) > 0.7
    _, sure = model.inverse_transform(model.embedding_, return_uncertainty=True)
    lower, upper = sure.interval(0.8)
    assert np.isfinite(upper - lower).any(axis=None)
