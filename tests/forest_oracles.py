"""Slow, obvious versions of what the forest room does, and tables to try it on."""

from dataclasses import fields
from itertools import combinations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from latentforest.forest import (
    AdversarialForest,
    CompletelyRandomForest,
    ForestArrays,
    ShiHorvathForest,
    SupervisedForest,
)
from latentforest.table import ColumnKind, ColumnSpec, EncodedTable, TableSchema

QUICK = settings(max_examples=25, deadline=None)

ULP = 2**-52

# Name: kind, number of levels, a function that draws the codes.
COLUMNS = {
    "continuous": ("continuous", 0, lambda rng, n: rng.normal(size=n)),
    "ties": ("continuous", 0, lambda rng, n: rng.integers(4, size=n) / 2),
    # Between neighbouring doubles a midpoint is one of the two.
    "neighbours": ("continuous", 0, lambda rng, n: 1 + rng.integers(4, size=n) * ULP),
    "constant": ("continuous", 0, lambda rng, n: np.full(n, 0.1)),
    "all missing": ("continuous", 0, lambda rng, n: np.full(n, np.nan)),
    "integer": ("integer", 0, lambda rng, n: rng.integers(-5, 15, size=n)),
    "ordered": ("ordered", 7, lambda rng, n: rng.integers(7, size=n)),
    "boolean": ("boolean", 2, lambda rng, n: rng.integers(2, size=n)),
    "1 level": ("category", 1, lambda rng, n: np.zeros(n)),
    "5 levels": ("category", 5, lambda rng, n: rng.integers(5, size=n)),
    "32 levels": ("category", 32, lambda rng, n: rng.integers(32, size=n)),
    "63 levels": ("category", 63, lambda rng, n: rng.integers(63, size=n)),
    "64 levels": ("category", 64, lambda rng, n: rng.integers(64, size=n)),
    "70 levels": ("category", 70, lambda rng, n: rng.integers(70, size=n)),
    "rare levels": ("category", 40, lambda rng, n: rng.choice([3, 35], size=n)),
}
NUMBERS = ("continuous", "ties", "neighbours", "integer")


def mixed_table(names, n_rows, *, missing=0.0, seed=0):
    """Table with the named columns and a share of missing cells."""
    rng = np.random.default_rng(seed)
    specs, codes = [], []
    for number, name in enumerate(names):
        kind, n_levels, draw = COLUMNS[name]
        levels = (False, True) if kind == "boolean" else tuple(range(n_levels))
        specs.append(ColumnSpec(f"x{number}", ColumnKind(kind), levels))
        codes.append(draw(rng, n_rows).astype(np.float64))
    values = np.stack(codes, axis=1)
    values[rng.random(values.shape) < missing] = np.nan
    return EncodedTable(TableSchema(tuple(specs)), np.ascontiguousarray(values))


@st.composite
def tables(draw, names=tuple(COLUMNS), min_rows=1, max_rows=40):
    """Small tables of one to four columns, with and without missing cells."""
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=4))
    return mixed_table(
        chosen,
        draw(st.integers(min_rows, max_rows)),
        missing=draw(st.sampled_from([0.0, 0.3])),
        seed=draw(st.integers(0, 9_999)),
    )


GROWERS = {
    "completely random": (CompletelyRandomForest, {"min_samples_leaf": 1}),
    "shi horvath": (ShiHorvathForest, {"min_samples_leaf": 1}),
    "adversarial": (AdversarialForest, {"max_rounds": 2}),
    "two classes": (SupervisedForest, {}),
    "three classes": (SupervisedForest, {}),
    "regression": (SupervisedForest, {"max_features": None}),
}


def make_grower(name, **params):
    """Forest of the given sort; three trees unless told otherwise."""
    kind, defaults = GROWERS[name]
    return kind(**({"n_estimators": 3, "n_jobs": 1} | defaults | params))


def make_target(name, n_rows, seed=0):
    """Target that suits the sort of forest."""
    rng = np.random.default_rng(seed)
    if name == "regression":
        return rng.normal(size=n_rows)
    return rng.integers(3 if name == "three classes" else 2, size=n_rows)


def grow(name, encoded, *, seed=0, **params):
    """Grow a small forest of the given sort."""
    y = make_target(name, encoded.n_rows, seed)
    forest = make_grower(name, **params)
    return forest.grow(encoded, y, np.random.default_rng(seed))


