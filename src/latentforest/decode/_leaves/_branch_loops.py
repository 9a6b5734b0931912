"""Exact leaf assignment (Eq. 5) by branch and bound over leaves. Compiled.

The objective h(x) = Σ_j m_j |t_j − x_j|, with t = B k̂₀ and x = Π S ψ, is convex, and a
leaf only adds to x. So what leaves add to h, each alone, is never more than what they
add together, and with some trees settled at x within the region S

    h(x) + Σ_b min_l (h(x + leaf l) − h(x)), b the other trees, l their leaves meeting S

is a lower bound on everything that is still possible. Leaves that do not meet S are
out, so every assignment that is reached is consistent.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest.regions import first_meeting, narrow_to_leaf


@compiled
def cost_of_leaf(leaf, kernel, x):
    """Return what a leaf adds to the objective at x: h(x + leaf) − h(x)."""
    targets, size, scale, entry_start, entries = kernel
    added = 0.0
    for e in range(entry_start[leaf], entry_start[leaf + 1]):
        j = entries[e]
        gap = x[j] - targets[j]
        added += size[j] * (abs(gap + scale[leaf]) - abs(gap))
    return added


@compiled
def branch(n_steps, kernel, tree_start, box, stack, found, depth, slack, best):
    """Take at most ``n_steps`` branches; return the depth, -1 at the end, and the best.

    ``kernel`` are the targets, the sizes of groups, and the leaves' scales and entries.
    Row d of the arrays of ``stack`` is the state at depth d: the region, x and h(x),
    the leaves that are still possible, tree by tree, the tree that is branched on and
    its leaves, from the most promising to the least. ``found`` are the leaves of the
    path and the best leaves. To be called again with the depth and the best objective
    returned, until depth is -1. What is not better by more than ``slack`` is not
    looked at.
    """
    regions, (x, h), _, children = stack
    tree_at, child, child_bound, n_children, next_child = children
    path, best_leaves = found
    scale, entry_start, entries = kernel[2:]
    n_trees = len(tree_start) - 1
    cost = np.empty(tree_start[-1])
    settled = np.zeros(n_trees, np.bool_)
    for d in range(depth):
        settled[tree_at[d]] = True
    for _ in range(n_steps):
        # Step back from nodes where nothing better is left.
        while depth >= 0 and (
            next_child[depth] == n_children[depth]
            or child_bound[depth, next_child[depth]] >= best - slack
        ):
            depth -= 1
            if depth >= 0:
                settled[tree_at[depth]] = False
        if depth < 0:
            return depth, best
        leaf = child[depth, next_child[depth]]
        next_child[depth] += 1
        path[depth] = leaf
        settled[tree_at[depth]] = True
        d = depth + 1
        region = (regions[0][d], regions[1][d], regions[2][d])
        region[0][:] = regions[0][depth]
        region[1][:] = regions[1][depth]
        region[2][:] = regions[2][depth]
        narrow_to_leaf(leaf, box, region)
        h[d] = h[depth] + cost_of_leaf(leaf, kernel, x[depth])
        x[d] = x[depth]
        for e in range(entry_start[leaf], entry_start[leaf + 1]):
            x[d, entries[e]] += scale[leaf]
        depth = d
        n_children[depth], next_child[depth] = 0, 0
        if depth == n_trees:
            if h[depth] < best - slack:
                best = h[depth]
                best_leaves[:] = path[:n_trees]
            depth -= 1
            settled[tree_at[depth]] = False
            continue
        expand(depth, settled, kernel, tree_start, box, stack, cost, best - slack)
    return depth, best


@compiled
def expand(depth, settled, kernel, tree_start, box, stack, cost, limit):
    """Find what is still possible at a node, and choose the tree to branch on."""
    regions, (x, h), (open_leaves, n_open), children = stack
    tree_at, child, child_bound, n_children, _ = children
    n_trees = len(tree_start) - 1
    region = (regions[0][depth], regions[1][depth], regions[2][depth])
    before = max(depth - 1, 0)
    total = h[depth]
    cheapest = np.empty(n_trees)
    for tree in range(n_trees):
        if settled[tree]:
            continue
        first = tree_start[tree]
        end = first + n_open[before, tree]
        kept = first
        cheapest[tree] = np.inf
        k = first_meeting(open_leaves[before], first, end, box, region)
        while k < end:
            leaf = open_leaves[before, k]
            cost[leaf] = cost_of_leaf(leaf, kernel, x[depth])
            cheapest[tree] = min(cheapest[tree], cost[leaf])
            open_leaves[depth, kept] = leaf
            kept += 1
            k = first_meeting(open_leaves[before], k + 1, end, box, region)
        n_open[depth, tree] = kept - first
        total += cheapest[tree]
    n_children[depth] = 0
    if total >= limit:
        return
    fewest = -1
    for tree in range(n_trees):
        if settled[tree]:
            continue
        first = tree_start[tree]
        kept = first
        for k in range(first, first + n_open[depth, tree]):
            leaf = open_leaves[depth, k]
            if total - cheapest[tree] + cost[leaf] < limit:
                open_leaves[depth, kept] = leaf
                kept += 1
        n_open[depth, tree] = kept - first
        if fewest < 0 or kept - first < n_open[depth, fewest]:
            fewest = tree
    tree_at[depth] = fewest
    first, n_found = tree_start[fewest], n_open[depth, fewest]
    leaves = open_leaves[depth, first : first + n_found]
    order = np.argsort(cost[leaves], kind="mergesort")
    for k in range(n_found):
        child[depth, k] = leaves[order[k]]
        child_bound[depth, k] = total - cheapest[fewest] + cost[leaves[order[k]]]
    n_children[depth] = n_found
