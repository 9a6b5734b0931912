"""Which nodes of a tree survive pruning. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def survivors(left, right, leaf_of, min_rows):
    """Old numbers of the nodes that stay, where old nodes went, and their children."""
    n_nodes = len(left)
    n_rows = np.zeros(n_nodes)
    for leaf in leaf_of:
        n_rows[leaf] += 1.0
    stand_in = np.arange(n_nodes).astype(np.int32)
    for node in range(n_nodes - 1, -1, -1):  # children come after their parents
        if left[node] < 0:
            continue
        a, b = left[node], right[node]
        n_rows[node] = n_rows[a] + n_rows[b]
        if n_rows[a] < min_rows:
            stand_in[node] = stand_in[b]
        elif n_rows[b] < min_rows:
            stand_in[node] = stand_in[a]
    kept = np.empty(n_nodes, np.int32)
    moved = np.full(n_nodes, np.int32(-1))
    new_left, new_right = np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32)
    stack = [stand_in[0]]
    parents = [np.int32(-1)]
    n_kept = 0
    while len(stack) > 0:
        node, parent = stack.pop(), parents.pop()
        new = np.int32(n_kept)
        kept[new], moved[node] = node, new
        new_left[new] = new_right[new] = -1
        n_kept += 1
        if parent >= 0:
            if new_left[parent] == -1:
                new_left[parent] = new
            else:
                new_right[parent] = new
        if left[node] >= 0:
            stack.append(stand_in[right[node]])
            parents.append(new)
            stack.append(stand_in[left[node]])
            parents.append(new)
    return kept[:n_kept], moved, new_left[:n_kept], new_right[:n_kept]
