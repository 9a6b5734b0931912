"""Coordinates of new rows, and of training rows as if they were new.

The Nyström formula z(x) = Σ_j k(x, x_j) w_j z_j / (d(x) λ) only needs one row of
numbers per leaf. So the encoder is a forest whose leaves hold coordinates, and the
training rows can be forgotten.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._tolerance import NEGLIGIBLE_EIGENVALUE
from latentforest._base._types import Coords, Floats
from latentforest.kernel._index import LeafIndex, check_ids
from latentforest.kernel._loops import add_others_from_leaves
from latentforest.kernel._sums import (
    ROW_BLOCK,
    divide_or_zero,
    gather_from_leaves,
    leaf_sums,
)


@dataclass(frozen=True, slots=True, eq=False)
class LeafTable:
    """What every leaf contributes to the coordinates of the rows that fall into it.

    Parameters
    ----------
    values : array of float, shape (n_leaves, n_components)
        Contribution to the coordinates.
    degree : array of float, shape (n_leaves,)
        Contribution to the degree, 0 for a leaf that no training row reaches.
    """

    values: Floats
    degree: Floats

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
    index: LeafIndex,
    scale: Floats,
    mass: Floats,
    weights: Floats,
    coords: Coords,
    eigenvalues: ArrayLike,
    *,
    n_jobs: int | None,
) -> LeafTable:
    """Collapse coordinates to T[l] = s_l / B · Σ_{i in l} w_i z_i / λ."""
    inverse = _check_inverse(index, coords, eigenvalues)
    values = leaf_sums(index, coords * inverse, weights=weights, n_jobs=n_jobs)
    values *= scale[:, None] / index.n_trees
    return LeafTable(values, scale * mass / index.n_trees)


def leave_one_out_coords(
    index: LeafIndex,
    mass: Floats,
    weights: Floats,
    coords: Coords,
    eigenvalues: ArrayLike,
    *,
    own_weights: Floats,
    by_mass: bool,
    n_jobs: int | None,
) -> Coords:
    """Coordinates of each row from the other rows of its leaves only.

    ``own_weights`` is what each row takes out of its leaves: its weight, or that of
    all its copies. ``by_mass`` says whether a leaf averages its rows (kind "rf") or
    adds them up.
    """
    inverse = _check_inverse(index, coords, eigenvalues)
    sums = leaf_sums(index, coords, weights=weights, n_jobs=n_jobs)
    own = np.ascontiguousarray(own_weights[:, None] * coords)
    out = np.zeros(own.shape)
    degree = np.zeros(index.n_rows)

    def work(block: tuple[int, int]) -> None:
        add_others_from_leaves(
            index.ids.T, sums, mass, own, own_weights, by_mass, *block, out, degree
        )

    run_blocks(work, list(blocks_of(index.n_rows, ROW_BLOCK)), n_jobs=n_jobs)
    return divide_or_zero(out, degree) * inverse
