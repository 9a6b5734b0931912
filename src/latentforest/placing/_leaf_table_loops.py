"""What leaves say of new rows, and what the other rows of a leaf say. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest._base._types import Floats, LeafIds
from latentforest.trees import lay_out_rows, walk_tree


@compiled
def add_others_from_leaves(
    ids: LeafIds,
    sums: Floats,
    mass: Floats,
    own: Floats,
    weights: Floats,
    factors: Floats,
    by_mass: bool,  # noqa: FBT001  (compiled functions have no keyword-only part)
    start: int,
    stop: int,
    out: Floats,
    degree: Floats,
) -> None:
    """Add what the other rows of each leaf say to rows ``start … stop-1``.

    ``own`` is each row's part of ``sums``. With ``by_mass`` a leaf speaks with the
    mean of its other rows, else with their sum and the degree that belongs to it, times
    the factor of its tree.
    """
    n_columns = sums.shape[1]
    for tree in range(ids.shape[0]):
        for row in range(start, stop):
            leaf = ids[tree, row]
            rest = mass[leaf] - weights[row]
            # Nobody else, or too little beside this row to survive the subtraction.
            if rest <= 1e-12 * mass[leaf]:
                continue
            scale = factors[tree] / rest if by_mass else factors[tree]
            degree[row] += scale * rest
            for column in range(n_columns):
                out[row, column] += scale * (sums[leaf, column] - own[row, column])


@compiled
def place_rows(values, bits, start, stop, router, table, degree, out, degrees):
    """Add what their leaves say to rows ``start … stop-1``.

    ``router`` holds the fields of `Router`. Each row adds up its trees in order, as
    `add_from_leaves` does, but its leaves are never written down for all trees.
    """
    first, nodes, words, split_levels, by_sets = router
    cells = lay_out_rows(values, bits, start, stop, split_levels)
    ids = np.empty(stop - start, np.int32)
    n_columns = np.uint64(table.shape[1])
    flat, flat_out = table.reshape(table.size), out.reshape(out.size)
    for tree in range(len(first) - 1):
        own = nodes[2 * first[tree] : 2 * first[tree + 1]]
        walk_tree(cells, own, words, by_sets, ids)
        for row in range(start, stop):
            leaf = np.uint64(ids[row - start])
            degrees[row] += degree[leaf]
            one, other = n_columns * np.uint64(row), n_columns * leaf
            for column in range(n_columns):
                flat_out[one + column] += flat[other + column]
