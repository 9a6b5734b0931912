"""The diffusion map of a kernel: coordinates of its rows."""

from copy import copy
from dataclasses import replace
from typing import Any, Protocol, Self

import numpy as np
from scipy.sparse.linalg import LinearOperator
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from latentforest._base._checks import check_integer
from latentforest._base._random import RandomState, stage_rngs
from latentforest._base._types import Floats, Ints
from latentforest.spectral._diffusion import diffusion_coords
from latentforest.spectral._leading import leading_spectrum


class MappableKernel(Protocol):
    """What the map needs of a kernel."""

    @property
    def row_mass(self) -> Floats:
        """Weight of each row in the long run of the random walk."""

    def as_linear_operator(self) -> LinearOperator:
        """Return a symmetric operator with largest eigenvalue 1."""

    def components(self) -> Ints:
        """Label the connected component of each row."""


class DiffusionMap(BaseEstimator):
    """Coordinates in which distance is diffusion distance, Z = √n V Λᵗ.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates, d_Z in the paper.
    time : float, default=1.0
        Steps of the random walk, t in the paper. More steps shrink directions with
        small eigenvalues; the order of the coordinates never changes.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the solver's start vector.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_rows, n_components)
        Coordinates of the rows that define the kernel.
    spectrum_ : Spectrum
        Eigenvalues and eigenvectors, without the constant one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import DiffusionMap, ForestKernel
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> kernel = ForestKernel("completely_random", random_state=0).fit(X)
    >>> DiffusionMap(2, random_state=0).fit(kernel.leaf_kernel_).embedding_.shape
    (150, 2)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        time: float = 1.0,
        random_state: RandomState = None,
    ) -> None:
        self.n_components = n_components
        self.time = time
        self.random_state = random_state

    def fit(self, kernel: MappableKernel, y: Any = None) -> Self:
        """Find the leading eigenvectors of a kernel.

        Parameters
        ----------
        kernel : LeafKernel
            Such as ``ForestKernel(…).fit(X).leaf_kernel_``.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        mass = kernel.row_mass
        self.spectrum_ = leading_spectrum(
            kernel.as_linear_operator(),
            self.n_components,
            constant=np.sqrt(mass),
            labels=kernel.components(),
            rng=stage_rngs(self.random_state, "spectral")["spectral"],
        )
        self.embedding_ = diffusion_coords(self.spectrum_, mass, time=self.time)
        return self

    def truncate(self, n_components: int) -> Self:
        """Return the same map with the first coordinates only.

        Parameters
        ----------
        n_components : int
            Number of coordinates to keep, at most as many as were fitted.

        Returns
        -------
        DiffusionMap
        """
        check_is_fitted(self, "spectrum_")
        check_fewer(n_components, self.spectrum_.n_components)
        small = copy(self)
        small.n_components = n_components
        small.spectrum_ = replace(
            self.spectrum_,
            eigenvalues=self.spectrum_.eigenvalues[:n_components],
            vectors=self.spectrum_.vectors[:, :n_components],
        )
        small.embedding_ = self.embedding_[:, :n_components]
        return small


def check_fewer(n_components: int, n_fitted: int) -> None:
    """Refuse to keep more coordinates than were fitted."""
    check_integer("n_components", n_components, minimum=1)
    if n_components > n_fitted:
        message = (
            f"n_components={n_components} is more than the {n_fitted} that were "
            "fitted. Fit again with more."
        )
        raise ValueError(message)
