"""Kernel entries on demand: dense blocks and the sparse feature map."""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Floats, LeafIds
from latentforest.kernel._leaf_loops import add_gram_rows, group_rows_by_leaf

LARGEST_GRAM_BYTES = 4 * 2**30
GRAM_ROW_BLOCK = 64


def check_gram_size(n_rows: int, n_columns: int) -> None:
    """Refuse a dense block that would fill the memory."""
    size = 8 * n_rows * n_columns
    if size > LARGEST_GRAM_BYTES:
        message = (
            f"A dense kernel block of {n_rows} x {n_columns} needs "
            f"{size / 2**30:.1f} GiB; at most {LARGEST_GRAM_BYTES / 2**30:.0f} GiB are "
            "built at once. Use gram_blocks, or fewer rows."
        )
        raise ValueError(message)


def gram_row_blocks(
    ids_a: LeafIds,
    ids_b: LeafIds,
    leaf_weight: Floats,
    *,
    block: int,
    n_jobs: int | None,
) -> Iterator[tuple[int, int, Floats]]:
    """Yield ``start, stop, k(a[start:stop], b)`` for runs of ``block`` rows of a.

    Rows of b are listed by leaf once; a row of a then only visits the rows that it
    shares a leaf with.
    """
    starts, rows = group_rows_by_leaf(ids_b.T, leaf_weight.size)
    for start, stop in blocks_of(ids_a.shape[0], block):
        # Row-major: a row of the block reads its own leaves one after another.
        ids = np.ascontiguousarray(ids_a[start:stop]).T
        out = np.zeros((stop - start, ids_b.shape[0]))

        def work(part: tuple[int, int], ids: LeafIds = ids, out: Floats = out) -> None:
            add_gram_rows(ids, starts, rows, leaf_weight, *part, out)

        parts = list(blocks_of(stop - start, GRAM_ROW_BLOCK))
        run_blocks(work, parts, n_jobs=n_jobs)
        yield start, stop, out


def feature_matrix(ids: LeafIds, leaf_weight: Floats) -> sp.csr_array:
    """Return Φ with Φ_a Φ_bᵀ = k: per row and tree, the square root of its weight."""
    n_rows, n_trees = ids.shape
    leaves = np.ascontiguousarray(ids).ravel()
    data = np.sqrt(leaf_weight)[leaves]
    row_starts = np.arange(n_rows + 1, dtype=np.int64) * n_trees
    return sp.csr_array((data, leaves, row_starts), shape=(n_rows, leaf_weight.size))
