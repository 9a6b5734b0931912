"""The largest entries of each row of K, without its other entries."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Floats, LeafIds
from latentforest.kernel._largest_loops import largest, sort_rows

QUERY_BLOCK = 512
TREE_BLOCK = 8


class LeafRows(NamedTuple):
    """The rows of each leaf, leaf after leaf."""

    members: NDArray[np.int32]  # (n_rows · n_trees,)
    starts: NDArray[np.int64]  # (n_leaves + 1,) where each leaf begins
    n_rows: int

    @classmethod
    def of_ids(
        cls, ids: LeafIds, n_leaves: int, *, n_jobs: int | None = None
    ) -> "LeafRows":
        """Sort the rows by their leaves, (n_rows, n_trees)."""
        ids = np.asfortranarray(ids)
        sizes = np.bincount(ids.ravel(order="K"), minlength=n_leaves)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        members, at = np.empty(ids.size, np.int32), starts[:-1].copy()

        def work(trees: tuple[int, int]) -> None:
            sort_rows(ids, *trees, at, members)

        run_blocks(work, list(blocks_of(ids.shape[1], TREE_BLOCK)), n_jobs=n_jobs)
        return cls(members, starts, len(ids))


def largest_entries(
    leaf_rows: LeafRows,
    ids: LeafIds,
    n_entries: int,
    *,
    own: bool = False,
    most_members: int | None = None,
    n_jobs: int | None = None,
) -> tuple[NDArray[np.int64], Floats]:
    """Rows with the largest k(x, x_i) = Σ_b 1[same leaf] / |leaf| / B of each query.

    Rows that share no leaf are never looked at: the cost is that of the leaves.

    Parameters
    ----------
    leaf_rows : LeafRows
        The rows x_i in their leaves.
    ids : array of int, shape (n_queries, n_trees)
        Leaves of the queries x.
    n_entries : int
        How many to find.
    own : bool, default=False
        Whether the queries are the rows themselves, each of which is left out of its
        own entries.
    most_members : int or None, default=None
        Of leaves with more rows at most so many are looked at, evenly spaced: all of
        them say little, and cost much. None looks at all, and is exact.
    n_jobs : int or None, default=None
        Threads; results are the same for any number.

    Returns
    -------
    rows : array of int64, shape (n_queries, n_entries)
        Largest first; −1 where there are no more.
    values : array of float, shape (n_queries, n_entries)
        Their kernel values; 0 where there are no more.
    """
    rows = np.full((len(ids), n_entries), -1, np.int64)
    values = np.zeros((len(ids), n_entries))
    ids = np.ascontiguousarray(ids)
    size = np.diff(leaf_rows.starts)
    scale = 1.0 / np.maximum(size, 1) / ids.shape[1]

    # Queries of one leaf share others too: what they read is close to the processor.
    order = np.argsort(ids[:, 0], kind="stable")

    def work(block: tuple[int, int]) -> None:
        largest(
            ids,
            leaf_rows.members,
            leaf_rows.starts,
            scale,
            leaf_rows.n_rows,
            most_members or leaf_rows.n_rows,
            own,
            order[slice(*block)],
            rows,
            values,
        )

    run_blocks(work, list(blocks_of(len(ids), QUERY_BLOCK)), n_jobs=n_jobs)
    return rows, values
