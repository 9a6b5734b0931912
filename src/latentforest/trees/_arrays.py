"""All trees of a forest as flat arrays: the one form every other room reads."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import run_blocks
from latentforest._base._types import Bools, Codes, Floats, Ints, LeafIds
from latentforest.trees._route_loops import route_rows
from latentforest.trees._router import Router, routed_together
from latentforest.trees._tree import Tree

ROW_BLOCK = 2_048
NODE_FIELDS = (
    "left",
    "right",
    "feature",
    "threshold",
    "missing_left",
    "category",
    "leaf",
)


@dataclass(frozen=True)
class ForestArrays:
    """The nodes of all trees, tree after tree.

    A cell goes left if its number is at most ``threshold``, or if its level is in the
    node's set of levels; a missing cell goes where ``missing_left`` says. Thresholds
    of foreign forests are moved when they are read so that this one rule, in double
    precision, reproduces their own (see `from_sklearn`).
    """

    start: NDArray[np.int64]  # (n_trees + 1,) first node of each tree
    left: Ints  # (n_nodes,) left child, counted within the tree; -1 at a leaf
    right: Ints
    feature: Ints  # column of the split; -1 at a leaf
    threshold: Floats  # NaN where levels are split, and at a leaf
    missing_left: Bools
    category: NDArray[np.int64]  # where the node's set starts in words; -1: a number
    words: NDArray[np.uint32]  # sets of levels, 32 to a word
    leaf: Ints  # forest-wide number of the leaf; -1 at an inner node
    split_levels: Ints  # (n_columns,) levels of an unordered category, else 0

    def __post_init__(self) -> None:
        n_nodes = int(self.start[-1])
        for name in NODE_FIELDS:
            if len(getattr(self, name)) != n_nodes:
                message = f"{name} has {len(getattr(self, name))} of {n_nodes} nodes"
                raise ValueError(message)
        inner = self.left >= 0
        if ((self.category >= 0) != np.isnan(self.threshold))[inner].any():
            message = "a node splits either by a threshold or by a set of levels"
            raise ValueError(message)
        if self.feature.max(initial=-1) >= self.n_columns:
            message = (
                f"the forest splits on column {self.feature.max()}, "
                f"but the table has {self.n_columns} columns"
            )
            raise ValueError(message)

    @property
    def n_trees(self) -> int:
        """Number of trees, B in the paper."""
        return len(self.start) - 1

    @property
    def n_columns(self) -> int:
        """Number of columns, d_X in the paper."""
        return len(self.split_levels)

    @property
    def n_leaves(self) -> int:
        """Number of leaves of all trees, d_Φ in the paper."""
        return int(self.leaf.max()) + 1

    @property
    def leaf_start(self) -> NDArray[np.int64]:
        """First leaf of each tree, and the number of leaves."""
        is_leaf = np.concatenate([[0], np.cumsum(self.leaf >= 0)])
        return is_leaf[self.start]

    def route(self, values: Codes, *, n_jobs: int | None = None) -> LeafIds:
        """Leaf node of every row in every tree, numbered within the tree.

        For a forest read from scikit-learn this equals its ``apply``. The array is in
        Fortran order: the rows of one tree lie together.
        """
        node = np.empty(self.n_leaves, np.int32)
        own = np.arange(len(self.left)) - self._first()
        is_leaf = self.left < 0
        node[self.leaf[is_leaf]] = own[is_leaf]
        ids = self.leaves(values, n_jobs=n_jobs)
        return np.take(node, ids.T).T

    def leaves(self, values: Codes, *, n_jobs: int | None = None) -> LeafIds:
        """Forest-wide leaf number, 0 … n_leaves - 1, of every row in every tree."""
        values = self.check_values(values)
        ids = np.empty((len(values), self.n_trees), np.int32, order="F")
        bits, router = values.view(np.int64), self.router

        def work(block: tuple[int, int]) -> None:
            route_rows(values, bits, *block, router, ids.T)

        run_blocks(work, routed_together(len(values), n_jobs), n_jobs=n_jobs)
        return ids

    @cached_property
    def router(self) -> Router:
        """The same trees, laid out for rows that go down them."""
        trees = (
            self.start,
            self.left,
            self.right,
            self.feature,
            self.missing_left,
            self.category,
            self.leaf,
        )
        return Router.of_trees(trees, self.threshold, self.words, self.split_levels)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is worked out."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _first(self) -> NDArray[np.int64]:
        """First node of the tree that each node belongs to."""
        return np.repeat(self.start[:-1], np.diff(self.start))

    def first_trees(self, n_trees: int) -> "ForestArrays":
        """Return the forest of the first trees; leaves keep their numbers."""
        end = int(self.start[n_trees])
        return replace(
            self,
            start=self.start[: n_trees + 1],
            **{name: getattr(self, name)[:end] for name in NODE_FIELDS},
        )

    def parents(self) -> tuple[NDArray[np.int64], Bools]:
        """Parent of every node, -1 at a root, and which nodes are left children."""
        first, inner = self._first(), np.flatnonzero(self.left >= 0)
        parent = np.full(len(self.left), -1)
        is_left = np.zeros(len(self.left), np.bool_)
        parent[first[inner] + self.left[inner]] = inner
        parent[first[inner] + self.right[inner]] = inner
        is_left[first[inner] + self.left[inner]] = True
        return parent, is_left

    def check_values(self, values: Codes) -> Codes:
        """Return the codes as compiled walks need them, or say what does not fit."""
        values = np.ascontiguousarray(values, np.float64)
        if values.ndim != 2 or values.shape[1] != self.n_columns:
            message = (
                f"the forest was grown on {self.n_columns} columns, "
                f"got an array of shape {values.shape}"
            )
            raise ValueError(message)
        for column in np.flatnonzero(self.split_levels):
            codes, n_levels = values[:, column], self.split_levels[column]
            wrong = (codes < 0) | (codes >= n_levels)  # a missing cell is neither
            if wrong.any():
                message = (
                    f"column {column} holds the level {codes[wrong][0]}, but the "
                    f"forest knows the levels 0 to {n_levels - 1}. "
                    "Give NaN for an unknown level."
                )
                raise ValueError(message)
        return values


def join_trees(
    trees: Sequence[Tree], split_levels: Ints, *, n_jobs: int | None = None
) -> ForestArrays:
    """Lay trees one after the other and number their leaves."""
    start = _ends([len(tree.left) for tree in trees])
    first_word = _ends([len(tree.words) for tree in trees])
    first_leaf = _ends([int(np.count_nonzero(tree.left < 0)) for tree in trees])
    joined = {
        name: np.empty(start[-1], getattr(trees[0], name).dtype)
        for name in NODE_FIELDS
        if name != "leaf"
    }
    leaf = np.empty(start[-1], np.int32)

    def lay_down(number: int) -> None:
        tree, nodes = trees[number], slice(start[number], start[number + 1])
        for name, line in joined.items():
            line[nodes] = getattr(tree, name)
        joined["category"][nodes][tree.category >= 0] += first_word[number]
        is_leaf = tree.left < 0
        numbers = np.cumsum(is_leaf, dtype=np.int32) + (first_leaf[number] - 1)
        leaf[nodes] = np.where(is_leaf, numbers, -1)

    run_blocks(lay_down, range(len(trees)), n_jobs=n_jobs)
    return ForestArrays(
        start=start,
        words=np.concatenate([tree.words for tree in trees]),
        leaf=leaf,
        split_levels=np.asarray(split_levels, np.int32),
        **joined,
    )


def _ends(lengths: Sequence[int]) -> NDArray[np.int64]:
    """Where runs of these lengths begin, one after the other, and the last one ends."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
