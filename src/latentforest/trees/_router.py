"""Trees laid out for rows that go down them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, n_workers
from latentforest._base._types import Floats, Ints
from latentforest.trees._route_loops import lay_out_nodes

LEAST_ROWS, MOST_ROWS = 64, 16_384  # of a block


class Router(NamedTuple):
    """All nodes, 16 bytes each, children side by side; see `lay_out_nodes`."""

    first: NDArray[np.int64]  # (n_trees + 1,) first node of each tree
    nodes: NDArray[np.int64]  # two for each node
    words: NDArray[np.uint32]  # sets of levels, 32 to a word
    split_levels: Ints
    by_sets: bool  # whether any node splits levels

    @classmethod
    def of_trees(
        cls,
        trees: tuple[NDArray[np.integer] | NDArray[np.bool_], ...],
        threshold: Floats,
        words: NDArray[np.uint32],
        split_levels: Ints,
    ) -> "Router":
        """Lay out trees, which are fields of `ForestArrays` as the loop takes them."""
        size = np.diff(trees[0]) + 1
        first = np.concatenate([[0], np.cumsum(size + size % 2)]).astype(np.int64)
        nodes = np.empty(2 * first[-1], np.int64)
        bits = (threshold + 0.0).view(np.int64)  # there is one zero among integers
        lay_out_nodes(trees, split_levels, words, bits, first, nodes)
        return cls(first, nodes, words, split_levels, bool(split_levels.any()))


def routed_together(n_rows: int, n_jobs: int | None) -> list[tuple[int, int]]:
    """Cut rows into blocks, as many for each thread; no row knows of its block.

    Every block reads all trees, so that few long ones are faster than many short ones.
    """
    threads = n_workers(n_jobs)
    n_blocks = threads * max(1, -(-n_rows // (threads * MOST_ROWS)))
    return list(blocks_of(n_rows, max(LEAST_ROWS, -(-n_rows // n_blocks))))
