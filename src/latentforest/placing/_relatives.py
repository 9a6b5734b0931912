"""Rows that the forest proposes as relatives of others."""

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import LeafIds
from latentforest.kernel import LeafRows, largest_entries

MOST_MEMBERS = 256  # of a leaf that are looked at
OTHERS = 512  # rows from all over the table


def relatives_of(
    leaves: LeafRows,
    ids: LeafIds,
    n_rows: int,
    *,
    own: bool = False,
    others_of: int = 0,
    n_jobs: int | None = None,
) -> NDArray[np.int64]:
    """Find the rows that share most leaves with each row.

    Relatives of a row with a gap may all have it. Where it shall be filled, some rows
    from all over a table of ``others_of`` rows are proposed beside them.
    """
    found, _ = largest_entries(
        leaves, ids, n_rows, own=own, most_members=MOST_MEMBERS, n_jobs=n_jobs
    )
    if not others_of:
        return found
    others = np.unique(np.linspace(0, others_of - 1, OTHERS).astype(np.int64))
    return np.hstack([found, np.tile(others, (len(ids), 1))])


def relatives_but(
    leaves: LeafRows,
    ids: LeafIds,
    own: NDArray[np.integer],
    n_rows: int,
    *,
    n_jobs: int | None = None,
) -> NDArray[np.int64]:
    """Find the rows that share most leaves with some of them, themselves left out."""
    found = relatives_of(leaves, ids, n_rows + 1, n_jobs=n_jobs)
    return np.where(found == own[:, None], -1, found)
