"""Kernels that know which rows each tree was grown on.

In tree t, o_i is 1 where row i is out of bag and 0 where it is in, and c_i says how
often the tree has drawn it. Both kernels have the form Σ_t v s (α_i β_j + β_i α_j) over
the trees, of factor v, in which i and j share a leaf:

- "oob": α = o, β = 1 − o/2, s = 1/(B · rows of the leaf); the bracket is 1 where one of
  the rows is out of bag, and 0 where both are in.
- "gap": α = o/(2 · share of trees, by v, where i is out), β = c, s = 1/(B · draws of
  the leaf); half of each of p(i, j) and p(j, i).

So products are two sums per leaf, as those of the other kernels are one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latentforest._base._parallel import run_blocks
from latentforest._base._types import Bools, Floats
from latentforest.kernel._bag_loops import add_outside_means, mark_out_of_bag
from latentforest.kernel._index import LeafIndex
from latentforest.kernel._sums import tree_chunks

BAG_KINDS = ("oob", "gap")


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """What each row counts in each tree, by the rows that the tree was grown on."""

    counts: NDArray[np.uint16]  # (n_rows, n_trees) draws, Fortran order
    near: Floats  # (n_rows,) α of the row in trees where it is out of bag
    inside: Bools  # (n_rows,) in bag wherever it matters: counts as out everywhere
    drawn: bool  # β is the number of draws; else half, or one in bag
    has_out: Bools  # (n_leaves,) whether a row of the leaf is out of bag

    @classmethod
    def of_kernel(
        cls,
        index: LeafIndex,
        kind: str,
        counts: NDArray[np.uint16],
        mass: Floats,
        factors: Floats,
    ) -> "Bags":
        """Work out who is out of bag where it matters.

        Trees of weight 0 do not matter and, to "gap", leaves without a draw: with
        landmarks there are some.
        """
        n_rows, n_trees = index.ids.shape
        is_drawn, outside = kind == "gap", np.zeros((2, n_rows))
        has_out = np.zeros(index.n_leaves, bool)
        mark_out_of_bag(index.ids.T, counts.T, mass, factors, outside, has_out)
        out, everywhere = outside
        inside = out == 0
        near = np.ones(n_rows)
        if is_drawn:
            total = np.where(inside, everywhere, out)
            near = np.divide(
                0.5 * n_trees, total, out=np.zeros(n_rows), where=total > 0
            )
        has_out[index.ids[inside].ravel()] = True
        return cls(counts, near, inside, is_drawn, has_out)

    @property
    def for_loops(self) -> tuple[NDArray[np.uint16], Floats, Bools, bool]:
        """What loops over trees take of it."""
        return self.counts.T, self.near, self.inside, self.drawn

    def outside_means(
        self,
        index: LeafIndex,
        values: Floats,
        sums: Floats,
        mass: Floats,
        factors: Floats,
        weights: Floats,
        group: NDArray[np.int64],
        *,
        n_jobs: int | None,
    ) -> tuple[Floats, Floats]:
        """Add up the means of each row's leaves, in the trees it is out of bag in.

        Rows of its ``group`` are left out of them. Also return the weight of the trees
        that had something to say.
        """
        ids, columns = index.ids.T, np.ascontiguousarray(values)

        def work(chunk: tuple[int, int]) -> tuple[Floats, Floats]:
            out, degree = np.zeros(columns.shape), np.zeros(len(columns))
            add_outside_means(
                *(ids, self.counts.T, self.inside, self.drawn, factors, sums, mass),
                *(columns, weights, group, *chunk, out, degree),
            )
            return out, degree

        chunks = list(tree_chunks(index.n_trees))
        (out, degree), *parts = run_blocks(work, chunks, n_jobs=n_jobs)
        for more, more_degree in parts:
            out += more
            degree += more_degree
        return out, degree


def check_in_bag(
    in_bag: ArrayLike | None, index: LeafIndex, kind: str
) -> NDArray[np.uint16]:
    """Return draws as ``uint16``, tree after tree, or say what is wrong with them."""
    if in_bag is None:
        message = (
            f"kind={kind!r} needs to know which rows each tree was grown on. Give "
            "in_bag: the draws of each row in each tree."
        )
        raise ValueError(message)
    given = np.asarray(in_bag)
    if given.shape != index.ids.shape or not np.issubdtype(given.dtype, np.integer):
        message = (
            f"in_bag has shape {given.shape} and dtype {given.dtype}. Give one integer "
            f"for each row and tree: {index.ids.shape}."
        )
        raise ValueError(message)
    if given.min() < 0 or given.max() > np.iinfo(np.uint16).max:
        message = (
            f"in_bag runs from {given.min()} to {given.max()}. Give numbers of draws "
            f"from 0 to {np.iinfo(np.uint16).max}."
        )
        raise ValueError(message)
    if (given > 0).all():
        message = (
            f"every tree was grown on all rows, but kind={kind!r} needs rows out of "
            "bag. Grow the forest on bootstrap samples: bootstrap=True."
        )
        raise ValueError(message)
    return np.asarray(given, dtype=np.uint16, order="F")
