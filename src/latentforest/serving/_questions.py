"""Splits by sets of levels, said with thresholds.

ONNX has an operator for set membership, but onnxruntime has it only from 1.21 on and
gets it right only from 1.24 on. Thresholds are right in every runtime, and the fastest.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Floats, Ints
from latentforest.serving._level_sets import LevelSets, level_sets
from latentforest.trees import ForestArrays


@dataclass(frozen=True, slots=True, eq=False)
class Questions:
    """What every inner node asks: one question "is the code at most …?" after another.

    The first question that is answered with yes decides the side; sides alternate, so
    that a set of levels is asked run by run. A number needs one question.
    """

    codes: tuple[Floats, ...]  # per column, (n_levels,): the code of each level
    n_asked: NDArray[np.int64]  # (n_nodes,) questions of the node; 0 at a leaf
    threshold: Floats  # of all questions, node after node, ascending within a node
    yes_is_left: Bools  # (n_nodes,) side of the first yes

    @property
    def n_nodes(self) -> int:
        """Nodes that ask one question each, and leaves."""
        return int(np.maximum(self.n_asked, 1).sum())


def ask(forest: ForestArrays, n_levels: Ints) -> Questions:
    """Find codes for the levels, and the questions that say each node's rule.

    ``n_levels`` are the levels of every column; ordered ones keep their order.
    """
    by_number = np.flatnonzero((forest.left >= 0) & (forest.category < 0))
    codes = [np.arange(n, dtype=np.float64) for n in n_levels]
    n_asked = np.zeros(len(forest.left), np.int64)
    n_asked[by_number] = 1
    yes_is_left = np.ones(len(forest.left), np.bool_)
    parts: list[tuple[NDArray[np.int64], Floats]]
    parts = [(by_number, forest.threshold[by_number])]
    for column in np.flatnonzero(forest.split_levels).tolist():
        sets = level_sets(forest, column)
        order = _common_order(sets)
        codes[column][order] = np.arange(len(order))
        for nodes, in_set, reaching in sets.blocks():
            members = _as_neighbours(in_set[:, order], reaching[:, order])
            changes = members[:, 1:] != members[:, :-1]
            which, last = np.nonzero(changes)
            # A set of all levels or of none: one question that all answer alike.
            alike = ~changes.any(axis=1)
            n_asked[nodes] = np.where(alike, 1, changes.sum(axis=1))
            yes_is_left[nodes] = members[:, 0]
            parts.append((nodes[which], last.astype(np.float64) + 0.5))
            parts.append((nodes[alike], np.full(alike.sum(), np.inf)))
    of_node = np.concatenate([nodes for nodes, _ in parts])
    threshold = np.concatenate([cuts for _, cuts in parts])
    ordered = threshold[np.argsort(of_node, kind="stable")]
    return Questions(tuple(codes), n_asked, ordered, yes_is_left)


def _common_order(sets: LevelSets) -> NDArray[np.int64]:
    """Levels by the number of sets they are in, most first.

    Where all sets are nested, as in the adversarial forest, each is one run in this
    order and needs one question.
    """
    counts = np.zeros(sets.n_levels, np.int64)
    for _, in_set, _ in sets.blocks():
        counts += in_set.sum(axis=0)
    return np.argsort(-counts, kind="stable")


def _as_neighbours(members: Bools, reaching: Bools) -> Bools:
    """Let levels that do not reach a node go with the one before them that does.

    So they cost no question. Those before all others go with the first.
    """
    place = np.where(reaching, np.arange(members.shape[1]), 0)
    before = np.maximum.accumulate(place, axis=1)
    like = np.maximum(before, reaching.argmax(axis=1)[:, None])
    filled: Bools = np.take_along_axis(members, like, axis=1)
    return filled
