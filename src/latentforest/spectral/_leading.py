"""Leading eigenpairs after the known ones are set aside."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator

from latentforest._base._checks import check_integer
from latentforest._base._errors import SpectrumWarning
from latentforest._base._parallel import one_blas_thread
from latentforest._base._types import Floats, Ints
from latentforest._base._warn import warn
from latentforest.spectral._pieces import contrast_vectors, piece_vectors
from latentforest.spectral._repeated import settle_repeated
from latentforest.spectral._solvers import SOLVERS, choose_solver
from latentforest.spectral._spectrum import Spectrum, ordered_spectrum


def leading_spectrum(
    operator: LinearOperator,
    n_components: int,
    *,
    constant: ArrayLike,
    labels: ArrayLike | None = None,
    rng: np.random.Generator,
) -> Spectrum:
    """Leading eigenpairs of a symmetric operator, without the trivial one.

    Parameters
    ----------
    operator : LinearOperator, shape (n_rows, n_rows)
        Symmetric, with largest eigenvalue 1. Pairs with negative eigenvalues come
        last, as 0.
    n_components : int
        Pairs to return, at most ``n_rows - 1``.
    constant : array of float, shape (n_rows,)
        The trivial eigenvector of eigenvalue 1, positive everywhere, of any length.
    labels : array of int, shape (n_rows,), default=None
        Piece of each row, 0, 1, … from large to small, if the graph of the operator
        falls into pieces. None means one piece.
    rng : numpy.random.Generator
        Draws the start vector of the iterative solver.

    Returns
    -------
    Spectrum
        With c pieces, the first c − 1 pairs have eigenvalue 1 and tell the pieces
        apart, the largest first.

    Warns
    -----
    SpectrumWarning
        If there are several pieces.
    """
    n_rows = operator.shape[0]
    n_components = check_integer("n_components", n_components, minimum=1)
    if n_components > n_rows - 1:
        message = (
            f"n_components={n_components} is too large: {n_rows} rows give at most "
            f"{n_rows - 1} that are not constant. Ask for fewer, or add rows."
        )
        raise ValueError(message)
    unit = _unit_vector(constant, n_rows)
    pieces = _check_labels(labels, n_rows)
    n_pieces = int(pieces.max()) + 1
    if n_pieces > 1:
        _warn_pieces(n_pieces, n_components)

    n_known = min(n_pieces - 1, n_components)
    values, vectors = np.ones(n_known), contrast_vectors(unit, pieces, n_known)
    solver = "components"
    n_wanted = n_components - n_known
    if n_wanted:
        solver = choose_solver(n_rows, n_wanted)
        known = piece_vectors(unit, pieces)
        more_values, more = SOLVERS[solver](operator, known, n_wanted, rng)
        with one_blas_thread:
            more_values, more = settle_repeated(more_values[::-1], more[:, ::-1])
        values = np.concatenate([values, more_values[:n_wanted]])
        vectors = np.column_stack([vectors, more[:, :n_wanted]])
    return ordered_spectrum(values, vectors, n_graph_components=n_pieces, solver=solver)


def _unit_vector(constant: ArrayLike, n_rows: int) -> Floats:
    vector = np.asarray(constant, dtype=np.float64)
    if vector.shape != (n_rows,) or not (vector > 0).all():
        message = (
            f"constant has shape {vector.shape}. Give one positive number for each "
            f"of the {n_rows} rows."
        )
        raise ValueError(message)
    # The norm of numpy adds up on threads where there are many rows.
    unit: Floats = vector / np.sqrt(np.square(vector).sum())
    return unit


def _check_labels(labels: ArrayLike | None, n_rows: int) -> Ints:
    if labels is None:
        return np.zeros(n_rows, dtype=np.int32)
    pieces = np.asarray(labels)
    if pieces.shape != (n_rows,) or not np.issubdtype(pieces.dtype, np.integer):
        message = (
            f"labels has shape {pieces.shape} and dtype {pieces.dtype}. Give one "
            f"integer for each of the {n_rows} rows."
        )
        raise ValueError(message)
    if pieces.min() < 0 or not np.bincount(pieces).all():
        message = "labels have gaps. Number the pieces 0, 1, … without leaving any out."
        raise ValueError(message)
    return pieces.astype(np.int32)


def _warn_pieces(n_pieces: int, n_components: int) -> None:
    message = (
        f"The forest's graph falls into {n_pieces} components that share no leaf: the "
        f"first {min(n_pieces - 1, n_components)} of {n_components} coordinates only "
        "tell them apart. Grow more trees or larger leaves to join them, or ask for "
        "more components."
    )
    warn(message, SpectrumWarning)
