"""Leaf numbers of rows: the only thing the kernel knows of a forest."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latentforest._base._types import Floats, LeafIds


def check_ids(ids: ArrayLike, *, n_leaves: int, n_trees: int | None = None) -> LeafIds:
    """Return leaf numbers as tree-major ``int32``, or say what is wrong with them.

    Compiled loops use the numbers as addresses without looking, so nothing out of
    range may pass.
    """
    given: NDArray[Any] = np.asarray(ids)
    if given.ndim != 2:
        message = (
            f"ids has shape {given.shape}. Give leaf numbers as (n_rows, n_trees)."
        )
        raise ValueError(message)
    if not np.issubdtype(given.dtype, np.integer):
        message = f"ids has dtype {given.dtype}. Give integer leaf numbers."
        raise TypeError(message)
    if n_trees is not None and given.shape[1] != n_trees:
        message = (
            f"ids has {given.shape[1]} trees, the kernel has {n_trees}. "
            "Route the rows through the forest that the kernel was built from."
        )
        raise ValueError(message)
    if given.size and (given.min() < 0 or given.max() >= n_leaves):
        message = (
            f"ids run from {given.min()} to {given.max()}, but the forest has "
            f"{n_leaves} leaves. Leaf numbers must lie in 0 … {n_leaves - 1}."
        )
        raise ValueError(message)
    return np.asarray(given, dtype=np.int32, order="F")


def check_weights(weights: ArrayLike | None, n_rows: int) -> Floats:
    """Row weights as floats; rows that must not count are left out beforehand."""
    if weights is None:
        return np.ones(n_rows)
    checked = np.ascontiguousarray(weights, dtype=np.float64)
    if checked.shape != (n_rows,):
        message = f"weights has shape {checked.shape}. Give one per row: ({n_rows},)."
        raise ValueError(message)
    if not (np.isfinite(checked).all() and (checked > 0).all()):
        message = (
            f"weights run from {checked.min()} to {checked.max()}. Give finite "
            "weights above 0; leave rows out with LeafIndex.take."
        )
        raise ValueError(message)
    return checked


def tree_factors(weights: ArrayLike | None, n_trees: int) -> Floats | None:
    """Weights of trees as factors of mean 1; None where all trees are alike."""
    if weights is None:
        return None
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (n_trees,):
        message = (
            f"tree_weights has shape {given.shape}. Give one per tree: ({n_trees},)."
        )
        raise ValueError(message)
    if not (np.isfinite(given).all() and given.min() >= 0 and given.max() > 0):
        message = (
            f"tree_weights run from {given.min()} to {given.max()}. Give finite "
            "numbers of at least 0, not all of them 0."
        )
        raise ValueError(message)
    if (given == given[0]).all():
        return None
    given = given / given.max()  # or sums of huge ones overflow
    return given * (n_trees / given.sum())


@dataclass(frozen=True, slots=True, eq=False)
class LeafIndex:
    """Which leaf each row falls into, in every tree.

    Parameters
    ----------
    ids : array of int, shape (n_rows, n_trees)
        Leaf numbers, counted through the whole forest tree by tree, so that every
        tree has a range of numbers of its own. Kept as ``int32`` in tree-major
        memory order.
    n_leaves : int
        Leaves of the forest, reached by these rows or not.
    starts : array of int64, shape (n_trees + 1,), default=None
        Where the leaves of each tree begin, and ``n_leaves``; None takes the lowest
        that the rows reach. Only weights of trees ask.

    Attributes
    ----------
    first_leaf : array of int64, shape (n_trees,)
        Lowest leaf number that these rows reach in each tree.
    width : array of int64, shape (n_trees,)
        Leaf numbers between the lowest and the highest, both counted.
    """

    ids: LeafIds
    n_leaves: int
    starts: NDArray[np.int64] | None = field(default=None, repr=False)
    first_leaf: NDArray[np.int64] = field(init=False, repr=False)
    width: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        ids = check_ids(self.ids, n_leaves=self.n_leaves)
        if ids.size == 0:
            message = (
                f"ids has shape {ids.shape}. A leaf index needs at least one row "
                "and one tree."
            )
            raise ValueError(message)
        lowest, highest = ids.min(axis=0), ids.max(axis=0)
        mixed = np.flatnonzero(lowest[1:] <= highest[:-1])
        if mixed.size:
            message = (
                f"Leaf {lowest[mixed[0] + 1]} of tree {mixed[0] + 1} is not above all "
                f"leaves of tree {mixed[0]}. Number leaves through the forest, tree "
                "by tree."
            )
            raise ValueError(message)
        object.__setattr__(self, "ids", ids)
        object.__setattr__(self, "first_leaf", lowest.astype(np.int64))
        object.__setattr__(self, "width", highest.astype(np.int64) - lowest + 1)

    @property
    def n_rows(self) -> int:
        """Rows indexed."""
        return int(self.ids.shape[0])

    @property
    def n_trees(self) -> int:
        """Trees of the forest."""
        return int(self.ids.shape[1])

    def take(self, rows: ArrayLike) -> "LeafIndex":
        """Index of some of the rows (numbers or a mask), leaf numbers unchanged."""
        return LeafIndex(self.ids[np.asarray(rows), :], self.n_leaves, self.starts)

    def by_leaf(self, of_trees: Floats) -> Floats:
        """Repeat a number of each tree for all its leaves, (n_leaves,)."""
        starts = self.starts
        if starts is None:
            starts = np.append(self.first_leaf, self.n_leaves)
            starts[0] = 0
        return np.repeat(of_trees, np.diff(starts))
