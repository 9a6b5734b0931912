"""Consistent leaves, one per tree, from how much each leaf is believed in.

This is Alg. 1 of the paper's appendix, row by row. Round 1 takes the most believed leaf
of every tree and keeps the trees that agree, a clique C of the graph of overlaps; S is
the region where their boxes meet. In later rounds every other tree takes the most
believed of its leaves that meet S, and joins C unless others have made S too small for
it meanwhile. At least one joins per round, and S always holds a legal row.

Where we say more than the paper:

- Boxes with sets of levels can meet pairwise without a point in common. So trees join
  one at a time, by falling belief, and only if S stays non-empty.
- A tree in which no leaf is believed in at all has no say in round 1. The paper would
  let it vote for a leaf drawn at random.
- The paper says that edges are never removed. This holds for edges that touch C: a
  tree outside always takes a leaf that meets S, hence every box of C. Two trees
  outside may lose their edge when one of them changes its leaf.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._section import Section
from latentforest._base._types import LeafIds
from latentforest._base._values import damaged
from latentforest.decode._leaves._greedy_loops import agree_rows, assign_rows
from latentforest.regions import LeafBoxes, Regions

ROW_BLOCK = 64
CLIQUE_BUDGET = 20_000  # then the largest clique found so far is taken


@dataclass(frozen=True, slots=True)
class LeafOrder:
    """Who wins a tie between leaves of a tree: the larger one, then chance."""

    ranked: NDArray[np.int64]  # (n_leaves,) tree by tree, leaves from first to last
    rank: NDArray[np.int64]  # (n_leaves,) place of each leaf in ranked

    @classmethod
    def take(cls, section: Section, boxes: LeafBoxes) -> "LeafOrder":
        """Read an order of the leaves within each tree from a model file."""
        ranked = section.array("leaf_order", np.int64, (boxes.n_leaves,))
        tree = np.repeat(np.arange(boxes.n_trees), np.diff(boxes.tree_start))
        inside = (ranked >= 0) & (ranked < boxes.n_leaves)
        if not inside.all() or (tree[ranked] != tree).any():
            raise damaged(f"{section.path('leaf_order')} mixes the leaves of trees")
        if len(np.unique(ranked)) < len(ranked):
            raise damaged(f"{section.path('leaf_order')} names a leaf twice")
        return cls(ranked, np.argsort(ranked))


def draw_leaf_order(
    boxes: LeafBoxes, size: NDArray[np.integer], rng: np.random.Generator
) -> LeafOrder:
    """Draw the order once, so that a tie falls the same way in every batch.

    ``size`` counts the rows of each leaf. Where no leaf is believed in, the paper draws
    one at random; one that holds more rows is the better guess.
    """
    chance = rng.permutation(boxes.n_leaves)
    tree = np.repeat(np.arange(boxes.n_trees), np.diff(boxes.tree_start))
    ranked = np.lexsort((chance, -size, tree))
    return LeafOrder(ranked, np.argsort(ranked))


@dataclass(frozen=True, slots=True)
class ConsistentLeaves:
    """One leaf per tree for each row, and the regions where they meet."""

    leaf_ids: LeafIds  # (n_rows, n_trees)
    regions: Regions


def join_consistent(parts: Sequence[ConsistentLeaves]) -> ConsistentLeaves:
    """Put blocks of rows together."""
    regions = [part.regions for part in parts]
    return ConsistentLeaves(
        np.concatenate([part.leaf_ids for part in parts]),
        replace(
            regions[0],
            lower=np.concatenate([part.lower for part in regions]),
            upper=np.concatenate([part.upper for part in regions]),
            levels=np.concatenate([part.levels for part in regions]),
        ),
    )


def consistent_leaves(
    boxes: LeafBoxes,
    start: Regions,
    beliefs: sp.csr_array,
    order: LeafOrder,
    *,
    n_jobs: int | None = None,
) -> ConsistentLeaves:
    """Choose leaves that meet, by Alg. 1.

    Parameters
    ----------
    boxes : LeafBoxes
        The boxes of all leaves.
    start : Regions
        One region, that holds a legal row, in which the leaves shall meet; see
        `observed_region`.
    beliefs : sparse array of shape (n_rows, n_leaves)
        p̂ of the paper: how much each leaf is believed in; leaves that are not stored
        have 0.
    order : LeafOrder
        Breaks ties.
    n_jobs : int or None, default=None
        Threads; they change nothing.

    Returns
    -------
    ConsistentLeaves
    """
    beliefs = beliefs.sorted_indices()  # hence tree by tree; a copy, sorted again below
    n_rows = beliefs.shape[0]
    row_start, leaves = beliefs.indptr.astype(np.int64), beliefs.indices
    leaves, values = leaves.astype(np.int64), beliefs.data.astype(np.float64)
    regions = start.take(np.zeros(n_rows, np.int64))
    leaf_ids = np.empty((n_rows, boxes.n_trees), np.int32)

    def work(block: tuple[int, int]) -> None:
        assign_rows(
            *block,
            row_start,
            (leaves, values),
            (order.ranked, order.rank),
            boxes.tree_start,
            boxes.arrays(),
            (start.lower[0], start.upper[0], start.levels[0]),
            CLIQUE_BUDGET,
            (regions.lower, regions.upper, regions.levels),
            leaf_ids,
        )

    run_blocks(work, list(blocks_of(n_rows, ROW_BLOCK)), n_jobs=n_jobs)
    return ConsistentLeaves(leaf_ids, open_ends(regions, start))


def agreeing_regions(
    boxes: LeafBoxes, start: Regions, leaf_ids: LeafIds, *, n_jobs: int | None = None
) -> Regions:
    """Regions where most of the given leaves meet.

    Parameters
    ----------
    boxes : LeafBoxes
        The boxes of all leaves.
    start : Regions
        One region, that holds a legal row, in which the leaves shall meet; see
        `observed_region`.
    leaf_ids : array of int, shape (n_rows, n_trees)
        Forest-wide numbers of leaves that need not be consistent.
    n_jobs : int or None, default=None
        Threads; they change nothing.

    Returns
    -------
    Regions
        Where the leaves of the largest clique of trees meet, chosen as in round 1 of
        Alg. 1, ties by the order of trees: all leaves, if they meet. Never empty.
    """
    leaf_ids = np.ascontiguousarray(leaf_ids, np.int64)
    regions = start.take(np.zeros(len(leaf_ids), np.int64))

    def work(block: tuple[int, int]) -> None:
        agree_rows(
            *block,
            leaf_ids,
            boxes.arrays(),
            (start.lower[0], start.upper[0], start.levels[0]),
            CLIQUE_BUDGET,
            (regions.lower, regions.upper, regions.levels),
        )

    run_blocks(work, list(blocks_of(len(leaf_ids), ROW_BLOCK)), n_jobs=n_jobs)
    return open_ends(regions, start)


def open_ends(regions: Regions, start: Regions) -> Regions:
    """Drop bounds that no leaf has set: they are those of the start."""
    return replace(
        regions,
        lower=np.where(regions.lower == start.lower, -np.inf, regions.lower),
        upper=np.where(regions.upper == start.upper, np.inf, regions.upper),
    )
