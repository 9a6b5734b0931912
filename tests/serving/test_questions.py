"""Sets of levels and thresholds as questions: every row reaches its leaf."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_oracles import (
    COLUMNS,
    GROWERS,
    QUICK,
    grow,
    left_levels,
    mixed_table,
    tables,
)
from latentforest.serving._questions import ask
from latentforest.serving._trees import lay_out


def walk(trees, codes):
    """Forest-wide leaf in every tree, one question at a time, as a runtime would."""
    starts = np.flatnonzero(trees.node == 0)
    leaves = []
    for start in starts:
        node = start
        while trees.leaf[node] < 0:
            value = codes[trees.feature[node]]
            yes = value <= trees.threshold[node]
            if np.isnan(value):
                yes = trees.missing_true[node]
            node = start + (trees.true if yes else trees.false)[node]
        leaves.append(trees.leaf[node])
    return leaves


def coded(questions, row):
    """Give levels the codes that the questions ask about."""
    return [
        cell if np.isnan(cell) or not len(codes) else codes[int(cell)]
        for cell, codes in zip(row, questions.codes, strict=True)
    ]


def strange_rows(table, seed):
    """Rows with levels and gaps in places where the table has none."""
    rng = np.random.default_rng(seed)
    rows = table.values[rng.integers(table.n_rows, size=30)]
    for j, n_levels in enumerate(table.schema.n_levels):
        if n_levels:
            rows[:, j] = rng.integers(n_levels, size=30)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    return rows


def assert_right(forest, table, values):
    questions = ask(forest, table.schema.n_levels)
    trees = lay_out(forest, questions)
    found = [walk(trees, coded(questions, row)) for row in values]
    np.testing.assert_array_equal(found, forest.leaves(values))
    return questions


@QUICK
@given(tables(min_rows=4), st.sampled_from(list(GROWERS)), st.integers(0, 999))
def test_every_row_reaches_its_leaf(table, grower, seed):
    forest = grow(grower, table, seed=seed).forest
    values = np.concatenate([table.values, strange_rows(table, seed)])
    assert_right(forest, table, values)


@pytest.mark.parametrize("grower", ["completely random", "two classes"])
def test_many_levels(grower):
    table = mixed_table(["70 levels", "32 levels", "ties"], 300, missing=0.1)
    forest = grow(grower, table).forest
    asked = assert_right(forest, table, strange_rows(table, 1)).n_asked
    assert (asked > 1).any()  # else the chains of questions were not tried


@pytest.mark.parametrize("grower", ["completely random", "shi horvath"])
def test_levels_that_do_not_reach_a_node_cost_no_question(grower):
    table = mixed_table(["32 levels", "5 levels"], 300, missing=0.1)
    forest = grow(grower, table).forest
    n_asked = ask(forest, table.schema.n_levels).n_asked
    for root in forest.start[:-1]:
        every = [set(range(n)) for n in table.schema.n_levels]
        waiting = [(root, every)]
        while waiting:
            node, reaching = waiting.pop()
            if forest.left[node] < 0:
                continue
            column, lefts = forest.feature[node], left_levels(forest, node)
            assert 1 <= n_asked[node] <= max(1, len(reaching[column]) - 1)
            for child, kept in (
                (forest.left[node], reaching[column] & lefts),
                (forest.right[node], reaching[column] - lefts),
            ):
                below = [*reaching[:column], kept, *reaching[column + 1 :]]
                waiting.append((root + child, below))


def test_nested_sets_need_one_question():
    """The adversarial forest orders levels once: every set is a first part."""
    table = mixed_table(["70 levels", "5 levels", "boolean", "ties"], 400, missing=0.1)
    forest = grow("adversarial", table).forest
    assert (forest.category >= 0).sum() > 20
    asked = ask(forest, table.schema.n_levels).n_asked
    np.testing.assert_array_equal(asked, forest.left >= 0)


def test_codes_are_a_renumbering_of_the_levels():
    table = mixed_table(list(COLUMNS), 60, missing=0.1)
    forest = grow("completely random", table).forest
    found = ask(forest, table.schema.n_levels).codes
    for spec, codes in zip(table.schema.columns, found, strict=True):
        assert sorted(codes) == list(range(spec.n_levels))
        if str(spec.kind) == "ordered":
            assert list(codes) == sorted(codes)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_groups_hold_all_trees_once(size):
    table = mixed_table(["ties", "5 levels"], 40)
    forest = grow("completely random", table, n_estimators=5).forest
    trees = lay_out(forest, ask(forest, table.schema.n_levels))
    groups = trees.groups(size)
    assert [g.n_trees for g in groups] == [
        min(size, 5 - first) for first in range(0, 5, size)
    ]
    for name in ("node", "threshold", "true", "leaf"):
        joined = np.concatenate([getattr(group, name) for group in groups])
        np.testing.assert_array_equal(joined, getattr(trees, name))
    for group in groups:
        assert group.tree[0] == 0
        assert (np.diff(group.tree) >= 0).all()
