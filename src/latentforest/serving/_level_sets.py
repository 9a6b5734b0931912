"""The sets of levels in a forest's nodes, and which levels get to a node at all."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools
from latentforest.trees import ForestArrays

_CELLS = 2**24  # nodes × levels that are unpacked at once
_ALL = 2**32 - 1  # every bit of a word


@dataclass(frozen=True, slots=True, eq=False)
class LevelSets:
    """All splits of one column by sets of levels, sets as bits, 32 to a word.

    A level that an earlier split sent elsewhere does not reach a node, whatever the
    node's set says.
    """

    n_levels: int
    nodes: NDArray[np.int64]  # (n_splits,)
    members: NDArray[np.uint32]  # (n_splits, n_words) levels that go left
    reaching: NDArray[np.uint32]  # (n_splits, n_words) levels that get to the node

    def blocks(self) -> Iterator[tuple[NDArray[np.int64], Bools, Bools]]:
        """Yield nodes, members and reaching levels, the latter (n_nodes, n_levels)."""
        block = max(1, _CELLS // self.n_levels)
        for begin in range(0, len(self.nodes), block):
            part = slice(begin, begin + block)
            members = self._unpack(self.members[part])
            yield self.nodes[part], members, self._unpack(self.reaching[part])

    def _unpack(self, words: NDArray[np.uint32]) -> Bools:
        octets = np.ascontiguousarray(words, "<u4").view(np.uint8)
        bits = np.unpackbits(octets, axis=1, count=self.n_levels, bitorder="little")
        return bits.astype(np.bool_)


def level_sets(forest: ForestArrays, column: int) -> LevelSets:
    """Walk down all trees at once, one depth after the other, and collect the sets."""
    n_levels = int(forest.split_levels[column])
    word = np.arange((n_levels + 31) // 32)
    root = np.repeat(forest.start[:-1], np.diff(forest.start))
    nodes = forest.start[:-1]
    reaching = np.full((len(nodes), len(word)), _ALL, np.uint32)
    found = []
    while len(nodes):
        inner = forest.left[nodes] >= 0
        nodes, reaching = nodes[inner], reaching[inner]
        splits = (forest.feature[nodes] == column) & (forest.category[nodes] >= 0)
        members = forest.words[forest.category[nodes[splits]][:, None] + word]
        found.append((nodes[splits], members, reaching[splits]))
        to_left, to_right = reaching.copy(), reaching
        to_left[splits] &= members
        to_right[splits] &= ~members
        children = forest.left[nodes], forest.right[nodes]
        nodes = np.concatenate([root[nodes] + child for child in children])
        reaching = np.concatenate([to_left, to_right])
    parts = (np.concatenate(part) for part in zip(*found, strict=True))
    return LevelSets(n_levels, *parts)
