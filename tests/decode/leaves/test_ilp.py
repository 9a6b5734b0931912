"""The exact search against all assignments, HiGHS, and the true leaves."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.base import clone

from forest_oracles import QUICK, mixed_table, tables
from latentforest import RFAE, CompletelyRandomForest
from latentforest.decode._leaves import _exact_search
from latentforest.decode._leaves._exact_search import best_leaves, group_kernel_rows
from latentforest.decode._leaves._ilp import ILPDecoder, ILPWarning
from latentforest.decode._leaves._lasso import LassoDecoder
from latentforest.decode._leaves._lasso_search import LassoSearch
from leaf_cases import Case
from mixed_tables import mixed_frame

SEEDS = st.integers(0, 9_999)
PLENTY = 60.0


class Problem(Case):
    """A case with the kernel of its rows."""

    def __init__(self, table, **options):
        super().__init__(table, **options)
        self.lasso = LassoSearch(
            self.forest, self.facts, self.leaf_ids, np.random.default_rng(0)
        )
        n_trees = self.forest.n_trees
        self.groups = group_kernel_rows(self.leaf_ids, n_trees, self.lasso.leaf_scale)

    def kernel(self, leaf_ids):
        """Kernel between given leaves and the rows, by its definition."""
        same = leaf_ids[:, None, :] == self.leaf_ids
        return (same * self.lasso.leaf_scale[leaf_ids][:, None, :]).mean(axis=2)

    def objective(self, kernel_row, leaves):
        """‖B k̂₀ᵀ − Π S ψᵀ‖₁ without merged rows."""
        rest = kernel_row - self.kernel(np.asarray(leaves)[None])[0]
        return self.forest.n_trees * np.abs(rest).sum()

    def solve(self, kernel_row, time_limit=PLENTY):
        return best_leaves(
            self.groups,
            self.boxes,
            self.start,
            self.groups.targets(kernel_row),
            self.greedy(kernel_row),
            time_limit=time_limit,
        )

    def greedy(self, kernel_row):
        return self.lasso.find(kernel_row[None]).leaf_ids[0]

    def noisy_row(self, seed):
        """Kernel row of one of the rows, with noise that only depends on leaves."""
        rng = np.random.default_rng(seed)
        row = self.kernel(self.leaf_ids[rng.integers(len(self.values), size=1)])[0]
        noise = rng.normal(0, row.max() / 2, size=len(self.groups.size))
        return row + noise[self.groups.group_of]

    def leaves_of(self, tree):
        return np.arange(*self.boxes.tree_start[tree : tree + 2])


@QUICK
@given(tables(max_rows=7), SEEDS)
def test_no_consistent_assignment_is_better(table, seed):
    problem = Problem(table, n_trees=3, seed=seed)
    row = problem.noisy_row(seed)
    found = problem.solve(row)
    assert found.proven
    assert problem.meet(found.leaves)
    everything = product(*(problem.leaves_of(tree) for tree in range(3)))
    wanted = min(
        problem.objective(row, leaves) for leaves in everything if problem.meet(leaves)
    )
    np.testing.assert_allclose(problem.objective(row, found.leaves), wanted, atol=1e-7)
    np.testing.assert_allclose(found.objective, wanted, atol=1e-7)
    assert found.bound == found.objective


def highs(problem, kernel_row):
    """Smallest objective of Eq. 5 as an integer program: pairwise overlap of leaves,
    and one level of each category that all chosen leaves allow."""
    boxes, groups = problem.boxes, problem.groups
    n_leaves, n_groups = boxes.n_leaves, len(groups.size)
    level_start = n_leaves + np.cumsum([0, *boxes.split_levels])
    n_variables = level_start[-1] + n_groups
    rows, least, most = [], [], []

    def add(entries, low, high):
        rows.append(np.zeros(n_variables))
        for variables, factor in entries:
            rows[-1][variables] = factor
        least.append(low)
        most.append(high)

    for tree in range(boxes.n_trees):
        add([(problem.leaves_of(tree), 1)], 1, 1)
    for leaf in range(n_leaves):
        for other in range(leaf):
            if not problem.meet([leaf, other]):
                add([([leaf, other], 1)], 0, 1)
        for bound in range(boxes.start[leaf], boxes.start[leaf + 1]):
            column, word = boxes.column[bound], boxes.word[bound]
            if word >= 0:
                levels = range(boxes.split_levels[column])
                allowed = [
                    level_start[column] + k
                    for k in levels
                    if int(boxes.words[word + k // 32]) >> (k % 32) & 1
                ]
                add([([leaf], 1), (allowed, -1)], -np.inf, 0)
    for column in np.flatnonzero(boxes.split_levels):
        add([(range(*level_start[column : column + 2]), 1)], 1, 1)
    matrix = groups.matrix.toarray()
    targets = groups.targets(kernel_row)
    for group in range(n_groups):
        for sign in (1, -1):
            add(
                [
                    (range(n_leaves), sign * matrix[group]),
                    ([level_start[-1] + group], -1),
                ],
                -np.inf,
                sign * targets[group],
            )
    cost = np.zeros(n_variables)
    cost[level_start[-1] :] = groups.size
    top = np.ones(n_variables)
    top[:n_leaves] = [problem.meet([leaf]) for leaf in range(n_leaves)]
    for column in np.flatnonzero(boxes.split_levels):
        seen = problem.start.has_level(column)[0]
        top[level_start[column] : level_start[column + 1]] = seen
    top[level_start[-1] :] = np.inf
    return milp(
        cost,
        integrality=np.arange(n_variables) < level_start[-1],
        bounds=Bounds(0, top),
        constraints=LinearConstraint(np.array(rows), least, most),
    ).fun


@pytest.mark.parametrize(
    "names",
    [
        ("continuous", "continuous", "integer"),
        ("5 levels", "70 levels", "boolean"),
        ("continuous", "ordered", "5 levels", "32 levels"),
    ],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_highs_finds_nothing_better(names, seed):
    problem = Problem(mixed_table(names, 14, seed=seed), n_trees=4, seed=seed)
    row = problem.noisy_row(seed)
    found = problem.solve(row)
    np.testing.assert_allclose(found.objective, highs(problem, row), rtol=1e-4)


@QUICK
@given(tables(), st.sampled_from([1, 4, 8]), SEEDS)
def test_exact_kernel_rows_give_the_true_leaves(table, n_trees, seed):
    problem = Problem(table, n_trees=n_trees, seed=seed)
    complete = np.flatnonzero(~np.isnan(table.values).any(axis=1))[:10]
    true = problem.leaf_ids[complete]
    for leaves, row in zip(true, problem.kernel(true), strict=True):
        found = problem.solve(row)
        assert found.proven
        assert found.objective < 1e-7
        np.testing.assert_allclose(
            problem.kernel(found.leaves[None])[0], row, atol=1e-7
        )
        if not np.array_equal(found.leaves, leaves):
            # Then the kernel cannot tell the two apart.
            assert problem.objective(row, leaves) < 1e-7


@QUICK
@given(tables(), SEEDS)
def test_it_is_never_worse_than_greedy_search(table, seed):
    problem = Problem(table, n_trees=8, seed=seed)
    row = problem.noisy_row(seed)
    greedy = problem.objective(row, problem.greedy(row))
    best = problem.solve(row)
    stopped = problem.solve(row, time_limit=0.0)
    assert best.objective <= greedy + 1e-9
    assert stopped.objective <= greedy + 1e-9
    assert stopped.bound <= best.objective + 1e-7
    assert problem.meet(best.leaves)


def test_rows_that_share_all_leaves_are_merged_exactly():
    problem = Problem(mixed_table(["boolean", "ordered"], 40), n_trees=5)
    assert len(problem.groups.size) < 20
    assert problem.groups.size.sum() == 40
    row = problem.noisy_row(0)
    for leaves in problem.leaf_ids[:5]:
        merged = problem.groups.objective(problem.groups.targets(row), leaves)
        np.testing.assert_allclose(merged, problem.objective(row, leaves))


def encoder_with(n_components):
    frame = mixed_frame(30, seed=4)
    forest = CompletelyRandomForest(12, min_samples_leaf=2)
    return RFAE(n_components, forest=forest, random_state=0).fit(frame)


@pytest.fixture(scope="module")
def encoder():
    return encoder_with(6)


def fitted(decoder, encoder, seed=0):
    context = encoder.encoder_.context()
    return clone(decoder).fit_context(context, np.random.default_rng(seed))


def test_all_components_give_the_leaves_of_training_rows():
    encoder = encoder_with(29)
    decoder = fitted(ILPDecoder(n_trees=None), encoder)
    found = decoder.assign(encoder.embedding_)
    assert found.proven.all()
    assert found.objective.max() < 1e-6
    np.testing.assert_array_equal(found.leaf_ids, encoder.kernel_.leaf_ids_)


@pytest.mark.parametrize("point", ["middle", "draw"])
def test_rows_are_made_where_the_leaves_meet(encoder, point):
    decoder = fitted(ILPDecoder(n_trees=6, point=point), encoder)
    Z = np.random.default_rng(0).normal(size=(20, 6)) * encoder.embedding_.std(0)
    found = decoder.assign(Z)
    assert found.proven.all()
    assert not found.gap.any()
    reached = encoder.kernel_.forest_.leaves(decoder.decode(Z))[:, :6]
    np.testing.assert_array_equal(reached, found.leaf_ids)


def test_number_of_threads_is_irrelevant(encoder):
    Z = encoder.embedding_
    one = fitted(ILPDecoder(n_jobs=1), encoder).assign(Z)
    two = fitted(ILPDecoder(n_jobs=2), encoder).assign(Z)
    np.testing.assert_array_equal(one.leaf_ids, two.leaf_ids)
    np.testing.assert_array_equal(one.objective, two.objective)


def test_rows_that_are_not_proven_are_reported(encoder):
    decoder = fitted(ILPDecoder(n_trees=8, time_limit=0.0), encoder)
    Z = encoder.embedding_[:7]
    found = decoder.assign(Z)
    assert not found.proven.any()
    assert (found.gap > 0).all()
    assert (found.gap <= 1).all()
    lasso = fitted(LassoDecoder(n_trees=8), encoder)
    np.testing.assert_array_equal(found.leaf_ids, lasso.assign(Z))
    with pytest.warns(ILPWarning) as caught:
        decoder.decode(Z)
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "The leaves of 7 of 7 rows are not proven" in message
    assert f"the largest gap is {found.gap.max():.0%}" in message
    assert "Raise time_limit, or lower n_trees" in message


def test_the_time_limit_does_not_count_compilation(encoder, monkeypatch):
    """The clock goes forward by an hour whenever a function is compiled."""
    fresh = {}
    for name in ("branch", "expand"):
        fresh[name] = njit(nogil=True)(getattr(_exact_search, name).py_func)
        monkeypatch.setattr(_exact_search, name, fresh[name])
    monkeypatch.setattr(
        _exact_search,
        "perf_counter",
        lambda: 3600.0 * sum(len(f.signatures) for f in fresh.values()),
    )
    decoder = fitted(ILPDecoder(n_trees=4, time_limit=60.0, n_jobs=1), encoder)
    assert decoder.assign(encoder.embedding_[:2]).proven.all()
    assert all(f.signatures for f in fresh.values())


def test_no_rows_give_no_leaves(encoder):
    decoder = fitted(ILPDecoder(), encoder)
    assert decoder.regions(np.empty((0, 6))).lower.shape == (0, 10)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"time_limit": -1.0}, "time_limit=-1.0 is too small"),
        ({"n_trees": 99}, "n_trees=99 is more than the 12 trees"),
        ({"point": "corner"}, "point='corner' is not known"),
    ],
)
def test_parameters_are_checked(encoder, params, message):
    with pytest.raises(ValueError, match=message):
        fitted(ILPDecoder(**params), encoder)
