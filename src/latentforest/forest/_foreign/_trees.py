"""Trees as other libraries tell them, in flat arrays, before they know our levels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Floats, Ints
from latentforest.trees import ForestArrays


class CodeSet(NamedTuple):
    """Categories of a split, by the numbers that the library gives them."""

    codes: NDArray[np.int64]
    go_left: bool  # whether these go left, and all others right; or the reverse


@dataclass(frozen=True, slots=True, eq=False)
class ForeignTrees:
    """The nodes of all trees, tree after tree.

    As `ForestArrays`, but splits of categories hold the library's own numbers, and
    leaves the library's names. Thresholds are such that ``value <= threshold`` in
    double precision says what the library says.
    """

    start: NDArray[np.int64]  # (n_trees + 1,)
    left: Ints  # within the tree; -1 at a leaf
    right: Ints
    feature: Ints
    threshold: Floats
    missing_left: Bools
    set_of: Ints  # which of ``sets`` a node splits by; -1: a number
    sets: list[CodeSet]
    leaf_name: Ints  # what the library's leaf call says; only of leaves

    def in_order(self) -> "ForeignTrees":
        """Return the trees with parents before children, and no node beside them."""
        first = np.repeat(self.start[:-1], np.diff(self.start))
        own = np.arange(len(self.left)) - first
        inner = self.left >= 0
        tidy = (self.left > own) & (self.right > own)
        n_children = 2 * np.add.reduceat(inner, self.start[:-1])
        if tidy[inner].all() and (n_children + 1 == np.diff(self.start)).all():
            return self
        levels = [self.start[:-1]]
        while len(nodes := levels[-1][self.left[levels[-1]] >= 0]):
            children = np.stack([self.left[nodes], self.right[nodes]], 1)
            levels.append((children + first[nodes, None]).ravel())
        found = np.concatenate(levels)
        order = found[np.argsort(first[found], kind="stable")]
        sizes = np.bincount(
            np.searchsorted(self.start, first[order], "right") - 1,
            minlength=len(self.start) - 1,
        )
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        place = np.full(len(self.left), -1)
        place[order] = np.arange(len(order)) - np.repeat(start[:-1], sizes)

        def moved(child: Ints) -> Ints:
            at = np.where(inner, child, 0) + first
            return np.where(inner, place[at], -1)[order].astype(np.int32)

        return ForeignTrees(
            start,
            moved(self.left),
            moved(self.right),
            self.feature[order],
            self.threshold[order],
            self.missing_left[order],
            self.set_of[order],
            self.sets,
            self.leaf_name[order],
        )

    def with_levels(
        self,
        codes_of: Mapping[int, NDArray[np.int64]],
        split_levels: Ints,
        *,
        unknown_is_missing: bool = False,
    ) -> ForestArrays:
        """Turn the library's categories into levels of the table.

        Parameters
        ----------
        codes_of : mapping
            For each column that is split by sets: the library's number of each level;
            -1 for a level that it does not know.
        split_levels : array of int, shape (n_columns,)
            Number of levels of these columns, else 0.
        unknown_is_missing : bool, default=False
            Where levels go that the library does not know: with missing cells, or with
            all that are not in the set.

        Returns
        -------
        ForestArrays
        """
        is_leaf = self.left < 0
        by_set = ~is_leaf & (split_levels[self.feature] > 0)
        n_words = np.where(by_set, -(-split_levels[self.feature] // 32), 0)
        ends = np.cumsum(n_words)
        words = np.zeros(int(n_words.sum()), np.uint32)
        for node in np.flatnonzero(by_set):
            goes_left = self._levels_left(
                int(node), codes_of, unknown_is_missing=unknown_is_missing
            )
            bits = np.packbits(goes_left, bitorder="little")
            padded = np.zeros(4 * n_words[node], np.uint8)
            padded[: len(bits)] = bits
            words[ends[node] - n_words[node] : ends[node]] = padded.view("<u4")
        return ForestArrays(
            start=self.start,
            left=np.where(is_leaf, -1, self.left).astype(np.int32),
            right=np.where(is_leaf, -1, self.right).astype(np.int32),
            feature=np.where(is_leaf, -1, self.feature).astype(np.int32),
            threshold=np.where(is_leaf | by_set, np.nan, self.threshold),
            missing_left=self.missing_left & ~is_leaf,
            category=np.where(by_set, ends - n_words, -1).astype(np.int64),
            words=words,
            leaf=np.where(is_leaf, np.cumsum(is_leaf) - 1, -1).astype(np.int32),
            split_levels=split_levels.astype(np.int32),
        )

    def _levels_left(
        self,
        node: int,
        codes_of: Mapping[int, NDArray[np.int64]],
        *,
        unknown_is_missing: bool,
    ) -> Bools:
        """Return which levels of the table a node sends left."""
        own = codes_of.get(int(self.feature[node]))
        if own is None:  # a flag, which is a number to the library
            return np.arange(2) <= self.threshold[node]
        codes, go_left = self.sets[self.set_of[node]]
        goes_left: Bools = np.isin(own, codes) == go_left
        if unknown_is_missing:
            goes_left[own < 0] = self.missing_left[node]
        return goes_left


class TreeParts(NamedTuple):
    """One tree of a library, as its adapter found it; numbers within the tree."""

    left: Ints
    right: Ints
    feature: Ints
    threshold: Floats
    missing_left: Bools
    set_of: Ints  # among ``sets``
    sets: list[CodeSet]
    leaf_name: Ints


def join_parts(trees: list[TreeParts]) -> ForeignTrees:
    """Lay trees one after the other."""
    sizes = np.array([len(tree.left) for tree in trees])
    sets: list[CodeSet] = []
    set_of = []
    for tree in trees:
        set_of.append(np.where(tree.set_of >= 0, tree.set_of + len(sets), -1))
        sets.extend(tree.sets)

    def joined(name: str) -> NDArray[np.generic]:
        return np.concatenate([getattr(tree, name) for tree in trees])

    return ForeignTrees(
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        joined("left").astype(np.int32),
        joined("right").astype(np.int32),
        joined("feature").astype(np.int32),
        joined("threshold").astype(np.float64),
        joined("missing_left").astype(bool),
        np.concatenate(set_of).astype(np.int32),
        sets,
        joined("leaf_name").astype(np.int32),
    ).in_order()
