"""Columns of very many levels: the same results, in little memory and time."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from cell_cases import of_numbers, steps_of
from latentforest import Refinement, TableCodec
from latentforest.neighbours import NeighbourSearch
from latentforest.refine import RefinedMap, _linear_start, _map
from latentforest.refine._cells import Cells, CellSpace
from latentforest.refine._cells_loops import MANY_LEVELS
from latentforest.refine._linear_start import LinearStart
from mixed_tables import LAW, mixed_frame

seeds = st.integers(0, 9_999)


def wide_cells(n_rows, seed, *, missing=0.0, n_levels=MANY_LEVELS + 90):
    """Two numbers, a short category and two with many levels, some of them common."""
    rng = np.random.default_rng(seed)
    few = rng.integers(8, size=n_rows)
    many = rng.integers(n_levels, size=(n_rows, 2))
    many[:, 1] = np.where(few < 5, few * 7, many[:, 1])
    values = np.column_stack([rng.normal(size=(n_rows, 2)), few % 3, many]).astype(
        float
    )
    values[rng.random(values.shape) < missing] = np.nan
    start = np.cumsum([0, 1, 1, 3, n_levels, n_levels])
    return Cells(
        values, np.array([True, True, False, False, False]), start, np.zeros(5)
    )


# --- steps ------------------------------------------------------------------------


@LAW
@given(
    st.sampled_from([1, 2, 5]), st.integers(1, 40), st.sampled_from([0.0, 0.3]), seeds
)
def test_steps_equal_those_on_all_cells(n_components, n_neighbors, missing, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(60, n_components))
    queries = rng.normal(size=(15, n_components))
    cells = wide_cells(60, seed, missing=missing)
    wanted = wide_cells(15, seed + 1, missing=missing)
    found = NeighbourSearch(points).nearest(queries, n_neighbors)
    loss, move = steps_of(points, cells, queries, wanted, found, 0.03)
    dense = of_numbers(cells.dense()), queries, of_numbers(wanted.dense())
    all_loss, all_move = steps_of(points, *dense, found, 0.03)
    np.testing.assert_allclose(loss, all_loss, rtol=1e-9)
    np.testing.assert_allclose(move, all_move, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_cells_written_out_once_or_for_each_step_are_the_same(missing, monkeypatch):
    table = TableCodec().fit_encode(mixed_frame(200, missing=missing, seed=2))
    cells = CellSpace.of_table(table).cells(table.values)
    begin = np.random.default_rng(0).normal(size=(200, 2))
    once = RefinedMap(Refinement(2)).fit(begin, cells)
    assert len(once.dense_)
    monkeypatch.setattr(_map, "MOST_CELLS", 0)
    each = RefinedMap(Refinement(2)).fit(begin, cells)
    assert not len(each.dense_)
    np.testing.assert_array_equal(each.coords_, once.coords_)
    assert each.objective_ == once.objective_


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_rows_move_as_on_all_cells(missing):
    cells = wide_cells(150, 3, missing=missing)
    begin = np.random.default_rng(0).normal(size=(150, 2))
    settings = Refinement(3, n_neighbors=20, steps=3)
    wide = RefinedMap(settings).fit(begin, cells)
    dense = RefinedMap(settings).fit(begin, of_numbers(cells.dense()))
    np.testing.assert_allclose(wide.objective_, dense.objective_, rtol=1e-9)
    np.testing.assert_allclose(wide.coords_, dense.coords_, atol=1e-6)
    new = wide_cells(30, 4, missing=missing)
    np.testing.assert_allclose(
        wide.place([begin[:30]], new),
        dense.place([begin[:30]], of_numbers(new.dense())),
        atol=1e-6,
    )


# --- the linear start -------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("n_components", [1, 4])
def test_truncated_axes_are_the_leading_ones(missing, n_components, monkeypatch):
    table = TableCodec().fit_encode(mixed_frame(300, missing=missing, seed=1))
    cells = CellSpace.of_table(table).cells(table.values)
    full = LinearStart.fit(cells, n_components)
    wanted = full.place(cells)
    monkeypatch.setattr(_linear_start, "MANY_CELLS", 0)
    few = LinearStart.fit(cells, n_components)
    np.testing.assert_allclose(few.mean, full.mean, atol=1e-12)
    np.testing.assert_allclose(few.axes, full.axes, atol=1e-7)
    np.testing.assert_allclose(few.place(cells), wanted, atol=1e-6)
    # Each row on its own, to the last bit.
    together = few.place(cells)
    alone = [few.place(cells.take(slice(i, i + 1)))[0] for i in range(0, 300, 30)]
    np.testing.assert_array_equal(alone, together[::30])


def one_category(levels, n_levels):
    values = np.asarray(levels, float)[:, None]
    return Cells(values, np.array([False]), np.array([0, n_levels]), np.zeros(1))


RNG = np.random.default_rng(0)
ODD = {
    "all variances equal": (one_category(RNG.permutation(2500), 2500), 5, 5),
    "unused levels": (one_category(RNG.integers(3, size=500), 2500), 4, 2),
    "copies": (of_numbers(np.repeat(RNG.normal(size=(90, 1)), 2500, axis=1)), 3, 1),
    "few rows": (of_numbers(RNG.normal(size=(20, 2500))), 30, 19),
    "one row": (of_numbers(RNG.normal(size=(1, 2500))), 2, 0),
    "constant": (of_numbers(np.ones((30, 2500))), 2, 0),
    "nothing": (of_numbers(np.full((30, 2500), np.nan)), 2, 0),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_tables_have_axes_too(name):
    cells, n_components, rank = ODD[name]
    axes = LinearStart.fit(cells, n_components).axes
    assert axes.shape == (n_components, 2500)
    np.testing.assert_allclose(axes[:rank] @ axes[:rank].T, np.eye(rank), atol=1e-9)
    np.testing.assert_array_equal(axes[rank:], 0.0)
    with threadpool_limits(1):
        np.testing.assert_array_equal(LinearStart.fit(cells, n_components).axes, axes)


# --- memory -----------------------------------------------------------------------

MEMORY = """
import resource
import numpy as np, pandas as pd
from latentforest import RFAE, CompletelyRandomForest, Refinement

rng = np.random.default_rng(0)
hidden = rng.normal(size=20_000)
table = pd.DataFrame({f"x{j}": hidden + rng.normal(size=20_000) for j in range(3)})
table["id"] = [f"level {i}" for i in rng.permutation(20_000)]
for start in ("linear", "forest"):
    refine = Refinement(1, start=start, n_neighbors=20, steps=2)
    model = RFAE(2, forest=CompletelyRandomForest(20), refine=refine, random_state=0)
    coords = model.fit(table).transform(table[:1000])
    model.inverse_transform(coords)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts kilobytes")
def test_a_column_of_20_000_levels_takes_little_memory():
    done = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    # GB; the cells of all rows alone would be 3.2 GB, and so would their covariance.
    assert max(map(float, done.stdout.split())) < 1.5
