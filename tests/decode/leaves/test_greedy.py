"""Greedy leaf assignment: always consistent, and true if the beliefs are."""

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import QUICK, mixed_table, tables
from latentforest.decode._leaves._greedy import (
    CLIQUE_BUDGET,
    agreeing_regions,
    consistent_leaves,
    draw_leaf_order,
)
from latentforest.decode._leaves._greedy_loops import assign_row
from latentforest.forest import ForestArrays, column_facts, regions_of_leaves
from latentforest.regions import leaf_boxes, narrow_to_leaf, observed_region
from leaf_cases import Case

SEEDS = st.integers(0, 9_999)
SORTS = st.sampled_from(["completely random", "adversarial"])
TREES = st.sampled_from([1, 3, 8])


@QUICK
@given(tables(), SORTS, TREES, SEEDS)
def test_a_row_made_in_the_region_reaches_exactly_the_leaves(
    table, sort, n_trees, seed
):
    case = Case(table, sort=sort, n_trees=n_trees, seed=seed)
    found = case.search(case.random_beliefs(10, seed))
    for how in ("middle", "draw"):
        made = case.rows_in(found.regions, how, seed)
        reached = case.forest.leaves(np.where(np.isnan(made), 0.0, made))
        np.testing.assert_array_equal(reached, found.leaf_ids)


@QUICK
@given(tables(), SORTS, TREES, SEEDS)
def test_true_leaves_come_back(table, sort, n_trees, seed):
    case = Case(table, sort=sort, n_trees=n_trees, seed=seed)
    complete = ~np.isnan(case.values).any(axis=1)
    true = case.leaf_ids[complete]
    found = case.search(case.indicators(true))
    np.testing.assert_array_equal(found.leaf_ids, true)
    regions = agreeing_regions(case.boxes, case.start, true)
    for got, wanted in zip(case.parts(regions), case.parts(found.regions), strict=True):
        np.testing.assert_array_equal(got, wanted)


@QUICK
@given(tables(min_rows=5), SORTS, TREES, SEEDS)
def test_the_clique_grows_and_keeps_its_edges(table, sort, n_trees, seed):
    case = Case(table, sort=sort, n_trees=n_trees, seed=seed)
    beliefs = case.random_beliefs(1, seed, share=0.8)
    log_leaves = np.full((n_trees + 1, n_trees), -2)
    log_inside = np.zeros((n_trees + 1, n_trees), bool)
    chosen = np.empty(n_trees, np.int64)
    n_rounds = assign_row(
        np.searchsorted(beliefs.indices, case.boxes.tree_start),
        (beliefs.indices.astype(np.int64), beliefs.data.astype(float)),
        (case.order.ranked, case.order.rank),
        case.boxes.tree_start,
        case.boxes.arrays(),
        tuple(part[0] for part in case.parts(case.start)),
        CLIQUE_BUDGET,
        tuple(part[0].copy() for part in case.parts(case.start)),
        chosen,
        (log_leaves, log_inside),
    )
    assert n_rounds <= n_trees + 1
    assert log_inside[n_rounds - 1].all()
    np.testing.assert_array_equal(log_leaves[n_rounds - 1], chosen)
    for before in range(n_rounds - 1):
        old, new = log_leaves[before], log_leaves[before + 1]
        inside = log_inside[before]
        assert (log_inside[before + 1] & inside).sum() == inside.sum()
        assert log_inside[before + 1].sum() > inside.sum()
        np.testing.assert_array_equal(old[inside], new[inside])
        for tree in np.flatnonzero(inside):
            for other in np.flatnonzero((old >= 0) & (np.arange(n_trees) != tree)):
                if case.meet([old[tree], old[other]]):
                    assert case.meet([new[tree], new[other]])


@QUICK
@given(tables(min_rows=5), SEEDS)
def test_a_tree_alone_takes_its_most_believed_leaf(table, seed):
    case = Case(table, n_trees=1, seed=seed)
    beliefs = sp.csr_array(np.random.default_rng(seed).random((5, case.boxes.n_leaves)))
    legal = [case.meet([leaf]) for leaf in range(case.boxes.n_leaves)]
    wanted = np.where(legal, beliefs.toarray(), -1).argmax(axis=1)
    np.testing.assert_array_equal(case.search(beliefs).leaf_ids[:, 0], wanted)


def slow_clique(case, leaves):
    """Trees of round 1 by the rules of Alg. 1, from all subsets of trees."""
    voters = [b for b in range(len(leaves)) if case.meet([leaves[b]])]
    for size in range(len(voters), 0, -1):
        found = [
            set(chosen)
            for chosen in combinations(voters, size)
            if all(case.meet(leaves[[v, u]]) for v, u in combinations(chosen, 2))
        ]
        if found:
            common = set.intersection(*found)
            return [common] if common else found
    return [set()]


NUMBERS = ("continuous", "ties", "integer", "ordered")


