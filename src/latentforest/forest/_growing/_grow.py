"""Grow many trees at once: seeds, bootstrap samples, threads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_integer
from latentforest._base._parallel import run_blocks
from latentforest._base._random_loops import bootstrap_counts
from latentforest._base._types import Bools, Floats, Ints, LeafIds
from latentforest.forest._facts import TreeFacts
from latentforest.forest._growing._bins import BinnedTable
from latentforest.forest._growing._records import Response, Rules
from latentforest.forest._growing._tree_loops import grow_tree
from latentforest.trees import ForestArrays, Tree, join_trees, route_rest

Kept = TypeVar("Kept")

NO_LIMIT = 2**31 - 1  # depth of a tree that may grow as deep as it likes


@dataclass(frozen=True, slots=True)
class GrownForest:
    """A forest, and the leaves of the rows it was grown on."""

    forest: ForestArrays
    leaf_ids: LeafIds  # (n_rows, n_trees) forest-wide leaf numbers, Fortran order
    facts: TreeFacts = field(default_factory=TreeFacts)


def grow_trees(
    table: BinnedTable,
    target: Response,
    rules: Rules,
    keep: Callable[[int, Tree, Floats], Kept],
    *,
    seeds: NDArray[np.uint64],
    bootstrap: bool,
    n_jobs: int | None,
    progress: str | None,
    may_draw: Callable[[int], Bools] | None = None,
) -> list[Kept]:
    """Grow a tree from each seed and return what ``keep`` makes of it.

    ``keep(number, tree, counts)`` is called in the thread that grew the tree, with
    the leaves of all rows known (``tree.leaf_of``, in-bag or not) and ``counts``, how
    often each row is in the tree's sample. ``may_draw(number)`` tells the rows that a
    tree may see, by default all. A tree depends on its seed and these alone, so neither
    the number of threads nor the other trees change anything.
    """
    n_rows = table.bins.shape[1]
    marks = target.unit_marks
    response = (marks[:0] if rules.at_random else marks, target.task, target.width)

    def work(number: int) -> Kept:
        state = seeds[number : number + 1].copy()
        counts = np.ones(n_rows)
        if may_draw is not None:
            counts = may_draw(number).astype(np.float64)
        if bootstrap:
            n_allowed = int(counts.sum())
            counts[counts > 0] = bootstrap_counts(state, n_allowed, n_allowed)
        tree = Tree(*grow_tree(tuple(table), response, counts, tuple(rules), state))
        return keep(number, tree, counts)

    return run_blocks(work, range(len(seeds)), n_jobs=n_jobs, progress=progress)


def route_tree(table: BinnedTable, tree: Tree) -> None:
    """Fill the entries of ``tree.leaf_of`` that are still unknown."""
    route_rest(table.bins, table.n_bins, tuple(tree[:8]), tree.leaf_of)


def join_grown(
    trees: Sequence[Tree], split_levels: Ints, *, n_jobs: int | None
) -> GrownForest:
    """Join trees and number the leaves of the rows they were grown on."""
    forest = join_trees(trees, split_levels, n_jobs=n_jobs)
    ids = np.empty((len(trees[0].leaf_of), len(trees)), np.int32, order="F")

    def number_leaves(number: int) -> None:
        leaf = forest.leaf[forest.start[number] : forest.start[number + 1]]
        ids[:, number] = leaf[trees[number].leaf_of]

    run_blocks(number_leaves, range(len(trees)), n_jobs=n_jobs)
    return GrownForest(forest, ids)


def split_rules(
    table: BinnedTable,
    *,
    max_features: str | int | float | None = 1,
    min_leaf: int = 1,
    min_class: Sequence[int] = (0, 0),
    max_depth: int | None = None,
    at_random: bool = False,
) -> Rules:
    """Check the parameters that users give for splits, in scikit-learn's words."""
    n_columns = len(table.n_bins)
    if max_depth is None:
        max_depth = NO_LIMIT
    return Rules(
        n_candidates=_n_candidates(max_features, n_columns),
        min_leaf=float(check_integer("min_samples_leaf", min_leaf, minimum=1)),
        min_class=np.array(min_class, np.float64),
        max_depth=check_integer("max_depth", max_depth, minimum=1),
        at_random=at_random,
        level_rank=np.empty((n_columns, 0), np.int64),
    )


def _n_candidates(max_features: str | int | float | None, n_columns: int) -> int:
    """Columns tried per split, from scikit-learn's ways to say it."""
    if max_features == "sqrt":
        return max(1, int(np.sqrt(n_columns)))
    if max_features == "log2":
        return max(1, int(np.log2(n_columns)))
    if max_features is None:
        return n_columns
    if isinstance(max_features, Real) and not isinstance(max_features, bool):
        if not isinstance(max_features, Integral) and 0 < max_features <= 1:
            return max(1, int(max_features * n_columns))
        if isinstance(max_features, Integral) and 1 <= max_features <= n_columns:
            return int(max_features)
    message = (
        f"max_features={max_features!r} does not fit {n_columns} columns. Give 'sqrt', "
        f"'log2', None for all, a share in (0, 1] or a number from 1 to {n_columns}."
    )
    raise ValueError(message)
