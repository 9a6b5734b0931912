"""Maximum cliques against a search of all subsets."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from latentforest.decode._leaves._clique_loops import maximum_cliques

PLENTY = 1_000_000


def search(matrix, budget=PLENTY):
    clique, common = np.ones((2, len(matrix)), bool)  # to be overwritten
    n_found, proven = maximum_cliques(matrix, budget, clique, common)
    return set(np.flatnonzero(clique)), set(np.flatnonzero(common)), n_found, proven


def random_graph(n_nodes, share, seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n_nodes, n_nodes)) < share, 1)
    return upper | upper.T


def all_maximum_cliques(matrix):
    nodes = range(len(matrix))
    for size in range(len(matrix), 0, -1):
        found = [
            set(chosen)
            for chosen in combinations(nodes, size)
            if all(matrix[v, u] for v, u in combinations(chosen, 2))
        ]
        if found:
            return found
    return [set()]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 12), st.sampled_from([0.0, 0.3, 0.6, 0.9, 1.0]), st.integers(0))
def test_all_maximum_cliques_are_found(n_nodes, share, seed):
    matrix = random_graph(n_nodes, share, seed)
    wanted = all_maximum_cliques(matrix)
    clique, common, n_found, proven = search(matrix)
    assert proven
    assert clique in wanted
    assert common == set.intersection(*wanted)
    if common or len(wanted) == 1:
        assert n_found == len(wanted)
    else:
        assert 2 <= n_found <= len(wanted)


@settings(max_examples=10, deadline=None)
@given(st.integers(70, 150), st.integers(0, 999))
def test_a_planted_clique_is_found_among_many_words(n_nodes, seed):
    matrix = random_graph(n_nodes, 0.2, seed)
    planted = np.random.default_rng(seed).permutation(n_nodes)[:25]
    matrix[np.ix_(planted, planted)] = True
    np.fill_diagonal(matrix, False)
    clique, common, n_found, proven = search(matrix)
    assert clique == common == set(planted)
    assert n_found == 1
    assert proven


def test_without_budget_the_best_so_far_is_a_clique_and_not_proven():
    matrix = random_graph(60, 0.7, 0)
    for budget in (30, 100, 300):
        clique, _, _, proven = search(matrix, budget)
        assert not proven
        assert len(clique) > 1
        assert all(matrix[v, u] for v, u in combinations(clique, 2))
    assert len(clique) <= len(search(matrix)[0])


def test_a_budget_that_is_just_enough_proves():
    # Two nodes without an edge: two branches.
    matrix = np.zeros((2, 2), bool)
    assert search(matrix, 2)[3]
    assert not search(matrix, 1)[3]


def test_the_same_graph_gives_the_same_clique():
    matrix = random_graph(12, 0.5, 3)
    assert search(matrix) == search(matrix)
