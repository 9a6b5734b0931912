"""Trees that are laid out for routing send every row where the plain nodes do."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import COLUMNS, QUICK, grow, mixed_table, slow_leaves
from latentforest._base._parallel import blocks_of
from latentforest.trees._router import MOST_ROWS, routed_together

LEVELS = [name for name, (_, n_levels, _) in COLUMNS.items() if n_levels]


@given(st.sampled_from(LEVELS), st.integers(0, 9_999))
@QUICK
def test_levels_and_missing_cells_go_where_the_nodes_say(name, seed):
    """A node holds few levels itself, and looks many up; either knows missing ones."""
    names = ["continuous", name]
    forest = grow("two classes", mixed_table(names, 60, missing=0.2, seed=seed)).forest
    values = mixed_table(names, 40, missing=0.3, seed=seed + 1).values
    for sides in (forest.missing_left, ~forest.missing_left):
        turned = replace(forest, missing_left=sides)
        np.testing.assert_array_equal(
            turned.leaves(values, n_jobs=1), slow_leaves(turned, values)
        )


def test_numbers_beside_thresholds():
    """Neighbours of every threshold, both zeros, infinities, the smallest numbers."""
    forest = grow("completely random", mixed_table(["continuous"], 80)).forest
    inner = np.flatnonzero(forest.left >= 0)
    threshold = forest.threshold.copy()
    special = [0.0, -0.0, 5e-324, -5e-324, np.inf, -np.inf, 1e308, -1e308]
    threshold[inner[: len(special)]] = special
    forest = replace(forest, threshold=threshold)
    cuts = threshold[inner]
    around = [cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf), -cuts]
    values = np.concatenate([*around, [np.nan]])[:, None]
    np.testing.assert_array_equal(forest.leaves(values), slow_leaves(forest, values))


def test_copies_do_not_carry_what_is_worked_out():
    forest = grow("completely random", mixed_table(["continuous"], 50)).forest
    values = mixed_table(["continuous"], 20, seed=1).values
    before = len(pickle.dumps(forest))
    wanted = forest.leaves(values)
    assert len(pickle.dumps(forest)) == before
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(again.leaves(values), wanted)


@pytest.mark.parametrize("n_rows", [0, 1, 63, 65, 1_000, 3 * MOST_ROWS + 1])
@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_blocks_cover_all_rows_and_are_not_too_long(n_rows, n_jobs):
    blocks = routed_together(n_rows, n_jobs)
    size = max((end - begin for begin, end in blocks), default=1)
    assert blocks == list(blocks_of(n_rows, size))
    assert size <= MOST_ROWS
