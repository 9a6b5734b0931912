"""Kernel rows from coordinates: what the encoder has kept of K₀."""

import numpy as np

from latentforest._base._parallel import one_blas_thread
from latentforest._base._types import Coords, Floats
from latentforest.decode._context import KernelEigenpairs
from latentforest.decode._leaves._kernel_rows_loops import add_up
from latentforest.neighbours import LARGEST


def kernel_weights(spectrum: KernelEigenpairs) -> Floats:
    """Return Λ Z†, with which K̂₀ = 1/n + Z₀ Λ Z†.

    The columns of Z leave out the constant eigenvector, whose part of K is 1/n. They
    are scaled before the pseudo-inverse is taken, so that a component with a small
    eigenvalue counts, however many steps the walk has made; one that is 0 gets 0.

    Parameters
    ----------
    spectrum : KernelEigenpairs
        Coordinates and eigenvalues of the rows that define the kernel.

    Returns
    -------
    ndarray of shape (n_components, n_kernel_rows)
    """
    size = np.abs(spectrum.coords).max(axis=0)
    size[size == 0] = 1.0
    with one_blas_thread:
        inverse = np.linalg.pinv(spectrum.coords / size)
    weights: Floats = inverse * (spectrum.eigenvalues / size)[:, None]
    return np.ascontiguousarray(weights)


def estimate_kernel_rows(coords: Coords, weights: Floats) -> Floats:
    """Return K̂₀ = 1/n + Z₀ Λ Z†, one row per row of coordinates.

    An entry may be below 0 where the encoder has dropped components. To be called
    with blocks of rows. A matrix product would be no faster for few components, and
    its rounding would depend on the other rows.
    """
    if not (np.abs(coords) < LARGEST).all():  # NaN compares false
        message = (
            "coordinates are too large or not a number: no kernel row can be estimated "
            f"from them. Give finite coordinates below {LARGEST}."
        )
        raise ValueError(message)
    if coords.shape[1:] != weights.shape[:1]:
        message = (
            f"coordinates have shape {coords.shape}, but the spectrum has "
            f"{len(weights)} components. Give (n_rows, {len(weights)})."
        )
        raise ValueError(message)
    rows = np.empty((len(coords), weights.shape[1]))
    add_up(np.ascontiguousarray(coords, np.float64), weights, rows)
    return rows
