"""The exclusive lasso against SciPy, and the decoder built on it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from sklearn.base import clone

from latentforest import RFAE, CompletelyRandomForest
from latentforest.decode._leaves._exclusive_lasso_loops import (
    fuzzy_leaves,
    leaf_columns,
    solve_exclusive_lasso,
)
from latentforest.decode._leaves._lasso import LassoDecoder
from mixed_tables import LAW, mixed_frame

TIGHT = 1e-9


def random_ids(rng, n_rows, n_trees, n_leaves=4):
    """Leaves of rows, numbered through the trees; some leaves hold nobody."""
    return rng.integers(n_leaves, size=(n_rows, n_trees)) + n_leaves * np.arange(
        n_trees
    )


def columns_of(ids, n_leaves):
    slots = np.full(n_leaves, -1)
    first = np.empty(ids.shape[1] + 1, np.int64)
    leaves, entries = np.empty((2, ids.size), np.int64)
    entry_start = np.empty(ids.size + 1, np.int64)
    n_columns = leaf_columns(ids, slots, first, leaves, entry_start, entries)
    assert (slots == -1).all()
    return first, leaves[:n_columns], entry_start[: n_columns + 1], entries


@LAW
@given(st.integers(1, 12), st.integers(1, 5), st.integers(0, 999))
def test_columns_list_each_leaf_with_its_rows(n_rows, n_trees, seed):
    ids = random_ids(np.random.default_rng(seed), n_rows, n_trees)
    first, leaves, entry_start, entries = columns_of(ids, 4 * n_trees)
    for tree in range(n_trees):
        own = leaves[first[tree] : first[tree + 1]]
        assert sorted(own) == sorted(set(ids[:, tree]))
        for k, leaf in enumerate(own, start=first[tree]):
            rows = entries[entry_start[k] : entry_start[k + 1]]
            np.testing.assert_array_equal(rows, np.flatnonzero(ids[:, tree] == leaf))


def objective(matrix, target, groups, penalty, psi):
    return ((target - matrix @ psi) ** 2).sum() + penalty * ((groups @ psi) ** 2).sum()


@LAW
@given(
    st.integers(1, 12),
    st.integers(1, 5),
    st.sampled_from([1e-4, 1e-2, 1.0]),
    st.integers(0, 999),
)
def test_the_solution_is_as_good_as_scipys(n_rows, n_trees, penalty, seed):
    rng = np.random.default_rng(seed)
    ids = random_ids(rng, n_rows, n_trees)
    first, leaves, entry_start, entries = columns_of(ids, 4 * n_trees)
    scale = 1 / rng.integers(1, 6, size=len(leaves))
    target = n_trees * rng.normal(0.3, 0.5, size=n_rows)
    psi = np.zeros(len(leaves))
    for step in (1e2, 1.0):
        assert solve_exclusive_lasso(
            target,
            scale,
            first,
            entry_start,
            entries,
            step * penalty,
            TIGHT,
            1_000_000,
            psi,
        )
    matrix = (ids[:, :, None] == leaves).any(axis=1) * scale
    groups = (np.arange(len(leaves)) >= first[:-1, None]) & (
        np.arange(len(leaves)) < first[1:, None]
    )
    stacked = np.concatenate([matrix, np.sqrt(penalty) * groups])
    wanted = lsq_linear(
        stacked, np.concatenate([target, np.zeros(n_trees)]), (0, 1), tol=1e-14
    ).x
    assert psi.min() >= 0
    assert psi.max() <= 1
    ours = objective(matrix, target, groups, penalty, psi)
    assert ours <= objective(matrix, target, groups, penalty, wanted) + 1e-9
    # ψ itself need not be unique; what it explains is.
    np.testing.assert_allclose(matrix @ psi, matrix @ wanted, atol=1e-4)


def test_too_few_sweeps_are_reported():
    rng = np.random.default_rng(0)
    ids = random_ids(rng, 12, 5)
    first, leaves, entry_start, entries = columns_of(ids, 20)
    problem = (rng.random(12), np.full(len(leaves), 0.5), first, entry_start, entries)
    assert not solve_exclusive_lasso(*problem, 1e-4, TIGHT, 2, np.zeros(len(leaves)))


def test_only_neighbours_above_zero_take_part():
    ids = np.array([[0, 3], [1, 3], [2, 4]])
    kernel_rows = np.array([[0.5, -0.1, 0.2], [-1.0, -1.0, 0.0]])
    row_start = np.empty(3, np.int64)
    leaves, values = np.empty(12, np.int64), np.empty(12)
    n_converged = fuzzy_leaves(
        kernel_rows,
        ids,
        np.full(5, 0.5),
        3,
        np.array([1e-4]),
        TIGHT,
        1_000_000,
        row_start,
        leaves,
        values,
    )
    assert n_converged == 2
    np.testing.assert_array_equal(row_start, [0, 4, 4])
    np.testing.assert_array_equal(leaves[:4], [0, 2, 3, 4])
    assert (values[:4] > 0).all()


@pytest.fixture(scope="module")
def encoder():
    frame = mixed_frame(60, seed=4)
    forest = CompletelyRandomForest(12, min_samples_leaf=2)
    return RFAE(20, forest=forest, random_state=0).fit(frame)


def fitted(decoder, encoder, seed=0):
    context = encoder.encoder_.context()
    return clone(decoder).fit_context(context, np.random.default_rng(seed))


@pytest.mark.parametrize("point", ["middle", "draw"])
def test_rows_are_made_where_the_leaves_meet(encoder, point):
    decoder = fitted(LassoDecoder(20, point=point), encoder)
    Z = np.random.default_rng(0).normal(size=(30, 20)) * encoder.embedding_.std(0)
    reached = encoder.kernel_.forest_.leaves(decoder.decode(Z))
    np.testing.assert_array_equal(reached, decoder.assign(Z))


def test_the_leaves_of_training_rows_are_found(encoder):
    # Random leaves would be right about once in fifteen times.
    decoder = fitted(LassoDecoder(), encoder)
    found = decoder.assign(encoder.embedding_)
    assert (found == encoder.kernel_.leaf_ids_).mean() > 0.6


def test_first_trees_alone_equal_a_smaller_forest(encoder):
    decoder = fitted(LassoDecoder(n_trees=5), encoder)
    found = decoder.assign(encoder.embedding_[:10])
    assert found.shape == (10, 5)
    assert (found < encoder.kernel_.forest_.first_trees(5).n_leaves).all()


def test_no_rows_give_no_leaves(encoder):
    regions = fitted(LassoDecoder(), encoder).regions(np.empty((0, 20)))
    assert regions.lower.shape == (0, 10)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"sparsity": 0}, "sparsity=0 is too small"),
        ({"penalty": -1.0}, "penalty=-1.0 is too small"),
        ({"n_trees": 0}, "n_trees=0 is too small"),
        ({"n_trees": 99}, "n_trees=99 is more than the 12 trees"),
        ({"point": "corner"}, "point='corner' is not known"),
    ],
)
def test_parameters_are_checked(encoder, params, message):
    with pytest.raises(ValueError, match=message):
        fitted(LassoDecoder(**params), encoder)
