"""Eigenpairs as one record: sorted, signed and counted here and nowhere else."""

from dataclasses import dataclass

import numpy as np

from latentforest._base._types import Floats

ROUNDING = 1e-6
# Entries this close to the largest one count as equal to it: which of them wins
# must not hang on the last bits.
NEAR_TIE = 1e-8


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """Leading eigenpairs of a symmetric operator with eigenvalues in [0, 1].

    The trivial first pair (eigenvalue 1, the constant function) is not among them.

    Parameters
    ----------
    eigenvalues : array of float, shape (n_components,)
        From large to small.
    vectors : array of float, shape (n_rows, n_components)
        Orthonormal eigenvectors, one per column; the largest entry of each is
        positive.
    n_graph_components : int, default=1
        Pieces of the graph that no walk crosses. Eigenvalue 1 occurs this many
        times, the trivial pair included, so the first ``n_graph_components - 1``
        vectors only tell the pieces apart.
    solver : str, default="given"
        What computed the pairs: "dense", "lanczos", "components" (no solver was
        needed) or "given".
    """

    eigenvalues: Floats
    vectors: Floats
    n_graph_components: int = 1
    solver: str = "given"

    def __post_init__(self) -> None:
        values = np.asarray(self.eigenvalues, dtype=np.float64)
        vectors = np.asarray(self.vectors, dtype=np.float64)
        if values.ndim != 1 or vectors.ndim != 2 or vectors.shape[1] != values.size:
            message = (
                f"eigenvalues has shape {values.shape} and vectors {vectors.shape}. "
                "Give (n_components,) and (n_rows, n_components)."
            )
            raise ValueError(message)
        if not (np.isfinite(values).all() and np.isfinite(vectors).all()):
            message = "The spectrum holds NaN or infinity. Check the operator."
            raise ValueError(message)
        if (np.diff(values) > 0).any():
            message = (
                "The eigenvalues do not fall. Build the record with ordered_spectrum."
            )
            raise ValueError(message)
        object.__setattr__(self, "eigenvalues", values)
        object.__setattr__(self, "vectors", vectors)

    @property
    def n_components(self) -> int:
        """Pairs in the record."""
        return int(self.eigenvalues.size)


def ordered_spectrum(
    values: Floats,
    vectors: Floats,
    *,
    n_graph_components: int = 1,
    solver: str = "given",
) -> Spectrum:
    """Sort eigenpairs from large to small, together, and fix their signs.

    The entry of largest magnitude of each vector becomes positive; among entries
    that tie, the first row decides. Eigenvalues that rounding has pushed above 1 are
    put back; negative ones carry nothing on a map and become 0.

    Parameters
    ----------
    values : array of float, shape (n_components,)
    vectors : array of float, shape (n_rows, n_components)
    n_graph_components : int, default=1
    solver : str, default="given"

    Returns
    -------
    Spectrum
    """
    if values.size and np.abs(values).max() > 1 + ROUNDING:
        message = (
            f"Eigenvalues run from {values.min():.3g} to {values.max():.3g}. Give an "
            "operator normalised to leading eigenvalue 1."
        )
        raise ValueError(message)
    clipped = np.clip(values, 0.0, 1.0)
    order = np.argsort(-clipped, kind="stable")
    clipped, vectors = clipped[order], vectors[:, order]
    size = np.abs(vectors)
    anchor = (size >= (1 - NEAR_TIE) * size.max(axis=0)).argmax(axis=0)
    signs = np.sign(vectors[anchor, np.arange(vectors.shape[1])])
    return Spectrum(clipped, vectors * signs, n_graph_components, solver)
