"""Synthetic rows are uniform where they reach their node."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import GROWERS, QUICK, grow, mixed_table, path, tables
from latentforest.regions import NodeDraws, column_facts


def facts_of(encoded):
    kinds = [str(column.kind) for column in encoded.schema.columns]
    whole = np.array([kind != "continuous" for kind in kinds])
    return column_facts(encoded.values, encoded.schema.split_levels, whole)


def draw_in(forest, encoded, nodes, n_rows=4, *, seed=0, n_jobs=1):
    draws = NodeDraws(forest, facts_of(encoded))
    start = n_rows * np.arange(len(nodes) + 1)
    seeds = np.random.default_rng(seed).integers(
        1, 2**63, len(forest.left), dtype=np.uint64
    )
    return draws.rows(nodes, start, seeds[nodes], n_jobs=n_jobs)


@pytest.mark.parametrize("sort", GROWERS)
@given(encoded=tables(max_rows=25), seed=st.integers(0, 99))
@QUICK
def test_synthetic_rows_reach_their_node_and_are_legal(sort, encoded, seed):
    forest = grow(sort, encoded, seed=seed).forest
    nodes = np.arange(len(forest.left))
    drawn = draw_in(forest, encoded, nodes, seed=seed)
    tree = np.searchsorted(forest.start, nodes, side="right") - 1
    for i, row in enumerate(drawn):
        assert nodes[i // 4] in path(forest, tree[i // 4], row)
    for column, spec in enumerate(encoded.schema.columns):
        seen = encoded.values[:, column]
        cells = drawn[~np.isnan(drawn[:, column]), column]
        if np.isnan(seen).all():
            assert len(cells) == 0
            continue
        assert ((cells >= np.nanmin(seen)) & (cells <= np.nanmax(seen))).all()
        if encoded.schema.split_levels[column]:
            assert np.isin(cells, seen).all()
        if str(spec.kind) != "continuous":
            np.testing.assert_array_equal(cells, np.rint(cells))


def test_synthetic_rows_are_uniform_and_depend_on_their_own_seed():
    encoded = mixed_table(["continuous", "integer", "5 levels"], 300)
    forest = grow("completely random", encoded).forest
    root = draw_in(forest, encoded, forest.start[:1], 4_000)
    low, high = encoded.values[:, 0].min(), encoded.values[:, 0].max()
    parts = np.histogram(root[:, 0], bins=8, range=(low, high))[0]
    np.testing.assert_allclose(parts, 500, rtol=0.2)
    np.testing.assert_allclose(np.unique(root[:, 1], return_counts=True)[1], 200, 60)
    np.testing.assert_allclose(np.unique(root[:, 2], return_counts=True)[1], 800, 120)
    nodes = np.arange(len(forest.left))
    together = draw_in(forest, encoded, nodes)
    np.testing.assert_array_equal(together, draw_in(forest, encoded, nodes, n_jobs=2))
    alone = np.concatenate([draw_in(forest, encoded, nodes[j : j + 1]) for j in nodes])
    np.testing.assert_array_equal(together, alone)


def test_cells_are_missing_where_nothing_was_observed():
    """All cells lie below the threshold."""
    encoded = mixed_table(["continuous"], 20)
    forest = grow("completely random", encoded).forest
    forest = replace(forest, threshold=np.where(forest.left >= 0, 1e9, np.nan))
    roots = forest.start[:-1]
    right = draw_in(forest, encoded, roots + forest.right[roots])
    left = draw_in(forest, encoded, roots + forest.left[roots])
    assert np.isnan(right).all()
    assert not np.isnan(left).any()
