"""Rows that are new to a model, and yet could be of its table."""

import numpy as np

from latentforest._base._types import Bools, Codes, LeafIds

COPIES, MOST_BLENDED = 4, 20_000  # of each row; of all rows, if there are fewer
FARTHEST = 0.5  # of the way from a row to its partner


def blended_rows(
    codes: Codes, leaf_ids: LeafIds, is_number: Bools, rng: np.random.Generator
) -> Codes:
    """Move rows part of the way to others that share a leaf with them.

    Numbers are mixed, any other cell is that of one of the two rows. The large model
    says where such rows lie, as often as it is asked, and none of them has had a part
    in its leaves: they are to training rows what new rows are.

    Parameters
    ----------
    codes : array of float, shape (n_rows, n_columns)
        Rows.
    leaf_ids : array of int, shape (n_rows, n_trees)
        Their leaves.
    is_number : array of bool, shape (n_columns,)
        Which cells can be mixed.
    rng : Generator
        What partners and ways are drawn with.

    Returns
    -------
    array of float, shape (n_copies · n_rows, n_columns)
        At least one, and at most four for each row.
    """
    n_rows, n_trees = leaf_ids.shape
    n_copies = max(1, min(COPIES, MOST_BLENDED // n_rows))
    blended = np.empty((n_copies, *codes.shape))
    for part in blended:
        own = leaf_ids[:, rng.integers(n_trees)]
        by_leaf = np.argsort(own, kind="stable")
        first = np.searchsorted(own[by_leaf], own, side="left")
        n_shared = np.searchsorted(own[by_leaf], own, side="right") - first
        partner = codes[by_leaf[first + (rng.random(n_rows) * n_shared).astype(int)]]
        way = FARTHEST * rng.random((n_rows, 1))
        part[:] = np.where(rng.random(codes.shape) < way, partner, codes)
        mixed = (1 - way) * codes + way * partner
        can_be_mixed = is_number & ~np.isnan(mixed)  # a gap stays, or comes along
        part[can_be_mixed] = mixed[can_be_mixed]
    return blended.reshape(-1, codes.shape[1])
