"""Merging, blending and fitting anew, each against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier

from forest_oracles import QUICK, grow, tables
from kernel_oracles import random_index
from latentforest import RFAE, CompletelyRandomForest
from latentforest.distill._merge import _merged_nodes, merge
from latentforest.distill._merge_loops import add_up_nodes
from latentforest.distill._refit import refit_leaves
from latentforest.distill._rows import COPIES, blended_rows
from latentforest.distill._size import size_of
from latentforest.distill._teacher import Teacher
from latentforest.forest import from_sklearn
from latentforest.trees import cut_trees, put_trees
from mixed_tables import mixed_frame

pytestmark = pytest.mark.filterwarnings("ignore::latentforest.SpectrumWarning")


def teacher_of(model):
    """Return a model as distillation sees it."""
    encoder = model.encoder_
    return Teacher(
        encoder.forest,
        encoder.leaf_table,
        encoder.kind,
        encoder.spectrum.eigenvalues,
        encoder.training.table.values,
        encoder.training.leaf_ids,
        None,
        False,
        encoder.n_jobs,
    )


@pytest.fixture(scope="module", params=["rf", "scornet"])
def teacher(request):
    forest = CompletelyRandomForest(20, min_samples_leaf=3)
    table = mixed_frame(120, missing=0.1, seed=2)
    model = RFAE(3, forest=forest, kernel=request.param, random_state=0)
    return teacher_of(model.fit(table))


@given(tables(), st.integers(0, 99), st.floats(0, 1))
@QUICK
def test_cut_trees_send_rows_the_same_way(encoded, seed, share):
    """Two rows that part in the cut tree part in the whole one, and at the same split.

    A leaf of the whole forest lies in exactly one of the cut one, that of its rows.
    """
    forest = grow(
        "completely random", encoded, seed=seed, n_estimators=4, min_samples_leaf=1
    ).forest
    rng = np.random.default_rng(seed)
    top = rng.random(len(forest.left)) < share
    trees = np.flatnonzero(rng.random(4) < 0.7)
    trees = trees if len(trees) else np.array([2])
    cut, nodes = cut_trees(forest, top, trees)
    whole, part = forest.leaves(encoded.values)[:, trees], cut.leaves(encoded.values)
    parent, _ = forest.parents()
    at = np.flatnonzero(forest.leaf >= 0)[whole]
    for row, column in np.ndindex(part.shape):
        above = [int(at[row, column])]
        while parent[above[-1]] >= 0:
            above.append(int(parent[above[-1]]))
        # The highest node on the way that became a leaf, or the leaf itself.
        wanted = next((node for node in reversed(above) if top[node]), above[0])
        assert nodes[part[row, column]] == wanted


def test_merging_keeps_to_the_size_and_to_the_sums(teacher):
    n_components = teacher.table.values.shape[1]
    whole = size_of(teacher.forest, n_components)
    for size in (0.9, 0.5, 0.2, 0.05):
        small = merge(teacher, size)
        taken = size_of(small.forest, n_components)
        assert taken <= size * whole
        # One more leaf per tree would not have fitted, or is about to.
        assert taken > size * whole - 100
        assert small.forest.n_trees == np.ceil(np.sqrt(size) * teacher.forest.n_trees)
        ids = small.forest.leaves(teacher.codes)
        mass = np.bincount(ids.ravel(), minlength=small.forest.n_leaves)
        np.testing.assert_array_equal(mass, small.table.mass)
        # Leaves that were merged say what their rows say together.
        rows = np.zeros((small.forest.n_leaves, n_components))
        sums, old = teacher.sums(), teacher.leaf_ids
        trees = teacher.aligned_trees(small.forest.n_trees)
        share = sums / np.maximum(teacher.table.mass, 1)[:, None]
        for column, tree in enumerate(trees):
            np.add.at(rows, ids[:, column], share[old[:, tree]])
        scale = 1 / np.maximum(mass, 1) if teacher.kind == "rf" else np.ones(len(mass))
        wanted = rows * scale[:, None] / small.forest.n_trees
        np.testing.assert_allclose(small.table.values, wanted, atol=1e-12)


def test_size_is_that_of_the_arrays_in_a_file(teacher):
    from latentforest._base._section import NewSection

    for size in (1.0, 0.3):
        forest = merge(teacher, size).forest
        new = NewSection()
        put_trees(forest, new)
        assert new.data["layout"] != "linked"
        trees = sum(array.nbytes for array in new.arrays.values())
        leaves = forest.n_leaves * (3 * 8 + 4)
        assert abs(size_of(forest, 3) - trees - leaves) <= 2  # bits fill up bytes


def test_all_trees_stay_as_they_are_at_full_size(teacher):
    small = merge(teacher, 1.0)
    np.testing.assert_array_equal(small.forest.left, teacher.forest.left)
    np.testing.assert_allclose(small.table.values, teacher.table.values, rtol=1e-12)
    np.testing.assert_array_equal(small.table.degree, teacher.table.degree)


def test_trees_without_a_split_may_still_be_too_large(teacher):
    with pytest.raises(ValueError, match=r"size=0.0001 is too small.*larger size"):
        merge(teacher, 0.0001)


def test_trees_are_chosen_by_the_alignment_of_their_kernels(teacher):
    n_trees = teacher.forest.n_trees
    coords = teacher.place(teacher.codes)
    agrees = []
    for tree in range(n_trees):
        ids = teacher.leaf_ids[:, tree]
        kernel = (ids[:, None] == ids) * 1.0
        if teacher.kind == "rf":
            kernel /= kernel.sum(axis=1, keepdims=True)
        agrees.append(np.trace(coords.T @ kernel @ coords))
    wanted = np.sort(np.argsort(agrees)[-7:])
    np.testing.assert_array_equal(teacher.aligned_trees(7), wanted)


def test_cheap_merges_come_first_and_children_before_parents():
    X = np.random.default_rng(0).normal(size=(80, 3))
    model = RandomForestClassifier(3, random_state=0).fit(X, X[:, 0] > 0)
    forest = from_sklearn(model)
    mass, cost = np.zeros((2, len(forest.left)))
    sums = np.zeros((len(forest.left), 1))
    at = np.flatnonzero(forest.leaf >= 0)[forest.leaves(X)]
    for column in at.T:
        np.add.at(mass, column, 1)
        np.add.at(sums[:, 0], column, X[:, 1])
    arrays = forest.start, forest.left, forest.right, mass, sums
    add_up_nodes(*arrays, np.array([2.0]), cost)
    roots = forest.start[:-1]
    np.testing.assert_array_equal(mass[roots], 80)
    np.testing.assert_allclose(sums[roots, 0], X[:, 1].sum())
    parent, _ = forest.parents()
    below = np.flatnonzero(parent >= 0)
    assert (cost[parent[below]] >= cost[below]).all()
    # A node whose children are leaves: the squares around their common mean.
    first = np.repeat(forest.start[:-1], np.diff(forest.start))
    for node in np.flatnonzero(forest.left >= 0):
        pair = first[node] + np.array([forest.left[node], forest.right[node]])
        if (forest.left[pair] < 0).all() and mass[pair].all():
            means = sums[pair, 0] / mass[pair]
            middle = np.average(means, weights=mass[pair])
            wanted = 4 * (mass[pair] * (means - middle) ** 2).sum()
            np.testing.assert_allclose(cost[node], wanted, atol=1e-12)


@pytest.mark.parametrize("counted", [False, True])
def test_leaves_are_fitted_by_ridge_regression(counted):
    rng = np.random.default_rng(3)
    index = random_index(40, (5, 8, 6), seed=3)
    n_leaves = index.n_leaves
    degree = rng.integers(1, 9, n_leaves) * 1.0 if counted else np.full(n_leaves, 1 / 3)
    values, targets = rng.normal(size=(n_leaves, 2)), rng.normal(size=(40, 2))
    design = np.zeros((40, n_leaves))
    for row, leaves in enumerate(index.ids):
        design[row, leaves] = 1 / degree[leaves].sum()
    unit = 1 / (1 / degree[index.ids].sum(axis=1)).mean()
    ridge = 5.0
    gram = design.T @ design * unit**2 + ridge * np.eye(n_leaves)
    moved = np.linalg.solve(gram, design.T @ (targets - design @ values) * unit)
    found = refit_leaves(index.ids, targets, values, degree, ridge=ridge)
    np.testing.assert_allclose(found, values + unit * moved, atol=2e-3 * unit)


def test_leaves_that_are_right_stay(teacher):
    coords = teacher.table.encode(teacher.leaf_ids)
    found = refit_leaves(
        teacher.leaf_ids,
        coords,
        teacher.table.values,
        teacher.table.degree,
        ridge=10.0,
    )
    np.testing.assert_allclose(found, teacher.table.values, atol=1e-9)


def test_blended_rows_lie_between_rows_that_share_a_leaf():
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.normal(size=60), rng.integers(0, 4, 60)])
    codes[::7, 0] = np.nan
    number = np.arange(60, dtype=np.int32)
    ids = np.column_stack([number // 6, 10 + number // 3])
    is_number = np.array([True, False])
    rows = blended_rows(codes, ids, is_number, np.random.default_rng(1))
    assert len(rows) == COPIES * 60
    moved = 0
    for number, row in enumerate(rows):
        own = codes[number % 60]
        mates = codes[ids[:, 0] == ids[number % 60, 0]]  # the wider leaf of the two
        assert row[1] in mates[:, 1]
        known = mates[~np.isnan(mates[:, 0]), 0]
        assert np.isnan(row[0]) or known.min() - 1e-9 <= row[0] <= known.max() + 1e-9
        moved += abs(row[0] - own[0]) > 1e-9  # a gap has not
    assert moved > 60


def test_where_costs_tie_children_are_merged_before_their_parents(teacher):
    forest, whole = teacher.forest, size_of(teacher.forest, 3)
    first = np.repeat(forest.start[:-1], np.diff(forest.start))
    cost = np.zeros(len(forest.left))
    for share in (0.9, 0.6, 0.3):
        nodes = _merged_nodes(forest, cost, 3, share * whole, share)
        is_leaf = forest.left < 0
        is_leaf[nodes] = True
        assert is_leaf[first[nodes] + forest.left[nodes]].all()
        assert is_leaf[first[nodes] + forest.right[nodes]].all()
