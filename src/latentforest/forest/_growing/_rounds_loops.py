"""Compiled parts of the adversarial rounds: votes and synthetic rows."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest._base._random_loops import below


@compiled
def add_votes(leaf_of, counts, sums, votes):
    """Add a tree's out-of-bag votes: +1 for real, -1 for synthetic, 0 for a tie."""
    for i in range(len(leaf_of)):
        if counts[i] == 0.0:
            real, synthetic = sums[leaf_of[i], 1], sums[leaf_of[i], 0]
            votes[i] += (real > synthetic) - (real < synthetic)


@compiled
def draw_in_leaves(bins, leaf_of, n_nodes, first, out, state):
    """Draw synthetic rows from the leaves of one tree.

    A leaf is drawn in proportion to its share of real rows (the leaf of a row drawn
    at random), then every column independently among the real rows of that leaf. Row
    ``first`` and the following ones of ``out`` (one per entry of its slice) are
    filled.
    """
    n_columns, n_rows = bins.shape
    begin = np.zeros(n_nodes + 1, np.int64)
    for i in range(n_rows):
        begin[leaf_of[i] + 1] += 1
    for node in range(n_nodes):
        begin[node + 1] += begin[node]
    members = np.empty(n_rows, np.int32)
    filled = begin[:-1].copy()
    for i in range(n_rows):
        members[filled[leaf_of[i]]] = i
        filled[leaf_of[i]] += 1
    for k in range(first[0], first[1]):
        leaf = leaf_of[below(state, n_rows)]
        size = begin[leaf + 1] - begin[leaf]
        for column in range(n_columns):
            out[column, k] = bins[column, members[begin[leaf] + below(state, size)]]
