"""The forest as the lists that a tree ensemble of ONNX is made of."""

from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Floats
from latentforest.serving._questions import Questions
from latentforest.trees import ForestArrays


@dataclass(frozen=True, slots=True, eq=False)
class TreeNodes:
    """Nodes that ask one question each, tree after tree, root first.

    The value of ``feature`` is at most ``threshold``: yes leads to ``true``, no to
    ``false``; a missing value counts as yes where ``missing_true`` says so.
    """

    tree: NDArray[np.int64]  # (n_nodes,) number of the tree
    node: NDArray[np.int64]  # number within the tree
    feature: NDArray[np.int64]  # 0 at a leaf
    threshold: Floats  # 0 at a leaf
    true: NDArray[np.int64]  # number within the tree; 0 at a leaf
    false: NDArray[np.int64]
    missing_true: Bools
    leaf: NDArray[np.int64]  # forest-wide number of the leaf; -1 elsewhere

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.tree[-1]) + 1

    @property
    def is_leaf(self) -> Bools:
        """Which nodes are leaves."""
        leaves: Bools = self.leaf >= 0
        return leaves

    def groups(self, size: int) -> "list[TreeNodes]":
        """Cut into groups of at most so many trees, which are numbered anew."""
        ends = [*range(size, self.n_trees, size), self.n_trees]
        cuts = np.searchsorted(self.tree, [0, *ends])
        parts = []
        for begin, end in pairwise(cuts):
            part = {f.name: getattr(self, f.name)[begin:end] for f in fields(self)}
            part["tree"] = part["tree"] - part["tree"][0]
            parts.append(TreeNodes(**part))
        return parts


def lay_out(forest: ForestArrays, questions: Questions) -> TreeNodes:
    """Turn each node into as many as it asks questions.

    A node's questions follow each other by "no"; the last "no" leads to the other side.
    """
    copies = np.maximum(questions.n_asked, 1)
    first = np.cumsum(copies) - copies
    n_nodes = np.diff(forest.start)
    root = np.repeat(forest.start[:-1], n_nodes)
    origin = np.repeat(np.arange(len(copies)), copies)  # the node that it comes from
    place = np.arange(len(origin))
    turn = place - first[origin]
    is_leaf = forest.left[origin] < 0

    yes_is_left = questions.yes_is_left[origin] == (turn % 2 == 0)
    left = first[root + forest.left][origin]
    right = first[root + forest.right][origin]
    yes, no = np.where(yes_is_left, left, right), np.where(yes_is_left, right, left)
    start = first[root][origin]
    threshold = np.zeros(len(origin))
    threshold[~is_leaf] = questions.threshold
    is_last = turn == copies[origin] - 1
    return TreeNodes(
        tree=np.repeat(np.arange(forest.n_trees), n_nodes)[origin],
        node=place - start,
        feature=np.where(is_leaf, 0, forest.feature[origin]),
        threshold=threshold,
        true=np.where(is_leaf, 0, yes - start),
        false=np.where(is_leaf, 0, np.where(is_last, no, place + 1) - start),
        missing_true=(forest.missing_left[origin] == yes_is_left) & ~is_leaf,
        leaf=forest.leaf[origin].astype(np.int64),
    )
