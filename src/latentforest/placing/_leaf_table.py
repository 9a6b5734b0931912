"""Coordinates of new rows, and of training rows as if they were new.

The Nyström formula z(x) = Σ_j k(x, x_j) w_j z_j / (d(x) λ) only needs one row of
numbers per leaf. So the encoder is a forest whose leaves hold coordinates, and the
training rows can be forgotten.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._tolerance import NEGLIGIBLE_EIGENVALUE
from latentforest._base._types import Codes, Coords, Floats
from latentforest.kernel import (
    ROW_BLOCK,
    LeafIndex,
    LeafKernel,
    check_ids,
    divide_or_zero,
    gather_from_leaves,
    leaf_scale,
)
from latentforest.placing._leaf_table_loops import add_others_from_leaves, place_rows
from latentforest.trees import ForestArrays, routed_together


@dataclass(frozen=True, slots=True, eq=False)
class LeafTable:
    """What every leaf contributes to the coordinates of the rows that fall into it."""

    values: Floats  # (n_leaves, n_components) contribution to the coordinates
    mass: Floats  # (n_leaves,) weight of the rows that define the kernel
    degree: Floats  # (n_leaves,) contribution to the degree; 0 where no such row is

    @classmethod
    def of_leaves(
        cls,
        values: Floats,
        mass: Floats,
        *,
        kind: str,
        n_trees: int,
        factors: Floats | None = None,
    ) -> "LeafTable":
        """Work out the degrees, s_leaf · mass / B; ``factors`` are those of leaves."""
        return cls(values, mass, leaf_scale(mass, kind, factors) * mass / n_trees)

    def __post_init__(self) -> None:
        values = np.ascontiguousarray(self.values, dtype=np.float64)
        degree = np.ascontiguousarray(self.degree, dtype=np.float64)
        if values.ndim != 2 or degree.shape != values.shape[:1]:
            message = (
                f"values has shape {values.shape} and degree {degree.shape}. "
                "Give (n_leaves, n_components) and (n_leaves,)."
            )
            raise ValueError(message)
        if not (np.isfinite(values).all() and np.isfinite(degree).all()):
            message = "The leaf table holds NaN or infinity. Give finite numbers."
            raise ValueError(message)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "degree", degree)

    def first(self, n_components: int) -> "LeafTable":
        """Return the table of the first coordinates only."""
        return replace(self, values=self.values[:, :n_components])

    def encode(self, ids: ArrayLike, *, n_jobs: int | None = None) -> Coords:
        """Place rows by their leaves.

        A row whose leaves are all empty resembles nothing and goes to the origin.

        Parameters
        ----------
        ids : array of int, shape (n_rows, n_trees)
            Leaf numbers of the rows.
        n_jobs : int, default=None
            Threads. The result is the same for any number, and for any split of
            the rows into batches.

        Returns
        -------
        coords : array of float, shape (n_rows, n_components)
        """
        leaves = check_ids(ids, n_leaves=self.degree.size)
        sums = gather_from_leaves(leaves, self.values, n_jobs=n_jobs)
        degrees = gather_from_leaves(leaves, self.degree[:, None], n_jobs=n_jobs)
        return divide_or_zero(sums, degrees[:, 0])

    def place(
        self, forest: ForestArrays, values: Codes, *, n_jobs: int | None = None
    ) -> Coords:
        """Place rows by their cells.

        The same bits as `encode` of ``forest.leaves(values)``, without an array of
        rows × trees.

        Parameters
        ----------
        forest : ForestArrays
            The forest whose leaves the table is of.
        values : array of float, shape (n_rows, n_columns)
            Codes of the rows.
        n_jobs : int, default=None
            Threads.

        Returns
        -------
        coords : array of float, shape (n_rows, n_components)
        """
        if forest.n_leaves != self.degree.size:
            message = (
                f"the forest has {forest.n_leaves} leaves, the table "
                f"{self.degree.size}. Give the forest that the table was made for."
            )
            raise ValueError(message)
        values, router = forest.check_values(values), forest.router
        bits = values.view(np.int64)
        sums = np.zeros((len(values), self.values.shape[1]))
        degrees = np.zeros(len(values))

        def work(block: tuple[int, int]) -> None:
            place_rows(
                values, bits, *block, router, self.values, self.degree, sums, degrees
            )

        run_blocks(work, routed_together(len(values), n_jobs), n_jobs=n_jobs)
        return divide_or_zero(sums, degrees)


def _check_inverse(index: LeafIndex, coords: Coords, eigenvalues: ArrayLike) -> Floats:
    """Return 1/λ, and 0 where λ is negligible: such a component carries nothing."""
    values = np.asarray(eigenvalues, dtype=np.float64)
    if np.shape(coords) != (index.n_rows, values.size) or values.ndim != 1:
        message = (
            f"coords has shape {np.shape(coords)} and eigenvalues {values.shape}. Give "
            f"coordinates of all {index.n_rows} rows and one eigenvalue per component."
        )
        raise ValueError(message)
    inverse: Floats = np.divide(
        1.0, values, out=np.zeros(values.shape), where=values > NEGLIGIBLE_EIGENVALUE
    )
    return inverse


def make_leaf_table(
    kernel: LeafKernel, coords: Coords, eigenvalues: ArrayLike
) -> LeafTable:
    """Collapse the rows' coordinates to T[l] = s_l / B · Σ_{i in l} w_i z_i / λ.

    Parameters
    ----------
    kernel : LeafKernel
        The kernel.
    coords : array of float, shape (n_rows, n_components)
        Diffusion coordinates of the rows that define it.
    eigenvalues : array of float, shape (n_components,)
        Their eigenvalues; components with a negligible one stay 0.

    Returns
    -------
    LeafTable
        Maps the rows that define the kernel to their own coordinates; but for kinds
        "oob" and "gap", where they are in bag in some trees, and new rows in none.
    """
    inverse = _check_inverse(kernel.index, coords, eigenvalues)
    values = kernel.leaf_sums(coords * inverse)
    values *= kernel.scale[:, None] / kernel.index.n_trees
    return LeafTable(
        values, kernel.mass, kernel.scale * kernel.mass / kernel.index.n_trees
    )


def leave_one_out(
    kernel: LeafKernel,
    coords: Coords,
    eigenvalues: ArrayLike,
    *,
    group: ArrayLike | None = None,
) -> Coords:
    """Place each row as `make_leaf_table` would without it, so that it looks new.

    Rows with the same number in ``group`` are copies, and are left out together. A row
    that is alone in all its leaves goes to the origin. A kernel that knows who is in
    bag asks only the trees that were grown without the row.
    """
    index, weights, own_weights = kernel.index, kernel.weights, kernel.weights
    number: NDArray[np.int64] | None = None
    if group is not None:
        _, number = np.unique(np.asarray(group), return_inverse=True)
        if number.shape != weights.shape:
            message = (
                f"group has shape {number.shape}. Give one number for each of the "
                f"{index.n_rows} rows."
            )
            raise ValueError(message)
        own_weights = np.bincount(number, weights=weights)[number].astype(np.float64)
    inverse = _check_inverse(index, coords, eigenvalues)
    if kernel.bags is not None:
        return kernel.outside_means(coords, number) * inverse
    sums = kernel.leaf_sums(coords)
    own = np.ascontiguousarray(own_weights[:, None] * coords)
    by_mass = kernel.kind == "rf"  # a leaf averages its rows, or adds them up
    out, degree = np.zeros(own.shape), np.zeros(index.n_rows)

    def work(block: tuple[int, int]) -> None:
        add_others_from_leaves(
            index.ids.T,
            sums,
            kernel.mass,
            own,
            own_weights,
            kernel.every_factor,
            by_mass,
            *block,
            out,
            degree,
        )

    run_blocks(work, list(blocks_of(index.n_rows, ROW_BLOCK)), n_jobs=kernel.n_jobs)
    return divide_or_zero(out, degree) * inverse
