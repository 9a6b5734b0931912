"""From eigenpairs to diffusion coordinates."""

import numpy as np
from numpy.typing import ArrayLike

from latentforest._base._checks import check_real
from latentforest._base._errors import SpectrumWarning
from latentforest._base._tolerance import NEGLIGIBLE_EIGENVALUE
from latentforest._base._types import Coords
from latentforest._base._warn import warn
from latentforest.spectral._spectrum import Spectrum


def diffusion_coords(
    spectrum: Spectrum, row_mass: ArrayLike, *, time: float = 1.0
) -> Coords:
    """Place rows so that distances compare random walks: Z = √(Σ p) P^{-1/2} U Λᵗ.

    With all components, the Euclidean distance between two rows is the diffusion
    distance: how different the walks started there look after ``time`` steps.

    Parameters
    ----------
    spectrum : Spectrum
        Eigenpairs U, Λ of the symmetric operator.
    row_mass : array of float, shape (n_rows,)
        p, the weight of each row times its degree; 1 for the unweighted forest
        kernel, where Z = √n U Λᵗ.
    time : float, default=1.0
        Steps of the walk, at least 0. More steps shrink directions with small
        eigenvalues; the order of the coordinates never changes.

    Returns
    -------
    coords : array of float, shape (n_rows, n_components)

    Warns
    -----
    SpectrumWarning
        If eigenvalues are 0 within rounding. Their coordinates carry nothing and
        are set to 0, whatever ``time``.
    """
    steps = check_real("time", time, minimum=0.0)
    if not np.isfinite(steps):
        message = f"time={time} is not finite. Give a finite number of steps."
        raise ValueError(message)
    mass = np.asarray(row_mass, dtype=np.float64)
    n_rows = spectrum.vectors.shape[0]
    if mass.shape != (n_rows,) or not (mass > 0).all():
        message = (
            f"row_mass has shape {mass.shape}. Give one positive number for each of "
            f"the {n_rows} rows."
        )
        raise ValueError(message)
    alive = spectrum.eigenvalues > NEGLIGIBLE_EIGENVALUE
    if not alive.all():
        n_alive = np.count_nonzero(alive)
        fewer = (
            f"Lower the number of components to {n_alive}, or grow"
            if n_alive
            else "Grow"
        )
        message = (
            f"{alive.size - n_alive} of {alive.size} components have eigenvalue 0 and "
            f"carry nothing: their coordinates are 0. {fewer} more trees or smaller "
            "leaves."
        )
        warn(message, SpectrumWarning)
    factors = np.where(alive, spectrum.eigenvalues**steps, 0.0)
    coords: Coords = spectrum.vectors * factors * np.sqrt(mass.sum() / mass)[:, None]
    return coords
