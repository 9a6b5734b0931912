"""One rule sends cells to the left, be they values or bins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import GROWERS, QUICK, grow, tables, to_left
from latentforest._base._random import draw_seeds
from latentforest.forest._growing._bins import bin_table
from latentforest.forest._growing._grow import grow_trees, route_tree, split_rules
from latentforest.forest._growing._marks_loops import CLASSIFY
from latentforest.forest._growing._records import Response
from latentforest.trees import goes_left, join_trees


@pytest.mark.parametrize("sort", GROWERS)
@given(encoded=tables(max_rows=20), seed=st.integers(0, 99))
@QUICK
def test_the_rule_is_that_of_the_oracle(sort, encoded, seed):
    forest = grow(sort, encoded, seed=seed).forest
    for node in np.flatnonzero(forest.left >= 0):
        cells = np.append(encoded.values[:, forest.feature[node]], np.nan)
        for cell in np.unique(cells):
            left = goes_left(
                cell,
                forest.threshold[node],
                np.isnan(cell),
                forest.missing_left[node],
                forest.category[node],
                forest.words,
            )
            assert left == to_left(forest, node, cell)


@given(encoded=tables(), at_random=st.booleans(), seed=st.integers(0, 99))
@QUICK
def test_values_and_bins_are_routed_alike(encoded, at_random, seed):
    table = bin_table(encoded.values, encoded.schema.split_levels)
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=encoded.n_rows).astype(float)

    def keep(number, tree, counts):
        # Forget the leaves of all rows, then find them again.
        forgotten = tree._replace(leaf_of=np.full_like(tree.leaf_of, -1))
        route_tree(table, forgotten)
        np.testing.assert_array_equal(forgotten.leaf_of, tree.leaf_of)
        return forgotten

    trees = grow_trees(
        table,
        Response(labels, CLASSIFY, 2),
        split_rules(table, at_random=at_random),
        keep,
        seeds=draw_seeds(rng, 3),
        bootstrap=True,
        n_jobs=1,
        progress=None,
    )
    nodes = join_trees(trees, table.split_levels).route(encoded.values, n_jobs=1)
    np.testing.assert_array_equal(nodes, np.stack([t.leaf_of for t in trees], axis=1))
