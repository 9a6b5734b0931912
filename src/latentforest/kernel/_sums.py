"""From rows to leaves and back: the two half-products that all else is made of."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Floats, LeafIds
from latentforest.kernel._index import LeafIndex
from latentforest.kernel._leaf_loops import (
    add_from_leaves,
    add_to_leaves,
    add_weighted_to_leaves,
)

# Trees are cut into this many chunks whatever the number of threads, so that sums
# over trees are added in the same order and come out the same to the last bit.
TREE_CHUNKS = 8
ROW_BLOCK = 4096


def tree_chunks(n_trees: int) -> Iterator[tuple[int, int]]:
    """Cut the trees into at most ``TREE_CHUNKS`` runs of nearly equal length.

    All runs but the last are even, because the product loop takes trees in pairs.
    """
    pairs_per_chunk = -(-n_trees // (2 * TREE_CHUNKS))
    return blocks_of(n_trees, 2 * pairs_per_chunk)


def leaf_sums(
    index: LeafIndex,
    values: ArrayLike,
    *,
    weights: ArrayLike,
    n_jobs: int | None = None,
) -> Floats:
    """Sum weighted rows of ``values`` over every leaf, (n_leaves, n_columns).

    ``weights`` is (n_rows,), or (n_rows, n_trees) where a row counts differently in
    each tree.
    """
    ids = index.ids.T
    columns = np.ascontiguousarray(values, dtype=np.float64)
    factors = np.asarray(weights)
    if factors.dtype != np.uint16:  # draws stay as they are: there are many
        factors = factors.astype(np.float64)
    if columns.ndim != 2 or columns.shape[0] != index.n_rows:
        message = (
            f"values has shape {columns.shape}. Give (n_rows, n_columns) with "
            f"n_rows = {index.n_rows}."
        )
        raise ValueError(message)
    if factors.shape not in ((index.n_rows,), index.ids.shape):
        message = (
            f"weights has shape {factors.shape}. Give one per row, ({index.n_rows},), "
            f"or one per row and tree, {index.ids.shape}."
        )
        raise ValueError(message)
    sums = np.zeros((index.n_leaves, columns.shape[1]))

    # Trees own separate leaves, so threads never write to the same place.
    if factors.ndim == 1:
        weighted = factors[:, None] * columns

        def work(chunk: tuple[int, int]) -> None:
            add_to_leaves(ids, weighted, *chunk, sums)

    else:
        by_tree = np.ascontiguousarray(factors.T)

        def work(chunk: tuple[int, int]) -> None:
            add_weighted_to_leaves(ids, by_tree, columns, *chunk, sums)

    run_blocks(work, list(tree_chunks(index.n_trees)), n_jobs=n_jobs)
    return sums


def leaf_mass(
    index: LeafIndex, weights: ArrayLike, *, n_jobs: int | None = None
) -> Floats:
    """Weight of the rows in every leaf, (n_leaves,)."""
    ones = np.ones((index.n_rows, 1))
    mass: Floats = leaf_sums(index, ones, weights=weights, n_jobs=n_jobs)[:, 0]
    return mass


def gather_from_leaves(
    ids: LeafIds, table: Floats, *, n_jobs: int | None = None
) -> Floats:
    """Sum the table rows of each row's leaves: Π T, (n_rows, n_columns)."""
    sums = np.zeros((ids.shape[0], table.shape[1]))

    def work(block: tuple[int, int]) -> None:
        add_from_leaves(ids.T, table, *block, sums)

    run_blocks(work, list(blocks_of(ids.shape[0], ROW_BLOCK)), n_jobs=n_jobs)
    return sums


def leaf_scale(mass: Floats, kind: str, factors: Floats | None = None) -> Floats:
    """Return s_leaf: 1 for kind "scornet", else 1/mass, times that of its tree.

    ``factors`` are those of the trees, of mean 1, one for each leaf; None stands for 1.
    Empty leaves weigh 0, not 1/0, or they poison every sum.
    """
    share = np.ones(mass.shape) if factors is None else factors
    return share if kind == "scornet" else divide_or_zero(share, mass)


def divide_or_zero(numerator: Floats, denominator: Floats) -> Floats:
    """Divide row by row; a row whose denominator is 0 becomes 0, never NaN."""
    shape = denominator.shape + (1,) * (numerator.ndim - denominator.ndim)
    below = denominator.reshape(shape)
    quotient: Floats = np.divide(
        numerator, below, out=np.zeros(numerator.shape), where=below > 0
    )
    return quotient
