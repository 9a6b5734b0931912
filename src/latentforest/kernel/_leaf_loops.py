"""Compiled loops over leaf numbers: arrays in, arrays changed in place.

``ids`` is tree-major here, (n_trees, n_rows), so that one tree is one run of memory.
Every loop finishes a tree before it turns to the next: the sums over the leaves of
one tree stay in the cache while its rows are visited.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from latentforest._base._compiled import compiled
from latentforest._base._types import Bools, Floats, Ints, LeafIds

Longs: TypeAlias = NDArray[np.int64]


@compiled
def add_vector_products(
    ids: LeafIds,
    first_leaf: Longs,
    width: Longs,
    scale: Floats,
    vector: Floats,
    start: int,
    stop: int,
    out: Floats,
) -> None:
    """Add ``Σ_b Π_b S_b Π_bᵀ vector`` over trees ``start … stop-1`` to ``out``.

    Two trees at a time: neighbouring rows often share a leaf, and the second tree
    gives the processor something to do while the first waits for its own sum. An
    odd last tree is its own partner, both at half weight, which is exact.
    """
    n_rows = vector.shape[0]
    widest = width[start:stop].max()
    left = np.empty(widest)
    right = np.empty(widest)
    for tree in range(start, stop, 2):
        partner = min(tree + 1, stop - 1)
        share = 0.5 if partner == tree else 1.0
        left_ids, left_first = ids[tree], first_leaf[tree]
        right_ids, right_first = ids[partner], first_leaf[partner]
        left[: width[tree]] = 0.0
        right[: width[partner]] = 0.0
        for row in range(n_rows):
            left[np.uint32(left_ids[row] - left_first)] += vector[row]
            right[np.uint32(right_ids[row] - right_first)] += vector[row]
        for leaf in range(width[tree]):
            left[leaf] *= share * scale[left_first + leaf]
        for leaf in range(width[partner]):
            right[leaf] *= share * scale[right_first + leaf]
        for row in range(n_rows):
            out[row] += (
                left[np.uint32(left_ids[row] - left_first)]
                + right[np.uint32(right_ids[row] - right_first)]
            )


@compiled
def add_block_products(
    ids: LeafIds,
    first_leaf: Longs,
    width: Longs,
    scale: Floats,
    block: Floats,
    start: int,
    stop: int,
    out: Floats,
) -> None:
    """As ``add_vector_products``, for the columns of ``block`` together."""
    n_rows, n_columns = block.shape
    sums = np.empty((width[start:stop].max(), n_columns))
    for tree in range(start, stop):
        leaves, first = ids[tree], first_leaf[tree]
        sums[: width[tree]] = 0.0
        for row in range(n_rows):
            leaf = leaves[row] - first
            for column in range(n_columns):
                sums[leaf, column] += block[row, column]
        for leaf in range(width[tree]):
            for column in range(n_columns):
                sums[leaf, column] *= scale[first + leaf]
        for row in range(n_rows):
            leaf = leaves[row] - first
            for column in range(n_columns):
                out[row, column] += sums[leaf, column]


@compiled
def add_to_leaves(
    ids: LeafIds, values: Floats, start: int, stop: int, out: Floats
) -> None:
    """Add each row of ``values`` to its leaves of ``out``, trees ``start … stop-1``."""
    n_rows, n_columns = values.shape
    for tree in range(start, stop):
        for row in range(n_rows):
            leaf = ids[tree, row]
            for column in range(n_columns):
                out[leaf, column] += values[row, column]


@compiled
def add_weighted_to_leaves(
    ids: LeafIds,
    tree_weights: Floats,
    values: Floats,
    start: int,
    stop: int,
    out: Floats,
) -> None:
    """As ``add_to_leaves``, each row times its weight in that tree."""
    n_rows, n_columns = values.shape
    for tree in range(start, stop):
        for row in range(n_rows):
            leaf = ids[tree, row]
            weight = tree_weights[tree, row]
            for column in range(n_columns):
                out[leaf, column] += weight * values[row, column]


@compiled
def add_from_leaves(
    ids: LeafIds, table: Floats, start: int, stop: int, out: Floats
) -> None:
    """Add the leaves' rows of ``table`` to rows ``start … stop-1`` of ``out``.

    Each row adds up its trees in the same order whatever the block, so that its
    result does not depend on the rows beside it.
    """
    n_columns = table.shape[1]
    for tree in range(ids.shape[0]):
        for row in range(start, stop):
            leaf = ids[tree, row]
            for column in range(n_columns):
                out[row, column] += table[leaf, column]


@compiled
def group_rows_by_leaf(ids: LeafIds, n_leaves: int) -> tuple[Longs, Ints]:
    """Rows of every leaf in one list: leaf ``l`` owns ``starts[l] … starts[l+1]-1``."""
    n_trees, n_rows = ids.shape
    starts = np.zeros(n_leaves + 1, dtype=np.int64)
    for tree in range(n_trees):
        for row in range(n_rows):
            starts[ids[tree, row] + 1] += 1
    for leaf in range(n_leaves):
        starts[leaf + 1] += starts[leaf]
    rows = np.empty(ids.size, dtype=np.int32)
    position = starts[:-1].copy()
    for tree in range(n_trees):
        for row in range(n_rows):
            leaf = ids[tree, row]
            rows[position[leaf]] = row
            position[leaf] += 1
    return starts, rows


@compiled
def add_gram_rows(
    ids: LeafIds,
    starts: Longs,
    rows: Ints,
    scale: Floats,
    start: int,
    stop: int,
    out: Floats,
) -> None:
    """Fill rows ``start … stop-1`` of a Gram block from the lists of rows by leaf."""
    for row in range(start, stop):
        for tree in range(ids.shape[0]):
            leaf = ids[tree, row]
            for position in range(starts[leaf], starts[leaf + 1]):
                out[row, rows[position]] += scale[leaf]


@compiled
def root_of(parent: Longs, row: int) -> int:
    """Root of a row's set, halving the path on the way."""
    while parent[row] != row:
        parent[row] = parent[parent[row]]
        row = parent[row]
    return row


@compiled
def join_rows(ids: LeafIds, first_leaf: Longs, width: Longs, joins: Bools) -> Longs:
    """Root row of every row, where rows that share a leaf that joins share a root.

    Trees come one by one, and the rest are left out once all rows are joined.
    """
    n_trees, n_rows = ids.shape
    parent = np.arange(n_rows)
    n_sets = n_rows
    seen = np.empty(width.max(), dtype=np.int64)
    for tree in range(n_trees):
        seen[: width[tree]] = -1
        for row in range(n_rows):
            if not joins[ids[tree, row]]:
                continue
            leaf = ids[tree, row] - first_leaf[tree]
            if seen[leaf] < 0:
                seen[leaf] = row
                continue
            mine, other = root_of(parent, row), root_of(parent, seen[leaf])
            if mine != other:
                # The lower row leads, so that a root is the first row of its set.
                parent[max(mine, other)] = min(mine, other)
                n_sets -= 1
        if n_sets == 1:
            break
    for row in range(n_rows):
        parent[row] = root_of(parent, row)
    return parent
