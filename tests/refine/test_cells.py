"""Cells to aim at, and the principal components that rows may begin with."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cell_cases import filled, of_numbers
from latentforest import TableCodec
from latentforest.refine._cells import GAP, CellSpace
from latentforest.refine._linear_start import LinearStart
from mixed_tables import LAW, frames, mixed_frame

seeds = st.integers(0, 9_999)


def encode(frame):
    return TableCodec().fit_encode(frame)


def cells_of(table):
    return CellSpace.of_table(table).cells(table.values).dense()


def holed(cells, share, rng):
    """Punch gaps, but leave every cell at least one value."""
    gaps = rng.random(cells.shape) < share
    gaps[0] = False
    return np.where(gaps, np.nan, cells)


# --- cells ------------------------------------------------------------------------


def cells_by_hand(schema, train, codes):
    """Write down every cell on its own."""
    missing = np.isnan(train)
    gaps = [j for j in range(train.shape[1]) if 0 < missing[:, j].mean() < 1]
    wanted = []
    for row in codes:
        cells = []
        for j, code in enumerate(row):
            gap = np.isnan(code)
            if schema.is_number[j]:
                seen = [value for value in train[:, j] if not np.isnan(value)]
                mean = sum(seen) / len(seen)
                std = np.sqrt(sum((value - mean) ** 2 for value in seen) / len(seen))
                cells.append(np.nan if gap else (code - mean) / (std or 1.0))
            else:
                for level in range(schema.n_levels[j]):
                    cells.append(np.nan if gap else float(code == level))
        cells += [GAP * np.isnan(row[j]) for j in gaps]
        wanted.append(cells)
    return np.array(wanted)


@LAW
@given(frames(min_rows=12), seeds)
def test_cells_are_standardised_numbers_and_indicators(frame, seed):
    table = encode(frame)
    rng = np.random.default_rng(seed)
    # Other rows than those that means and scales come from.
    codes = table.values[rng.integers(len(frame), size=5)]
    codes = np.where(table.schema.is_number, 2 * codes + 1, codes)
    np.testing.assert_allclose(
        CellSpace.of_table(table).cells(codes).dense(),
        cells_by_hand(table.schema, table.values, codes),
        atol=1e-9,
    )


@LAW
@given(frames(min_rows=12))
def test_gaps_stay_gaps(frame):
    table = encode(frame)
    cells = CellSpace.of_table(table).cells(table.values)
    gaps, told = np.isnan(cells.dense()), len(cells.is_number) - table.values.shape[1]
    width = np.diff(cells.start)[: table.values.shape[1]]
    missing = np.repeat(np.isnan(table.values), width, axis=1)
    np.testing.assert_array_equal(gaps[:, : width.sum()], missing)
    assert gaps.shape[1] == width.sum() + told
    assert not gaps[:, width.sum() :].any()


def test_a_gap_that_shall_be_filled_is_not_told():
    table = encode(pd.DataFrame({"x": [1.0, np.nan, 3.0], "y": [1.0, 2.0, 4.0]}))
    space = CellSpace.of_table(table)
    told, filled = (space.cells(table.values, fill=fill) for fill in (False, True))
    np.testing.assert_array_equal(told.values[:, 2], [0, GAP, 0])
    np.testing.assert_array_equal(filled.values[:, 2], [0, np.nan, 0])
    np.testing.assert_array_equal(filled.values[:, :2], told.values[:, :2])


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_guessing_the_mean_of_a_number_costs_one(missing):
    table = encode(mixed_frame(80, missing=missing, seed=3))
    compact = CellSpace.of_table(table).cells(table.values)
    cells = compact.dense()
    numbers = np.flatnonzero(table.schema.is_number)
    assert len(numbers) >= 3
    for j in numbers:
        (seen,) = cells[:, compact.start[j] : compact.start[j + 1]].T
        seen = seen[~np.isnan(seen)]
        assert np.mean((seen - seen.mean()) ** 2) == pytest.approx(1)
        # The mean of the rows is 0 in the cells.
        assert np.mean(seen**2) == pytest.approx(1)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_common_unit_keeps_ratios_between_numbers(missing):
    table = encode(mixed_frame(80, missing=missing, seed=3))
    own, common = (
        CellSpace.of_table(table, common_unit=common) for common in (False, True)
    )
    numbers = table.schema.is_number
    assert len(set(own.scale[numbers])) >= 3
    rms = np.sqrt(np.mean(np.nanvar(table.values[:, numbers], axis=0)))
    np.testing.assert_allclose(common.scale[numbers], rms)
    np.testing.assert_array_equal(common.scale[~numbers], own.scale[~numbers])
    np.testing.assert_array_equal(common.mean, own.mean)


def test_a_common_unit_of_constants_is_one():
    table = encode(pd.DataFrame({"x": [2.5, 2.5], "y": [1.5, 1.5]}))
    space = CellSpace.of_table(table, common_unit=True)
    np.testing.assert_array_equal(space.scale, 1.0)


def test_a_common_unit_of_huge_numbers_is_finite():
    table = encode(pd.DataFrame({"x": [-1.5e308, 1.5e308], "y": [-1e307, 1e308]}))
    space = CellSpace.of_table(table, common_unit=True)
    assert np.isfinite(space.scale).all()


def test_a_wrong_level_costs_two_and_a_right_one_nothing():
    table = encode(pd.DataFrame({"name": ["a", "b", "c", "b"]}))
    cells = cells_of(table)
    lost = ((cells[:, None] - cells) ** 2).sum(axis=2)
    wrong = table.values != table.values.T
    np.testing.assert_array_equal(lost, 2.0 * wrong)


def test_columns_that_tell_nothing_have_finite_cells():
    frame = pd.DataFrame(
        {"half": [0.5] * 4, "level": ["a"] * 4, "empty": [np.nan] * 4, "x": range(4)}
    )
    table = encode(frame)
    cells = CellSpace.of_table(table).cells(table.values)
    assert table.schema.is_number[0]
    np.testing.assert_array_equal(cells.dense()[:, cells.start[0]], 0.0)
    assert np.isfinite(cells.mean()).all()


@LAW
@given(frames(min_rows=12))
def test_gaps_count_as_the_mean_of_the_cell(frame):
    table = encode(frame)
    cells = CellSpace.of_table(table).cells(table.values)
    wanted = pd.DataFrame(cells.dense()).mean().fillna(0.0)
    np.testing.assert_allclose(cells.mean(), wanted, atol=1e-12)


@LAW
@given(st.integers(1, 20), st.integers(1, 5), st.floats(0, 0.9), seeds)
def test_means_of_numbers(n_rows, n_cells, share, seed):
    rng = np.random.default_rng(seed)
    cells = holed(rng.normal(size=(n_rows, n_cells)), share, rng)
    before = cells.copy()
    mean = of_numbers(cells).mean()
    np.testing.assert_array_equal(cells, before)
    # The same bits as the sum of the rows, one after the other.
    np.testing.assert_array_equal(filled(cells), np.where(np.isnan(cells), mean, cells))


def test_cells_that_nobody_has_count_as_zero():
    cells = np.array([[np.nan, 1.0], [np.nan, np.nan]])
    np.testing.assert_array_equal(of_numbers(cells).mean(), [0.0, 1.0])


# --- principal components ---------------------------------------------------------


@LAW
@given(st.integers(2, 8), st.integers(1, 11), st.sampled_from([0.0, 0.3]), seeds)
def test_linear_start_is_the_svd(n_cells, n_components, share, seed):
    rng = np.random.default_rng(seed)
    # Variances that differ well: the axes are determined.
    cells = rng.normal(size=(60, n_cells)) * 2.0 ** -np.arange(n_cells) + 3
    cells = holed(cells @ np.linalg.qr(rng.normal(size=(n_cells,) * 2))[0], share, rng)
    known = filled(cells)
    U, S, _ = np.linalg.svd(known - known.mean(axis=0), full_matrices=False)
    found = min(n_components, n_cells)

    start = LinearStart.fit(of_numbers(cells), n_components)
    coords = start.place(of_numbers(known))
    assert coords.shape == (60, n_components)
    np.testing.assert_allclose(
        np.abs(coords[:, :found]), np.abs((U * S)[:, :found]), atol=1e-8
    )
    np.testing.assert_array_equal(coords[:, found:], 0.0)
    # Coordinates, not only their sizes: they add up to the rows again.
    if n_components >= n_cells:
        np.testing.assert_allclose(coords @ start.axes + start.mean, known, atol=1e-8)


@LAW
@given(st.integers(1, 8), st.integers(1, 10), seeds)
def test_the_largest_entry_of_an_axis_is_positive(n_cells, n_components, seed):
    cells = np.random.default_rng(seed).normal(size=(30, n_cells))
    axes = LinearStart.fit(of_numbers(cells), n_components).axes[:n_cells]
    largest = np.abs(axes).argmax(axis=1)
    assert (axes[np.arange(len(axes)), largest] > 0).all()
    np.testing.assert_allclose(axes @ axes.T, np.eye(len(axes)), atol=1e-9)


@LAW
@given(st.integers(1, 3), seeds)
def test_nothing_lies_beyond_the_rank(rank, seed):
    rng = np.random.default_rng(seed)
    cells = rng.normal(size=(40, rank)) @ rng.normal(size=(rank, 6))
    coords = LinearStart.fit(of_numbers(cells), 8).place(of_numbers(cells))
    assert (coords[:, :rank].std(axis=0) > 0).all()
    np.testing.assert_allclose(coords[:, rank:], 0.0, atol=1e-6)


@LAW
@given(st.integers(1, 6), seeds)
def test_gaps_of_new_rows_count_as_the_mean(n_components, seed):
    rng = np.random.default_rng(seed)
    cells = holed(rng.normal(size=(40, 5)) + 2, 0.2, rng)
    start = LinearStart.fit(of_numbers(cells), n_components)
    np.testing.assert_allclose(start.mean, np.nanmean(cells, axis=0))
    new = holed(rng.normal(size=(20, 5)), 0.4, rng)
    known = of_numbers(np.where(np.isnan(new), start.mean, new))
    new = of_numbers(new)
    np.testing.assert_allclose(start.place(new), start.place(known), atol=1e-12)
    nothing = of_numbers(np.full((1, 5), np.nan))
    np.testing.assert_array_equal(start.place(nothing), np.zeros((1, n_components)))


def test_a_constant_column_has_no_scale():
    # The mean of 0.1, 0.1 and 0.1 is rounded, and so would be the spread.
    table = TableCodec().fit_encode(
        pd.DataFrame({"x": [0.1] * 3, "y": [1.0, 2.0, 4.0]})
    )
    space = CellSpace.of_table(table)
    assert space.scale[0] == 1.0
    cells = space.cells(np.array([[0.2, 1.0]])).dense()
    np.testing.assert_allclose(cells[0, 0], 0.1)


def test_axes_without_spread_are_zero():
    rng = np.random.default_rng(0)
    cells = np.column_stack([rng.normal(size=(30, 2)), np.full(30, 0.5)])
    axes = LinearStart.fit(of_numbers(cells), 3).axes
    assert not axes[2].any()
    assert axes[:2].any(axis=1).all()
