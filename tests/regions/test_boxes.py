"""Boxes of leaves: they hold exactly the rows that the leaves hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import QUICK, grow, left_levels, mixed_table, tables
from latentforest.regions import (
    LeafBoxes,
    column_facts,
    compatible_regions,
    first_meeting,
    leaf_boxes,
    narrow_to_leaf,
    observed_region,
)
from latentforest.trees import ForestArrays

GROWN = st.sampled_from(["completely random", "shi horvath", "adversarial"])


def is_whole(schema):
    return np.array([spec.kind.value != "continuous" for spec in schema.columns])


def boxes_of(table, sort="completely random", seed=0):
    forest = grow(sort, table, seed=seed).forest
    facts = column_facts(
        table.values, table.schema.split_levels, is_whole(table.schema)
    )
    return forest, facts, leaf_boxes(forest, facts.whole)


def slow_boxes(forest, whole):
    """Lower and upper bounds and sets of levels of every leaf, from the root down."""
    found = {}
    everything = (
        np.full(forest.n_columns, -np.inf),
        np.full(forest.n_columns, np.inf),
        [set(range(n_levels)) for n_levels in forest.split_levels],
    )

    def visit(root, node, box):
        lower, upper, sets = box
        if forest.left[node] < 0:
            found[int(forest.leaf[node])] = box
            return
        column, cut = forest.feature[node], forest.threshold[node]
        sides = [(lower.copy(), upper.copy(), list(sets)) for _ in range(2)]
        if forest.category[node] >= 0:
            sides[0][2][column] = sets[column] & left_levels(forest, node)
            sides[1][2][column] = sets[column] - left_levels(forest, node)
        else:
            cut = np.floor(cut) if whole[column] else cut
            sides[0][1][column] = min(upper[column], cut)
            sides[1][0][column] = max(lower[column], cut)
        visit(root, root + forest.left[node], sides[0])
        visit(root, root + forest.right[node], sides[1])

    for root in forest.start[:-1]:
        visit(root, root, everything)
    return [found[leaf] for leaf in range(forest.n_leaves)]


def spread(boxes, leaf):
    """Return the box of a leaf in the form of `slow_boxes`."""
    n_columns = len(boxes.split_levels)
    lower, upper = np.full(n_columns, -np.inf), np.full(n_columns, np.inf)
    sets = [set(range(n_levels)) for n_levels in boxes.split_levels]
    for bound in range(boxes.start[leaf], boxes.start[leaf + 1]):
        column, word = boxes.column[bound], boxes.word[bound]
        assert (word >= 0) == (boxes.split_levels[column] > 0)
        lower[column], upper[column] = boxes.lower[bound], boxes.upper[bound]
        if word >= 0:
            sets[column] = {
                k
                for k in range(boxes.split_levels[column])
                if int(boxes.words[word + k // 32]) >> (k % 32) & 1
            }
    return lower, upper, sets


@QUICK
@given(tables(), GROWN, st.integers(0, 99))
def test_boxes_equal_a_walk_from_the_root(table, sort, seed):
    forest, facts, boxes = boxes_of(table, sort, seed)
    for leaf, (lower, upper, sets) in enumerate(slow_boxes(forest, facts.whole)):
        got = spread(boxes, leaf)
        np.testing.assert_array_equal(got[0], lower)
        np.testing.assert_array_equal(got[1], upper)
        assert got[2] == sets


@QUICK
@given(tables(), GROWN, st.integers(0, 99))
def test_leaves_of_a_tree_are_counted_together(table, sort, seed):
    forest, _, boxes = boxes_of(table, sort, seed)
    ids = forest.leaves(table.values)
    assert (ids >= boxes.tree_start[:-1]).all()
    assert (ids < boxes.tree_start[1:]).all()


def random_region(rng, facts, start):
    """Draw a region that holds a legal row: some bounds of each column, or none."""
    region = (start.lower[0].copy(), start.upper[0].copy(), start.levels[0].copy())
    for column, n_levels in enumerate(start.split_levels):
        if rng.random() < 0.3:
            continue
        if n_levels:
            first, last = start.word_start[column : column + 2]
            level = rng.choice(np.flatnonzero(start.has_level(column)[0]))
            keep = rng.integers(2**32, size=last - first, dtype=np.uint32)
            keep[level // 32] |= np.uint32(1) << np.uint32(level % 32)
            region[2][first:last] &= keep
        elif not np.isnan(facts.lower[column]):
            ends = rng.uniform(facts.lower[column], facts.upper[column], size=2)
            low, high = np.sort(np.round(ends) if facts.whole[column] else ends)
            low = low - 1 if facts.whole[column] else np.nextafter(low, -np.inf)
            region[0][column] = max(region[0][column], low)
            region[1][column] = high
    return region


@QUICK
@given(tables(), GROWN, st.integers(0, 99))
def test_a_region_with_a_legal_row_meets_a_leaf_of_every_tree(table, sort, seed):
    forest, facts, boxes = boxes_of(table, sort, seed)
    start = observed_region(facts, forest.split_levels)
    leaves = np.arange(boxes.n_leaves)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        region = random_region(rng, facts, start)
        for tree in range(boxes.n_trees):
            begin, end = boxes.tree_start[tree : tree + 2]
            found = first_meeting(leaves, begin, end, boxes.arrays(), region)
            assert found < end
            assert not any(
                first_meeting(leaves, leaf, leaf + 1, boxes.arrays(), region) == leaf
                for leaf in range(begin, found)
            )


@QUICK
@given(tables(), GROWN, st.integers(0, 99))
def test_a_row_meets_exactly_its_own_leaves(table, sort, seed):
    # A complete row as a region that holds nothing else.
    forest, facts, boxes = boxes_of(table, sort, seed)
    start = observed_region(facts, forest.split_levels)
    leaves = np.arange(boxes.n_leaves)
    complete = table.values[~np.isnan(table.values).any(axis=1)]
    ids = forest.leaves(complete)
    for row, own in zip(complete[:10], ids, strict=False):
        region = (start.lower[0].copy(), start.upper[0].copy(), start.levels[0].copy())
        for column, n_levels in enumerate(forest.split_levels):
            if n_levels:
                first, last = start.word_start[column : column + 2]
                region[2][first:last] = 0
                word, bit = divmod(int(row[column]), 32)
                region[2][first + word] = np.uint32(1) << np.uint32(bit)
            else:
                whole = facts.whole[column]
                below = row[column] - 1 if whole else np.nextafter(row[column], -np.inf)
                region[0][column], region[1][column] = below, row[column]
        meeting = [
            leaf
            for leaf in leaves
            if first_meeting(leaves, leaf, leaf + 1, boxes.arrays(), region) == leaf
        ]
        assert meeting == sorted(own)


@QUICK
@given(tables(), GROWN, st.integers(0, 99))
def test_narrowing_equals_the_region_of_a_row(table, sort, seed):
    forest, facts, boxes = boxes_of(table, sort, seed)
    boxes = leaf_boxes(forest, np.zeros_like(facts.whole))
    complete = table.values[~np.isnan(table.values).any(axis=1)]
    wanted = compatible_regions(forest, complete)
    for row, ids in enumerate(forest.leaves(complete)):
        region = (
            np.full(forest.n_columns, -np.inf),
            np.full(forest.n_columns, np.inf),
            np.full(boxes.word_start[-1], 2**32 - 1, np.uint32),
        )
        for leaf in ids:
            narrow_to_leaf(leaf, boxes.arrays(), region)
        np.testing.assert_array_equal(region[0], wanted.lower[row])
        np.testing.assert_array_equal(region[1], wanted.upper[row])
        for column in np.flatnonzero(forest.split_levels):
            first, last = boxes.word_start[column : column + 2]
            bits = np.unpackbits(region[2][first:last].view("u1"), bitorder="little")
            np.testing.assert_array_equal(
                bits[: forest.split_levels[column]].astype(bool),
                wanted.has_level(column)[row],
            )


@QUICK
@given(tables(), st.integers(0, 99))
def test_the_observed_region_is_as_small_as_it_can_be(table, seed):
    _, facts, _ = boxes_of(table, seed=seed)
    split_levels = table.schema.split_levels
    start = observed_region(facts, split_levels)
    for column, cells in enumerate(table.values.T):
        seen = cells[~np.isnan(cells)]
        if split_levels[column]:
            known = set(np.flatnonzero(start.has_level(column)[0]))
            assert known == set(seen) or not seen.size
            assert known
        elif seen.size:
            assert start.upper[0, column] == seen.max()
            if facts.whole[column]:
                assert start.lower[0, column] == seen.min() - 1
            else:
                assert np.nextafter(start.lower[0, column], np.inf) == seen.min()
        else:
            assert start.lower[0, column] == -np.inf
            assert start.upper[0, column] == np.inf


def one_split(threshold, missing_left=False):
    return ForestArrays(
        start=np.array([0, 3]),
        left=np.array([1, -1, -1], np.int32),
        right=np.array([2, -1, -1], np.int32),
        feature=np.array([0, -1, -1], np.int32),
        threshold=np.array([threshold, np.nan, np.nan]),
        missing_left=np.array([missing_left, False, False]),
        category=np.full(3, -1),
        words=np.empty(0, np.uint32),
        leaf=np.array([-1, 0, 1], np.int32),
        split_levels=np.zeros(1, np.int32),
    )


def meets_all(boxes, leaf):
    everything = (np.array([-np.inf]), np.array([np.inf]), np.empty(0, np.uint32))
    leaves = np.arange(boxes.n_leaves)
    return first_meeting(leaves, leaf, leaf + 1, boxes.arrays(), everything) == leaf


def test_a_leaf_that_only_missing_cells_reach_meets_nothing():
    boxes = leaf_boxes(one_split(np.inf), np.array([False]))
    assert meets_all(boxes, 0)
    assert not meets_all(boxes, 1)


@pytest.mark.parametrize(("whole", "lower"), [(True, 2.0), (False, 2.7)])
def test_bounds_of_whole_columns_are_whole(whole, lower):
    boxes = leaf_boxes(one_split(2.7), np.array([whole]))
    assert boxes.upper[0] == lower
    assert boxes.lower[1] == lower


def test_a_single_leaf_has_no_bounds():
    table = mixed_table(["constant"], 5)
    boxes = leaf_boxes(grow("completely random", table).forest, np.array([False]))
    assert boxes.start[-1] == 0
    assert boxes.n_leaves == boxes.n_trees == 3


def test_boxes_check_themselves():
    boxes = leaf_boxes(one_split(1.0), np.array([False]))
    parts = {name: getattr(boxes, name) for name in LeafBoxes.__slots__}
    with pytest.raises(ValueError, match="column has 1 of 2 bounds"):
        LeafBoxes(**parts | {"column": boxes.column[:1]})
    with pytest.raises(ValueError, match="the trees have 1 of 2 leaves"):
        LeafBoxes(**parts | {"tree_start": np.array([0, 1])})