@QUICK
@given(tables(NUMBERS, min_rows=5), SEEDS)
def test_agreeing_regions_are_those_of_the_clique(table, seed):
    # Numbers only: boxes that meet pairwise meet all together (Helly).
    case = Case(table, n_trees=6, seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        leaves = rng.integers(case.boxes.tree_start[:-1], case.boxes.tree_start[1:])
        regions = agreeing_regions(case.boxes, case.start, leaves[None])
        reached = case.forest.leaves(np.nan_to_num(case.rows_in(regions)), n_jobs=1)[0]
        allowed = slow_clique(case, leaves)
        assert any(
            all(reached[tree] == leaves[tree] for tree in clique) for clique in allowed
        )
        if len(allowed) == 1:
            clique = sorted(allowed[0])
            wanted = [part[0].copy() for part in case.parts(case.start)]
            for tree in clique:
                narrow_to_leaf(leaves[tree], case.boxes.arrays(), tuple(wanted))
            got_lower = np.maximum(regions.lower[0], case.start.lower[0])
            np.testing.assert_array_equal(got_lower, wanted[0])
            got_upper = np.minimum(regions.upper[0], case.start.upper[0])
            np.testing.assert_array_equal(got_upper, wanted[1])


def three_level_trees():
    """Trees that split levels {a,b} | c, {b,c} | a and {a,c} | b."""
    return ForestArrays(
        start=np.array([0, 3, 6, 9]),
        left=np.array([1, -1, -1] * 3, np.int32),
        right=np.array([2, -1, -1] * 3, np.int32),
        feature=np.array([0, -1, -1] * 3, np.int32),
        threshold=np.full(9, np.nan),
        missing_left=np.zeros(9, bool),
        category=np.array([0, -1, -1, 1, -1, -1, 2, -1, -1]),
        words=np.array([0b011, 0b110, 0b101], np.uint32),
        leaf=np.array([-1, 0, 1, -1, 2, 3, -1, 4, 5], np.int32),
        split_levels=np.array([3], np.int32),
    )


def level_case():
    forest = three_level_trees()
    values = np.array([[0.0], [1.0], [2.0]])
    facts = column_facts(values, forest.split_levels, np.array([True]))
    boxes = leaf_boxes(forest, facts.whole)
    return forest, boxes, observed_region(facts, forest.split_levels)


@pytest.mark.parametrize("weakest", [0, 1, 2])
def test_levels_that_meet_pairwise_need_not_meet(weakest):
    forest, boxes, start = level_case()
    size = np.ones(boxes.n_leaves, np.int64)
    order = draw_leaf_order(boxes, size, np.random.default_rng(0))
    beliefs = np.zeros((1, 6))
    beliefs[0, [0, 2, 4]] = 0.9
    beliefs[0, 2 * weakest] = 0.8  # this tree has to give way
    found = consistent_leaves(boxes, start, sp.csr_array(beliefs), order)
    wanted = np.array([0, 2, 4])
    wanted[weakest] += 1
    np.testing.assert_array_equal(found.leaf_ids[0], wanted)
    level = np.flatnonzero(found.regions.has_level(0)[0])
    np.testing.assert_array_equal(
        forest.leaves(level[:, None].astype(float))[0], wanted
    )


def test_levels_that_meet_pairwise_agree_by_the_order_of_trees():
    _, boxes, start = level_case()
    regions = agreeing_regions(boxes, start, np.array([[0, 2, 4]]))
    np.testing.assert_array_equal(regions.has_level(0), [[False, True, False]])


def test_trees_without_beliefs_have_no_say():
    case = Case(mixed_table(["continuous"] * 3, 30, seed=1), n_trees=8)
    true = case.leaf_ids[:10]
    beliefs = case.indicators(true).toarray()
    beliefs[:, case.boxes.tree_start[1] :] = 0  # all that is known is the first tree
    found = case.search(sp.csr_array(beliefs))
    np.testing.assert_array_equal(found.leaf_ids[:, 0], true[:, 0])
    everything = case.search(sp.csr_array(np.zeros_like(beliefs)))
    assert (everything.leaf_ids == everything.leaf_ids[0]).all()


def test_rows_do_not_see_each_other():
    case = Case(mixed_table(["continuous", "5 levels"], 40, seed=2), n_trees=12)
    beliefs = case.random_beliefs(150, 0)
    together = case.search(beliefs, n_jobs=1)
    threads = case.search(beliefs, n_jobs=2)
    np.testing.assert_array_equal(together.leaf_ids, threads.leaf_ids)
    np.testing.assert_array_equal(
        case.search(beliefs[77:80]).leaf_ids, together.leaf_ids[77:80]
    )
    ids = np.random.default_rng(0).permuted(case.leaf_ids, axis=0)
    regions = agreeing_regions(case.boxes, case.start, ids, n_jobs=2)
    part = agreeing_regions(case.boxes, case.start, ids[5:9])
    np.testing.assert_array_equal(part.lower, regions.lower[5:9])
    np.testing.assert_array_equal(part.levels, regions.levels[5:9])


def test_bounds_that_no_leaf_sets_are_open():
    case = Case(mixed_table(["constant", "continuous"], 30), n_trees=4)
    found = case.search(case.indicators(case.leaf_ids))
    assert np.isneginf(found.regions.lower[:, 0]).all()
    assert np.isposinf(found.regions.upper[:, 0]).all()
    wanted = regions_of_leaves(case.forest, case.leaf_ids)
    np.testing.assert_array_equal(found.regions.lower, wanted.lower)


def test_a_start_without_a_legal_row_is_refused():
    case = Case(mixed_table(["continuous"], 10))
    case.start.lower[0] = case.start.upper[0]
    with pytest.raises(ValueError, match="no leaf meets the region"):
        case.search(case.random_beliefs(1, 0))


def test_no_rows_give_no_leaves():
    case = Case(mixed_table(["continuous"], 10))
    found = case.search(sp.csr_array((0, case.boxes.n_leaves)))
    assert found.leaf_ids.shape == (0, 8)
    assert found.regions.lower.shape == (0, 1)
