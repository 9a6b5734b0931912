"""Cells that stand apart from all others of their column."""

from functools import reduce
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest import TableCodec
from latentforest.table import EncodedTable
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._table_survey import TableSurvey
from latentforest.table._wild import most_wild


def spec_of(values, **kinds):
    return TableCodec(kinds or None).fit(pd.DataFrame({"a": values})).schema_.columns[0]


def by_hand(values):
    """Try all ways to cut cells off at both ends; take that which cuts most."""
    rows = np.argsort(values, kind="stable")
    ordered, found = values[rows], [(0, 0.0, 0, 0)]
    most = most_wild(len(values))
    for low in range(most + 1):
        for high in range(most + 1 - low):
            rest = ordered[low : len(values) - high]
            gap = 2.0 if len(set(rest)) >= 10 else 10.0
            room = gap * (rest[-1] - rest[0])
            is_low = low == 0 or rest[0] - ordered[low - 1] > room
            is_high = high == 0 or ordered[len(values) - high] - rest[-1] > room
            if room > 0 and is_low and is_high:
                found.append((-low - high, room, low, high))
    *_, low, high = min(found)
    return {*rows[:low].tolist(), *rows[len(values) - high :].tolist()}


@st.composite
def columns(draw):
    """Numbers of all sorts of tails, some of them with cells far out."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n = draw(st.sampled_from([15, 40, 90, 400, 2_500, 4_500]))
    values = draw(
        st.sampled_from(
            [
                rng.normal(size=n),
                rng.pareto(1.0, size=n),
                rng.poisson(0.01, size=n) * 1.0,
                rng.integers(0, 2, size=n) * 1.0,
            ]
        )
    )
    for row in rng.choice(n, draw(st.integers(0, 5)), replace=False):
        values[row] = rng.choice([-1, 1]) * 10.0 ** rng.integers(1, 300)
    return values


@settings(deadline=None, max_examples=60)
@given(values=columns(), cuts=st.lists(st.integers(0, 10**6), max_size=5))
def test_wild_cells_are_those_beyond_a_gap_for_any_pieces(values, cuts):
    table = pd.DataFrame({"a": values})
    spec = TableCodec().fit(table).schema_.columns[0]
    named = {cell.row for cell in spec.wild}
    assert named == by_hand(values)
    rest = np.delete(values, sorted(named))
    assert (spec.lower, spec.upper) == (rest.min(), rest.max())
    assert [cell.value for cell in spec.wild] == values[sorted(named)].tolist()
    # The measure of new cells finds the same ones.
    if named:
        assert set(np.flatnonzero(spec.is_wild(values))) == named
    ends = sorted({0, len(table), *(cut % len(table) for cut in cuts)})
    pieces = [TableSurvey.of(table[a:b]) for a, b in pairwise(ends)]
    assert reduce(TableSurvey.merge, pieces).schema().columns[0] == spec


@pytest.mark.parametrize("seed", range(20))
def test_the_ends_of_the_others_are_not_wild(seed):
    values = np.random.default_rng(seed).normal(7, 0.3, size=400)
    values[[3, 4]] = 3_150, -99_999
    assert [cell.row for cell in spec_of(values).wild] == [3, 4]


@pytest.mark.parametrize("sign", [1, -1])
def test_cells_far_from_each_other_are_all_wild(sign):
    values = np.random.default_rng(0).normal(size=500)
    values[[7, 70, 300]] = sign * np.array([1e2, 1e4, 1e3])
    assert [cell.row for cell in spec_of(values).wild] == [7, 70, 300]
    values[70] *= -1
    assert [cell.row for cell in spec_of(values).wild] == [7, 70, 300]


def test_heavy_tails_and_rare_values_are_data():
    rng = np.random.default_rng(0)
    counts = np.zeros(1_000)
    counts[:9] = [1, 1, 2, 1, 1, 3, 1, 2, 20]
    truths = np.zeros(1_000)
    truths[5] = 1.0
    many = rng.normal(size=1_000)
    many[:4] = 1e6  # more than three in a thousand
    for values in (counts, truths, np.exp(3 * rng.normal(size=1_000)), many):
        assert spec_of(values).wild == ()
    truths[:500], truths[8] = 1.0, 9_999
    assert [cell.row for cell in spec_of(truths).wild] == [8]


def test_one_cell_in_a_thousand_may_be_wild():
    values = np.random.default_rng(0).normal(size=8_000)
    values[:9] = 1e6
    assert spec_of(values).wild == ()
    assert len(spec_of(np.append(values, values[9:1_010])).wild) == 9


def test_rows_have_the_labels_of_the_index():
    values = np.random.default_rng(0).normal(size=50)
    values[20] = 1e5
    table = pd.DataFrame({"a": values}, index=[f"tree {i}" for i in range(50)])
    for schema in (
        TableCodec().fit(table).schema_,
        TableCodec().fit_encode(table).schema,
    ):
        assert schema.columns[0].wild == ((20, 1e5, "tree 20"),)


def test_dates_are_wild_too():
    days = pd.Series(pd.date_range("2020-01-01", periods=60))
    days[[3, 40]] = pd.Timestamp("2999-12-31"), pd.NaT
    spec = spec_of(days)
    assert [cell.row for cell in spec.wild] == [3]
    assert (spec.lower, spec.upper) == (0, 59)
    assert "row 3: 2999-12-31" in TableCodec().fit(days.to_frame()).schema_.report()


def test_a_codec_gives_wild_cells_back_and_codes_at_the_edge_lie_there():
    values = np.random.default_rng(0).normal(size=50)
    values[[2, 9]] = 1e5, -1e7
    table = pd.DataFrame({"a": values, "b": list("xy") * 25})
    codec = TableCodec()
    encoded = codec.fit_encode(table)
    pd.testing.assert_frame_equal(codec.decode(encoded.values), table)
    spec, moved = codec.schema_.columns[0], encoded.at_edges().values
    assert moved[[2, 9], 0].tolist() == [spec.upper, spec.lower]
    others = np.delete(np.arange(50), [2, 9])
    np.testing.assert_array_equal(moved[others], encoded.values[others])
    # Nothing is made anew where no cell is wild.
    usual = EncodedTable(codec.schema_, encoded.values[others])
    assert usual.at_edges() is usual


def test_numbers_near_the_range_and_gaps_are_not_wild():
    values = np.linspace(0, 1, 50)
    spec = spec_of(values)
    cells = np.array([-2.0, 3.0, np.nextafter(3, 4), -2.1, np.nan, 0.5, np.inf])
    assert spec.is_wild(cells).tolist() == [0, 0, 1, 1, 0, 0, 1]
    assert not spec_of(np.ones(50)).is_wild(cells).any()
    levels = TableCodec().fit(pd.DataFrame({"a": list("xy") * 9})).schema_.columns[0]
    assert isinstance(levels, ColumnSpec)
    assert not levels.is_wild(np.array([0.0, 1.0, 99.0])).any()
    # Levels that no row has lie beyond those that some have.
    declared = pd.Categorical(list("ab") * 9, list("abcdefghij"))
    codec = TableCodec().fit(pd.DataFrame({"a": declared}))
    new = pd.DataFrame({"a": pd.Categorical(["j"], list("abcdefghij"))})
    assert not codec.schema_.is_wild(codec.encode(new).values).any()
