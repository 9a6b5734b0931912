"""Greedy leaf assignment (Alg. 1 of the paper's appendix), row by row. Compiled.

For boxes and regions see ``regions/_meet_loops.py``.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest.decode._leaves._clique_loops import maximum_cliques
from latentforest.regions import first_meeting, narrow_to_leaf


@compiled
def reset(region, start):
    """Make a region equal to another one, in place."""
    region[0][:] = start[0]
    region[1][:] = start[1]
    region[2][:] = start[2]


@compiled
def overlap_graph(leaves, box, start, edges):
    """Join leaves whose boxes meet within the start region."""
    n_nodes = len(leaves)
    region = (start[0].copy(), start[1].copy(), start[2].copy())
    for v in range(n_nodes):
        reset(region, start)
        narrow_to_leaf(leaves[v], box, region)
        u = first_meeting(leaves, v + 1, n_nodes, box, region)
        while u < n_nodes:
            edges[v, u] = True
            edges[u, v] = True
            u = first_meeting(leaves, u + 1, n_nodes, box, region)


@compiled
def settle_clique(leaves, values, box, start, budget, region, inside):
    """Find the clique C of trees whose leaves agree, and the region S where they meet.

    ``leaves`` holds one leaf per tree that meets the start region, or -1 for a tree
    that has no say. C is the unique maximum clique of the graph of overlaps; if there
    are several, what they have in common; if that is nothing, one of them. Its trees
    enter by falling value, and one whose leaf would empty S stays outside: sets of
    levels can meet pairwise without a level in common. Fills the region and the flags
    ``inside``, and returns how many trees are inside.
    """
    order = np.argsort(-values, kind="mergesort")
    # Most often all agree, and no graph is needed.
    reset(region, start)
    n_voters, n_inside = 0, 0
    for tree in order:
        inside[tree] = False
        if leaves[tree] >= 0:
            n_voters += 1
            if first_meeting(leaves, tree, tree + 1, box, region) == tree:
                narrow_to_leaf(leaves[tree], box, region)
                inside[tree] = True
                n_inside += 1
    if n_inside == n_voters:
        return n_inside
    tree_of = np.flatnonzero(leaves >= 0)
    edges = np.zeros((n_voters, n_voters), np.bool_)
    overlap_graph(leaves[tree_of], box, start, edges)
    clique, common = np.empty(n_voters, np.bool_), np.empty(n_voters, np.bool_)
    n_found, proven = maximum_cliques(edges, budget, clique, common)
    chosen = np.zeros(len(leaves), np.bool_)
    chosen[tree_of] = common if proven and n_found > 1 and common.any() else clique
    reset(region, start)
    n_inside = 0
    for tree in order:
        inside[tree] = False
        if chosen[tree] and first_meeting(leaves, tree, tree + 1, box, region) == tree:
            narrow_to_leaf(leaves[tree], box, region)
            inside[tree] = True
            n_inside += 1
    return n_inside


@compiled
def sort_candidates(leaves, values, begin, end, rank):
    """Sort candidates by falling value, ties by rank; return where values reach 0."""
    for k in range(begin, end):
        leaf, value = leaves[k], values[k]
        j = k
        while j > begin and (
            values[j - 1] < value
            or (values[j - 1] == value and rank[leaves[j - 1]] > rank[leaf])
        ):
            leaves[j], values[j] = leaves[j - 1], values[j - 1]
            j -= 1
        leaves[j], values[j] = leaf, value
    while end > begin and not values[end - 1] > 0:
        end -= 1
    return end


@compiled
def assign_row(
    first, beliefs, order, tree_start, box, start, budget, region, chosen, log
):
    """Choose one leaf per tree so that all meet; return the number of rounds.

    ``beliefs`` are candidates and their values: those from ``first[b]`` to
    ``first[b + 1]`` belong to tree b; every other leaf has value 0. They are sorted in
    place. Fills ``chosen`` and the region S. Row t of the two logs, if they have rows,
    gets the leaves (-1: none yet) and the clique after round t.
    """
    (candidates, values), (ranked, rank) = beliefs, order
    log_leaves, log_inside = log
    n_trees = len(tree_start) - 1
    best, inside = np.zeros(n_trees), np.zeros(n_trees, np.bool_)
    # Where a tree stands: in its candidates, then in all its leaves by rank. S only
    # shrinks, so a leaf that does not meet it never will again.
    at, until, rest = first[:-1].copy(), first[:-1].copy(), tree_start[:-1].copy()
    reset(region, start)
    for tree in range(n_trees):
        until[tree] = sort_candidates(
            candidates, values, first[tree], first[tree + 1], rank
        )
        at[tree] = first_meeting(candidates, at[tree], until[tree], box, region)
        chosen[tree] = -1
        if at[tree] < until[tree]:
            chosen[tree], best[tree] = candidates[at[tree]], values[at[tree]]
    n_inside = settle_clique(chosen, best, box, start, budget, region, inside)
    n_rounds = 1
    if len(log_leaves):
        log_leaves[0] = chosen
        log_inside[0] = inside
    while n_inside < n_trees:
        for tree in range(n_trees):
            if inside[tree]:
                continue
            at[tree] = first_meeting(candidates, at[tree], until[tree], box, region)
            if at[tree] < until[tree]:
                chosen[tree], best[tree] = candidates[at[tree]], values[at[tree]]
            else:
                end = tree_start[tree + 1]
                rest[tree] = first_meeting(ranked, rest[tree], end, box, region)
                if rest[tree] == end:
                    raise ValueError("no leaf meets the region: it holds no legal row")
                chosen[tree], best[tree] = ranked[rest[tree]], 0.0
        for tree in np.argsort(-best, kind="mergesort"):
            if (
                not inside[tree]
                and first_meeting(chosen, tree, tree + 1, box, region) == tree
            ):
                narrow_to_leaf(chosen[tree], box, region)
                inside[tree] = True
                n_inside += 1
        if n_rounds < len(log_leaves):
            log_leaves[n_rounds] = chosen
            log_inside[n_rounds] = inside
        n_rounds += 1
    return n_rounds


@compiled
def assign_rows(
    begin, end, row_start, beliefs, order, tree_start, box, start, budget, regions, ids
):
    """Fill leaves and regions of some rows; candidates are sorted in place."""
    n_trees, candidates = len(tree_start) - 1, beliefs[0]
    lower, upper, levels = regions
    first, chosen = np.empty(n_trees + 1, np.int64), np.empty(n_trees, np.int64)
    no_log = np.empty((0, n_trees), np.int64), np.empty((0, n_trees), np.bool_)
    for row in range(begin, end):
        k = row_start[row]
        for tree in range(n_trees):
            first[tree] = k
            while k < row_start[row + 1] and candidates[k] < tree_start[tree + 1]:
                k += 1
        first[n_trees] = k
        region = (lower[row], upper[row], levels[row])
        assign_row(
            first,
            beliefs,
            order,
            tree_start,
            box,
            start,
            budget,
            region,
            chosen,
            no_log,
        )
        ids[row] = chosen


@compiled
def agree_rows(begin, end, leaf_ids, box, start, budget, regions):
    """Fill the regions where most of the leaves of some rows meet."""
    n_trees = leaf_ids.shape[1]
    lower, upper, levels = regions
    leaves, inside = np.empty(n_trees, np.int64), np.empty(n_trees, np.bool_)
    equal = np.ones(n_trees)
    for row in range(begin, end):
        for tree in range(n_trees):
            met = first_meeting(leaf_ids[row], tree, tree + 1, box, start) == tree
            leaves[tree] = leaf_ids[row, tree] if met else -1
        region = (lower[row], upper[row], levels[row])
        settle_clique(leaves, equal, box, start, budget, region, inside)
