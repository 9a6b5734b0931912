"""Two eigensolvers with one signature: dense for small problems, Lanczos else.

Both keep linear algebra to one thread: its number changes the last bits, and, where
eigenvalues lie close together, more than these. They return pairs in rising order, at
least as many as are asked for: all pairs of an eigenvalue, if they know them.

Both see A − 1.5 E Eᵀ instead of A, where the columns of E span the known eigenspace
of eigenvalue 1. That moves the known pairs to −0.5, below all that a map shows, so that
they cannot come back even where eigenvalue 0 is asked for.
"""

import inspect
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from latentforest._base._parallel import one_blas_thread
from latentforest._base._types import Floats
from latentforest.spectral._repeated import first_of_equals

Solver = Callable[
    [LinearOperator, sp.csr_array, int, np.random.Generator], tuple[Floats, Floats]
]

DEFLATION = 1.5
DENSE_ROWS = 400  # up to here a dense solve is faster than Lanczos
DENSE_ROWS_MANY = 2_000  # up to here a dense solve is small when most pairs are wanted
TOLERANCE = 1e-7  # of eigenvalues; vectors then agree with those of 1e-9 to 1e-6
RESTARTS = 300


def choose_solver(n_rows: int, n_vectors: int) -> str:
    """Name the solver for ``n_vectors`` pairs of an operator with ``n_rows`` rows."""
    many = 5 * n_vectors > n_rows
    if n_rows <= DENSE_ROWS or (many and n_rows <= DENSE_ROWS_MANY):
        return "dense"
    return "lanczos"


def solve_dense(
    operator: LinearOperator,
    known: sp.csr_array,
    n_vectors: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Leading pairs from the matrix itself; nothing is drawn from ``rng``."""
    n_rows = operator.shape[0]
    matrix = operator.matmat(np.eye(n_rows)) - DEFLATION * (known @ known.T).toarray()
    matrix = (matrix + matrix.T) / 2
    # Divide and conquer for all pairs: the LAPACK driver that computes a subset
    # breaks down where many eigenvalues coincide, as they do on tiny forests.
    with one_blas_thread:
        values, vectors = eigh(matrix, driver="evd", overwrite_a=True)
    first = first_of_equals(values, n_vectors)
    return values[first:], vectors[:, first:]


def solve_lanczos(
    operator: LinearOperator,
    known: sp.csr_array,
    n_vectors: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Leading pairs from products with single vectors (ARPACK).

    Measured on forests of 500 trees with 5,000 to 45,000 rows, block methods needed
    1.4 to 4 times as many products, which cheaper block products did not give back.
    """
    n_rows = operator.shape[0]

    # The identity is added so that the tolerance, which ARPACK takes relative to
    # the eigenvalue, stays sensible for eigenvalues near 0.
    def shifted(vector: Floats) -> Floats:
        column = vector.reshape(n_rows)
        product: Floats = (
            operator.matvec(column) + column - DEFLATION * (known @ (known.T @ column))
        )
        return product

    start = rng.standard_normal(n_rows)
    start -= known @ (known.T @ start)
    deflated = LinearOperator((n_rows, n_rows), matvec=shifted, dtype=np.float64)
    settings = {"k": n_vectors, "which": "LA", "v0": start, "tol": TOLERANCE}
    if "rng" in inspect.signature(eigsh).parameters:
        settings["rng"] = rng
    with one_blas_thread:
        for basis in (2 * n_vectors + 40, 3 * n_vectors + 100):
            try:
                values, vectors = eigsh(
                    deflated, ncv=min(basis, n_rows), maxiter=RESTARTS, **settings
                )
            except ArpackNoConvergence:
                continue
            return values - 1.0, vectors
    message = (
        f"The eigensolver did not reach tolerance {TOLERANCE} for {n_vectors} "
        f"components of {n_rows} rows. Ask for fewer components, or grow fewer and "
        "larger leaves so that eigenvalues lie further apart."
    )
    raise RuntimeError(message)


SOLVERS: dict[str, Solver] = {"dense": solve_dense, "lanczos": solve_lanczos}
