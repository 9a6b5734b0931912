"""Maximum cliques of small graphs, exactly, within a budget. Compiled.

Inside, sets of nodes are bit sets: node v is bit ``v % 64`` of word ``v // 64``.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled

ONE = np.uint64(1)


@compiled
def lowest_bit(word):
    """Position of the lowest bit of a word that is not 0."""
    position = 0
    for shift in (32, 16, 8, 4, 2, 1):
        if word & ((ONE << np.uint64(shift)) - ONE) == 0:
            word >>= np.uint64(shift)
            position += shift
    return position


@compiled
def degeneracy_order(edges):
    """Order nodes so that each has few neighbours before it; dense ones come first."""
    n_nodes = len(edges)
    degree = np.zeros(n_nodes, np.int64)
    for v in range(n_nodes):
        degree[v] = edges[v].sum()
    order = np.empty(n_nodes, np.int64)
    for position in range(n_nodes - 1, -1, -1):
        last = -1
        for v in range(n_nodes):
            if degree[v] >= 0 and (last < 0 or degree[v] <= degree[last]):
                last = v
        order[position] = last
        degree[last] = -1
        for u in range(n_nodes):
            if degree[u] > 0 and edges[last, u]:
                degree[u] -= 1
    return order


@compiled
def colour_nodes(nodes, adjacency, order, colour):
    """Colour a set greedily, no two neighbours alike; return how many nodes it has.

    Nodes are listed in ``order`` by colour 1, 2, …: a clique among the first i nodes
    has at most ``colour[i - 1]`` of them.
    """
    n_words = len(nodes)
    left, free = nodes.copy(), np.empty(n_words, np.uint64)
    n_listed, n_colours = 0, 0
    while True:
        n_colours += 1
        before = n_listed
        free[:] = left
        for w in range(n_words):
            while free[w] != 0:
                bit = lowest_bit(free[w])
                v = (w << 6) + bit
                left[w] &= ~(ONE << np.uint64(bit))
                free[w] &= ~(ONE << np.uint64(bit))
                # Words before w hold no free node any more.
                for u in range(w, n_words):
                    free[u] &= ~adjacency[v, u]
                order[n_listed] = v
                colour[n_listed] = n_colours
                n_listed += 1
        if n_listed == before:
            return n_listed


@compiled
def maximum_cliques(edges, budget, clique, common):
    """Find a maximum clique, and what all maximum cliques have in common.

    Branch and bound with greedy colouring as the bound. ``edges`` says which nodes are
    joined, (n_nodes, n_nodes), symmetric and False on the diagonal. Fills the masks
    ``clique``, the first maximum clique found, and ``common``, the intersection of all
    of them, and returns their number and whether this is proven. Once the intersection
    is empty, nothing hangs on further maximum cliques: they are no longer looked for,
    and the number is at least 2.

    ``budget`` limits the branches, counted once per 64 nodes of the graph. When it is
    used up, ``clique`` is the largest found so far, and ``common`` and the number are
    those of the cliques of this size found.
    """
    n_nodes, n_words = len(edges), (len(edges) + 63) >> 6
    clique[:] = False
    common[:] = False
    if n_nodes == 0:
        return 1, True
    # Nodes are renumbered so that the lowest bits are the densest part of the graph.
    name = degeneracy_order(edges)
    graph = np.zeros((n_nodes, n_words), np.uint64)
    for v in range(n_nodes):
        for u in range(n_nodes):
            if edges[name[v], name[u]]:
                graph[v, u >> 6] |= ONE << np.uint64(u & 63)
    open_nodes = np.zeros((n_nodes + 1, n_words), np.uint64)
    order = np.empty((n_nodes + 1, n_nodes), np.int32)
    colour = np.empty((n_nodes + 1, n_nodes), np.int32)
    at = np.empty(n_nodes + 1, np.int64)
    path = np.empty(n_nodes + 1, np.int64)
    found = np.empty(n_nodes, np.bool_)
    for v in range(n_nodes):
        open_nodes[0, v >> 6] |= ONE << np.uint64(v & 63)
    at[0] = colour_nodes(open_nodes[0], graph, order[0], colour[0])
    depth, largest, n_found = 0, 0, 0
    in_common = True
    while depth >= 0:
        at[depth] -= 1
        reach = depth + colour[depth, at[depth]] if at[depth] >= 0 else -1
        if reach < largest or (reach == largest and not in_common):
            depth -= 1
            continue
        budget -= n_words
        if budget < 0:
            return n_found, False
        v = order[depth, at[depth]]
        path[depth] = v
        open_nodes[depth, v >> 6] &= ~(ONE << np.uint64(v & 63))
        any_open = False
        for w in range(n_words):
            open_nodes[depth + 1, w] = open_nodes[depth, w] & graph[v, w]
            any_open |= open_nodes[depth + 1, w] != 0
        depth += 1
        if any_open:
            at[depth] = colour_nodes(
                open_nodes[depth], graph, order[depth], colour[depth]
            )
            continue
        if depth >= largest:
            found[:] = False
            for step in range(depth):
                found[name[path[step]]] = True
            if depth > largest:
                largest, n_found = depth, 0
                clique[:] = found
                common[:] = found
            n_found += 1
            common &= found
            in_common = common.any()
        depth -= 1
    return n_found, True
