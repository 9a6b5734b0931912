"""Products K V, a chunk of trees per thread, without forming K."""

from functools import partial
from typing import Any

import numpy as np

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Floats
from latentforest.kernel._bag_loops import add_bag_block, add_bag_vector
from latentforest.kernel._bags import Bags
from latentforest.kernel._index import LeafIndex
from latentforest.kernel._leaf_loops import add_block_products, add_vector_products
from latentforest.kernel._sums import tree_chunks

# Columns multiplied together: enough to share the reading of leaf numbers, few
# enough to keep one tree's sums in the cache and the partial results small.
COLUMN_BLOCK = 8
FEWEST_COLUMNS = 4  # fewer are faster one by one, in the loop made for vectors
# Below this many row × tree pairs, starting threads costs more than the product.
SERIAL_SIZE = 200_000


def kernel_dot(
    index: LeafIndex,
    scale: Floats,
    vectors: Floats,
    *,
    bags: Bags | None = None,
    n_jobs: int | None,
) -> Floats:
    """Return Π S Πᵀ V / B for one vector (n_rows,) or several (n_rows, n_columns).

    With ``bags``, the product of the kernels described there.
    """
    if vectors.ndim not in (1, 2) or vectors.shape[0] != index.n_rows:
        message = (
            f"vectors has shape {vectors.shape}. The kernel has {index.n_rows} rows: "
            "give (n_rows,) or (n_rows, n_columns)."
        )
        raise ValueError(message)
    dot = partial(_dot_block, index, scale, bags, n_jobs=n_jobs)
    if vectors.ndim == 1:
        return dot(vectors)
    out = np.empty(vectors.shape)
    for start, stop in blocks_of(vectors.shape[1], COLUMN_BLOCK):
        together = stop - start >= FEWEST_COLUMNS
        parts = [slice(start, stop)] if together else range(start, stop)
        for part in parts:
            out[:, part] = dot(vectors[:, part])
    return out


def _dot_block(
    index: LeafIndex,
    scale: Floats,
    bags: Bags | None,
    block: Floats,
    *,
    n_jobs: int | None,
) -> Floats:
    """Add up the products of fixed chunks of trees in a fixed order."""
    one = block.ndim == 1
    loop = add_vector_products if one else add_block_products
    more: tuple[Any, ...] = ()
    if bags is not None:
        loop, more = add_bag_vector if one else add_bag_block, bags.for_loops
    ids, first_leaf, width = index.ids.T, index.first_leaf, index.width
    block = np.ascontiguousarray(block)

    def work(chunk: tuple[int, int]) -> Floats:
        part = np.zeros(block.shape)
        loop(ids, first_leaf, width, scale, *more, block, *chunk, part)
        return part

    chunks = list(tree_chunks(index.n_trees))
    if index.ids.size < SERIAL_SIZE:
        total, *parts = map(work, chunks)
    else:
        total, *parts = run_blocks(work, chunks, n_jobs=n_jobs)
    for part in parts:
        total += part
    total /= index.n_trees
    return total
