"""Slow, obvious versions of the kernel's formulas, and leaf numbers to try them on."""

import numpy as np
from hypothesis import strategies as st

from latentforest.kernel import LeafIndex


@st.composite
def leaf_indices(draw, *, min_rows=2, max_rows=12):
    """Leaf numbers of a small forest; some leaves have no row."""
    n_rows = draw(st.integers(min_rows, max_rows))
    widths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=7))
    seed = draw(st.integers(0, 2**32 - 1))
    return random_index(n_rows, widths, seed)


def random_index(n_rows, widths, seed):
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(widths)])
    ids = np.column_stack(
        [
            start + rng.integers(width, size=n_rows)
            for start, width in zip(starts[:-1], widths, strict=True)
        ]
    )
    return LeafIndex(ids, int(starts[-1]))


def random_weights(n_rows, seed):
    return np.random.default_rng(seed).uniform(0.2, 3.0, size=n_rows)


def scale_by_hand(ids, weights, n_leaves, kind):
    scale = np.zeros(n_leaves)
    for leaf in range(n_leaves):
        mass = sum(w for row, w in zip(ids, weights, strict=True) if leaf in row)
        if kind == "scornet":
            scale[leaf] = 1.0
        elif mass > 0:
            scale[leaf] = 1.0 / mass
    return scale


def kernel_by_hand(ids_a, ids_b, scale):
    n_trees = ids_a.shape[1]
    gram = np.zeros((len(ids_a), len(ids_b)))
    for i, a in enumerate(ids_a):
        for j, b in enumerate(ids_b):
            for tree in range(n_trees):
                if a[tree] == b[tree]:
                    gram[i, j] += scale[a[tree]] / n_trees
    return gram


def random_bags(index, seed):
    """Draws of rows in trees; in small forests some rows are in bag everywhere."""
    draws = np.random.default_rng(seed).poisson(1.0, size=index.ids.shape)
    draws[0, 0] = 0  # somebody is out of bag
    return draws


def random_tree_weights(n_trees, seed):
    """Weights of trees, some of them 0, never all."""
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 3.0, size=n_trees) * (rng.random(n_trees) < 0.7)
    weights[rng.integers(n_trees)] = 1.0
    return weights


def out_by_hand(draws, tree_weights, drawn_in_leaf=None):
    """Who is out of bag; rows that never are where it matters count as out everywhere.

    ``drawn_in_leaf`` are the draws in each row's leaves, where some are needed.
    """
    matters = np.broadcast_to(tree_weights > 0, draws.shape)
    if drawn_in_leaf is not None:
        matters = matters & (drawn_in_leaf > 0)
    out = draws == 0
    out[~(out & matters).any(axis=1)] = True
    return out


def oob_by_hand(ids, draws, weights, tree_weights):
    """Share a leaf, and not both in bag: the tree's weight over the leaf's mass."""
    share, out = tree_weights / tree_weights.sum(), out_by_hand(draws, tree_weights)
    K = np.zeros((len(ids), len(ids)))
    for t in range(ids.shape[1]):
        for i in range(len(ids)):
            mass = weights[ids[:, t] == ids[i, t]].sum()
            for j in range(len(ids)):
                if ids[i, t] == ids[j, t] and (out[i, t] or out[j, t]):
                    K[i, j] += share[t] / mass
    return K


def gap_by_hand(ids, draws, weights, tree_weights):
    """Return p(i, j) of Rhodes et al., and whether every row has a tree to ask."""
    n_rows, n_trees = ids.shape
    same = ids[:, None, :] == ids[None, :, :]
    drawn = np.einsum("ijt,jt,j->it", same, draws, weights)
    out = out_by_hand(draws, tree_weights, drawn)
    P, total = np.zeros((n_rows, n_rows)), np.zeros(n_rows)
    for i in range(n_rows):
        for t in range(n_trees):
            if out[i, t] and drawn[i, t] > 0:
                total[i] += tree_weights[t]
                for j in range(n_rows):
                    if same[i, j, t]:
                        P[i, j] += tree_weights[t] * draws[j, t] / drawn[i, t]
    return P / np.where(total > 0, total, 1)[:, None]


def symmetric_by_hand(gram, weights):
    degrees = gram @ weights
    root = np.sqrt(weights / degrees)
    return root[:, None] * gram * root[None, :]


def nystrom_by_hand(cross, weights, coords, eigenvalues):
    """Place one row by its kernel row over the other rows."""
    degree = cross @ weights
    if degree <= 0:
        return np.zeros(coords.shape[1])
    return (cross * weights) @ coords / degree / eigenvalues


def components_by_hand(ids):
    """Number components by size, then first row, by walking the graph."""
    n_rows = len(ids)
    shares = (ids[:, None, :] == ids[None, :, :]).any(axis=2)
    found, seen = [], set()
    for row in range(n_rows):
        if row in seen:
            continue
        group, todo = set(), [row]
        while todo:
            here = todo.pop()
            if here not in group:
                group.add(here)
                todo.extend(np.flatnonzero(shares[here]))
        seen |= group
        found.append(sorted(group))
    found.sort(key=lambda group: (-len(group), group[0]))
    labels = np.empty(n_rows, dtype=int)
    for number, group in enumerate(found):
        labels[group] = number
    return labels, len(found)


def disconnected_index(sizes, n_trees, leaves_each, seed):
    """Leaf numbers of a graph with one connected piece per entry of ``sizes``."""
    rng = np.random.default_rng(seed)
    n_pieces = len(sizes)
    columns = []
    for tree in range(n_trees):
        # The first tree keeps each piece in one leaf, so pieces are connected.
        width = 1 if tree == 0 else leaves_each
        columns.append(
            np.concatenate(
                [
                    piece * leaves_each + rng.integers(width, size=size)
                    for piece, size in enumerate(sizes)
                ]
            )
            + tree * n_pieces * leaves_each
        )
    order = rng.permutation(sum(sizes))
    return LeafIndex(np.column_stack(columns)[order], n_trees * n_pieces * leaves_each)
