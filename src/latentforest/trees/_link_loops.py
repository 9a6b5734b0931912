"""Children of nodes that are numbered by a rule, from which nodes have any. Compiled.

Both functions write the children of each node, counted within its tree, -1 at a leaf.
They return the first tree that has too few or too many nodes for its rule, or -1.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def link_walked(start, inner, left, right):
    """Find children where nodes are numbered as a walk meets them, left side first."""
    size = np.empty(len(inner), np.int64)  # nodes of the tree below, itself counted
    for tree in range(len(start) - 1):
        first, end = start[tree], start[tree + 1]
        for node in range(end - 1, first - 1, -1):
            size[node] = 1
            left[node] = right[node] = -1
            if not inner[node]:
                continue
            one = node + 1
            two = one + size[one] if one < end else end
            if two >= end:
                return tree
            left[node], right[node] = one - first, two - first
            size[node] += size[one] + size[two]
        if size[first] != end - first:
            return tree
    return -1


@compiled
def link_paired(start, inner, left, right):
    """Find children where they get the next two numbers when a walk meets a node."""
    waiting = np.empty(len(inner), np.int64)
    for tree in range(len(start) - 1):
        first, size = start[tree], start[tree + 1] - start[tree]
        waiting[0] = 0
        n_waiting, n_numbered = 1, 1
        while n_waiting > 0:
            n_waiting -= 1
            node = waiting[n_waiting]
            left[first + node] = right[first + node] = -1
            if not inner[first + node]:
                continue
            if n_numbered + 2 > size:
                return tree
            left[first + node], right[first + node] = n_numbered, n_numbered + 1
            waiting[n_waiting], waiting[n_waiting + 1] = n_numbered + 1, n_numbered
            n_waiting += 2
            n_numbered += 2
        if n_numbered != size:
            return tree
    return -1
