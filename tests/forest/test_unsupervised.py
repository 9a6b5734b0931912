"""Forests without a target: what their splits find."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import QUICK, grow, mixed_table, tables
from latentforest._base._random_loops import bootstrap_counts as original
from latentforest.forest import CompletelyRandomForest, ShiHorvathForest


@given(tables(), st.integers(1, 6), st.integers(0, 99))
@QUICK
def test_shi_horvath_leaves_keep_enough_real_in_bag_rows(encoded, min_leaf, seed):
    with pytest.MonkeyPatch.context() as patch:
        bags = []
        patch.setattr(
            "latentforest.forest._growing._grow.bootstrap_counts",
            lambda *args: bags.append(original(*args)) or bags[-1],
        )
        grown = grow("shi horvath", encoded, seed=seed, min_samples_leaf=min_leaf)
    in_bag = np.stack(bags, axis=1)[: encoded.n_rows]  # real rows come first
    assert in_bag.shape == grown.leaf_ids.shape
    sizes = np.zeros(grown.forest.n_leaves)
    np.add.at(sizes, grown.leaf_ids, in_bag)
    for tree in range(3):
        start, stop = grown.forest.start[tree : tree + 2]
        leaf = grown.forest.leaf[start:stop]
        if (leaf >= 0).sum() > 1:
            assert sizes[leaf[leaf >= 0]].min() >= min_leaf


def test_shi_horvath_splits_on_columns_that_depend_on_each_other():
    def share_of_first_two(encoded):
        forest = ShiHorvathForest(80, max_depth=4, max_features=None)
        forest = forest.grow(encoded, None, np.random.default_rng(0)).forest
        return np.isin(forest.feature[forest.feature >= 0], [0, 1]).mean()

    encoded = mixed_table(["continuous"] * 4, 300)
    assert abs(share_of_first_two(encoded) - 0.5) < 0.06
    encoded.values[:, 1] = encoded.values[:, 0]
    assert share_of_first_two(encoded) > 0.6


@pytest.mark.parametrize("kind", [CompletelyRandomForest, ShiHorvathForest])
def test_targets_are_ignored(kind):
    encoded = mixed_table(["continuous", "5 levels"], 40)
    with_y, without = (
        kind(3, n_jobs=1).grow(encoded, y, np.random.default_rng(0)).leaf_ids
        for y in (np.arange(40), None)
    )
    np.testing.assert_array_equal(with_y, without)
