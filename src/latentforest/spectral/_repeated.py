"""Eigenvalues that repeat: one basis of their space, whatever the solver returned."""

import numpy as np

from latentforest._base._types import Floats

GAP = 1e-11  # eigenvalues no farther apart than this are the same one
# Rows this close to the longest one count as equal to it, as in `ordered_spectrum`.
NEAR_TIE = 1e-8


def first_of_equals(values: Floats, n_vectors: int) -> int:
    """Where the last ``n_vectors`` of rising eigenvalues begin, with their equals."""
    first = len(values) - n_vectors
    while first > 0 and values[first] - values[first - 1] <= GAP:
        first -= 1
    return first


def settle_repeated(values: Floats, vectors: Floats) -> tuple[Floats, Floats]:
    """Turn the vectors of each repeated eigenvalue into a basis of their own.

    Any rotation of them is as good a solution. The projection P on their space is not
    a matter of choice: the first vector is the column of P of the row that lies longest
    in it, the next one follows in the same way from what is left, and so on. Among rows
    that tie, the first one is taken.

    Parameters
    ----------
    values : array of float, shape (n_pairs,)
        From large to small.
    vectors : array of float, shape (n_rows, n_pairs)
        Orthonormal, one per column.

    Returns
    -------
    values : array of float, shape (n_pairs,)
        Those that repeat are equal now.
    vectors : array of float, shape (n_rows, n_pairs)
    """
    values, vectors = values.copy(), vectors.copy()
    edges = np.flatnonzero(np.abs(np.diff(values)) > GAP) + 1
    for begin, end in zip([0, *edges], [*edges, len(values)], strict=True):
        # The space of eigenvalue 0 holds no coordinates.
        if end - begin > 1 and values[begin] > GAP:
            values[begin:end] = values[begin:end].mean()
            vectors[:, begin:end] = _settle(vectors[:, begin:end])
    return values, vectors


def _settle(vectors: Floats) -> Floats:
    left, turned = vectors.copy(), np.empty_like(vectors)
    for column in range(vectors.shape[1]):
        length = np.square(left).sum(axis=1)
        anchor = (length >= (1 - NEAR_TIE) * length.max()).argmax()
        axis = left[anchor] / np.sqrt(length[anchor])
        turned[:, column] = left @ axis
        left -= np.outer(turned[:, column], axis)
    return turned