def same_forest(one, other):
    """Whether two forests agree bit by bit."""
    return all(
        np.array_equal(
            getattr(one, field.name),
            getattr(other, field.name),
            equal_nan=field.name == "threshold",
        )
        for field in fields(ForestArrays)
    )


def left_levels(forest, node):
    """Levels that a node sends to the left, as a set."""
    n_levels = forest.split_levels[forest.feature[node]]
    words = forest.words[forest.category[node] :]
    return {k for k in range(n_levels) if int(words[k // 32]) >> (k % 32) & 1}


def to_left(forest, node, cell):
    """Which way a cell goes at a node."""
    if np.isnan(cell):
        return bool(forest.missing_left[node])
    if forest.category[node] >= 0:
        return int(cell) in left_levels(forest, node)
    return bool(cell <= forest.threshold[node])


def path(forest, tree, row):
    """Nodes that a row passes in a tree, the leaf last, numbered forest-wide."""
    root = forest.start[tree]
    nodes = [root]
    while forest.left[nodes[-1]] >= 0:
        node = nodes[-1]
        goes_left = to_left(forest, node, row[forest.feature[node]])
        nodes.append(root + (forest.left if goes_left else forest.right)[node])
    return nodes


def slow_leaves(forest, values):
    """Forest-wide leaf of every row in every tree, one walk at a time."""
    return np.array(
        [
            [forest.leaf[path(forest, tree, row)[-1]] for tree in range(forest.n_trees)]
            for row in values
        ]
    ).reshape(len(values), forest.n_trees)


def slow_region(forest, row):
    """Lower and upper bounds and sets of levels where the row's leaves meet."""
    lower = np.full(len(row), -np.inf)
    upper = np.full(len(row), np.inf)
    sets = [set(range(n_levels)) for n_levels in forest.split_levels]
    for tree in range(forest.n_trees):
        for node in path(forest, tree, row)[:-1]:
            column = forest.feature[node]
            cell, threshold = row[column], forest.threshold[node]
            if np.isnan(cell):
                continue
            goes_left = to_left(forest, node, cell)
            if forest.category[node] >= 0:
                allowed = left_levels(forest, node)
                sets[column] -= sets[column] - allowed if goes_left else allowed
            elif goes_left:
                upper[column] = min(upper[column], threshold)
            else:
                lower[column] = max(lower[column], threshold)
    return lower, upper, sets


def depth_of(forest, tree):
    """Most splits between the root of a tree and a leaf."""
    start, stop = forest.start[tree], forest.start[tree + 1]
    depth = np.zeros(stop - start, int)
    for node in range(stop - start):
        if forest.left[start + node] >= 0:
            depth[forest.left[start + node]] = depth[node] + 1
            depth[forest.right[start + node]] = depth[node] + 1
    return depth.max()


def impurity(y, parts, *, classify):
    """Gini impurity times rows, or sum of squares, of a partition of the rows."""
    total = 0.0
    for part in np.unique(parts):
        inside = y[parts == part]
        if classify:
            counts = np.unique(inside, return_counts=True)[1]
            total += len(inside) - (counts**2).sum() / len(inside)
        else:
            total += ((inside - inside.mean()) ** 2).sum()
    return total


def splits_of(codes, *, by_level):
    """Every way to send a column's cells left, as masks; NaN is missing."""
    missing = np.isnan(codes)
    if by_level:
        known = [codes == level for level in np.unique(codes[~missing])]
        groups = [*known, missing] if missing.any() else known
        for size in range(1, len(groups)):
            for chosen in combinations(groups, size):
                yield np.logical_or.reduce(chosen)
        return
    for value in np.unique(codes[~missing]):
        left = codes <= value  # false for missing
        yield left
        yield left | missing


def best_impurity(values, split_levels, y, *, classify, min_leaf=1):
    """Lowest impurity that one split of any column reaches; None if there is none."""
    found = []
    for column, n_levels in enumerate(split_levels):
        for left in splits_of(values[:, column], by_level=n_levels > 0):
            if min(left.sum(), (~left).sum()) >= min_leaf:
                found.append(impurity(y, left, classify=classify))
    return min(found) if found else None
