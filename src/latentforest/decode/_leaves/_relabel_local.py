"""Splits in coordinate space that stand in for those of a forest: local search.

Every node gets samples of its own: the rows that reach it, and where these are few,
synthetic rows drawn uniformly in its region.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._random import draw_seeds
from latentforest._base._types import Codes, Coords, Ints, LeafIds
from latentforest.decode._leaves._relabel_loops import search_own_rows, sort_rows
from latentforest.decode._leaves._relabel_splits import (
    StandIns,
    empty_stand_ins,
    splits_of,
)
from latentforest.regions import ColumnFacts, NodeDraws
from latentforest.trees import ForestArrays

DRAWN_CELLS = 2**21  # cells of the synthetic rows that are held at once
NODE_BLOCK = 64


@dataclass(frozen=True, slots=True, eq=False)
class NodeRows:
    """The rows that reach each node: ``rows[tree, begin[node]:end[node]]``."""

    rows: Ints  # (n_trees, n_rows) all rows, those of a node side by side
    begin: NDArray[np.int64]  # (n_nodes,)
    end: NDArray[np.int64]  # (n_nodes,)


def rows_of_nodes(
    forest: ForestArrays, leaf_ids: LeafIds, *, n_jobs: int | None = None
) -> NodeRows:
    """Sort the rows of each tree so that those of any node lie together."""
    rows = np.empty((forest.n_trees, len(leaf_ids)), np.int32)
    begin, end = np.zeros((2, len(forest.left)), np.int64)
    node_of_leaf = np.flatnonzero(forest.leaf >= 0)

    def work(tree: int) -> None:
        nodes = slice(forest.start[tree], forest.start[tree + 1])
        sort_rows(
            node_of_leaf[leaf_ids[:, tree]] - forest.start[tree],
            forest.left[nodes],
            forest.right[nodes],
            rows[tree],
            begin[nodes],
            end[nodes],
        )

    run_blocks(work, range(forest.n_trees), n_jobs=n_jobs)
    return NodeRows(rows, begin, end)


def relabel_locally(
    forest: ForestArrays,
    values: Codes,
    coords: Coords,
    leaf_ids: LeafIds,
    facts: ColumnFacts,
    encode: Callable[[Codes], Coords],
    *,
    n_samples: int,
    logistic: bool,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> StandIns:
    """Replace every split by the best one for the samples of its node (Sect. 4.2).

    Nodes are worked off in blocks, each encoded in one call, so that the synthetic
    rows of a block, not those of the forest, are held at once.
    """
    own = rows_of_nodes(forest, leaf_ids, n_jobs=n_jobs)
    draws = NodeDraws(forest, facts)
    nodes = np.flatnonzero(forest.left >= 0)
    seeds = draw_seeds(rng, len(nodes))
    n_drawn = np.maximum(n_samples - (own.end - own.begin)[nodes], 0)
    coords = np.ascontiguousarray(coords)
    found = empty_stand_ins(forest, coords.shape[1])

    def work_off(block: slice) -> None:
        chosen = nodes[block]
        tree = np.searchsorted(forest.start, chosen, side="right") - 1
        start = np.concatenate([[0], np.cumsum(n_drawn[block])])
        drawn = draws.rows(chosen, start, seeds[block], n_jobs=n_jobs)
        placed = place_drawn(encode, drawn, coords.shape[1])

        def search(part: tuple[int, int]) -> None:
            search_own_rows(
                *part,
                (chosen, tree),
                splits_of(forest),
                (own.rows, own.begin, own.end),
                (values, coords),
                start,
                (drawn, placed),
                logistic,
                (found.weights, found.offset, found.agreement),
            )

        run_blocks(search, list(blocks_of(len(chosen), NODE_BLOCK)), n_jobs=n_jobs)

    size = max(1, DRAWN_CELLS // (n_samples * forest.n_columns))
    for begin, end in blocks_of(len(nodes), size):
        work_off(slice(begin, end))
    return found


def place_drawn(
    encode: Callable[[Codes], Coords], drawn: Codes, n_components: int
) -> Coords:
    """Coordinates of synthetic rows; they must be of the same space as the others."""
    if not len(drawn):
        return np.empty((0, n_components))
    placed = np.ascontiguousarray(encode(drawn), np.float64)
    wanted = (len(drawn), n_components)
    if placed.shape != wanted:
        message = (
            f"the encoder places {len(drawn)} rows at an array of shape "
            f"{placed.shape}, wanted {wanted}. Give the encoder that the coordinates "
            "come from."
        )
        raise ValueError(message)
    return placed
