"""The part of the spectrum that is known: eigenvalue 1 on a graph in pieces."""

import numpy as np
import scipy.sparse as sp

from latentforest._base._types import Floats, Ints


def piece_vectors(constant: Floats, labels: Ints) -> sp.csr_array:
    """Return unit vectors that follow ``constant`` on one piece and are 0 elsewhere.

    Column p belongs to piece p. They span the whole eigenspace of eigenvalue 1.
    """
    masses = np.bincount(labels, weights=constant**2)
    entries = constant / np.sqrt(masses)[labels]
    rows = np.arange(constant.size)
    return sp.csr_array((entries, (rows, labels)), shape=(constant.size, masses.size))


def contrast_vectors(constant: Floats, labels: Ints, n_vectors: int) -> Floats:
    """Orthonormal vectors of eigenvalue 1, all orthogonal to ``constant``.

    Vector p tells piece p (positive) from all later pieces (negative) and is 0 on
    the earlier ones, so with pieces numbered by size the largest comes first.

    Parameters
    ----------
    constant : array of float, shape (n_rows,)
        The known leading eigenvector, of unit length and without zeros.
    labels : array of int, shape (n_rows,)
        Piece of each row, numbered 0, 1, … without gaps.
    n_vectors : int
        How many to return, at most the number of pieces minus one.

    Returns
    -------
    array of float, shape (n_rows, n_vectors)
    """
    masses = np.bincount(labels, weights=constant**2)
    vectors = np.zeros((constant.size, n_vectors))
    for piece in range(n_vectors):
        here, later = masses[piece], masses[piece + 1 :].sum()
        total = here + later
        inside, beyond = labels == piece, labels > piece
        vectors[inside, piece] = np.sqrt(later / (here * total)) * constant[inside]
        vectors[beyond, piece] = -np.sqrt(here / (later * total)) * constant[beyond]
    return vectors
