"""AnnData: cells in rows, genes in columns; recognised without loading the package."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._optional import require
from latentforest._base._types import Bools, Codes
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames._numpy import build_array, read_array
from latentforest.table._frames._raw import RawTable, check_distinct

COORDS = "X_rfae"  # where an AnnData keeps coordinates
_NAME = ("anndata", "AnnData")


def is_anndata(X: Any) -> bool:
    """Whether this is an AnnData; asked without loading the package."""
    return any(
        (kind.__module__.partition(".")[0], kind.__name__) == _NAME
        for kind in type(X).__mro__
    )


def open_anndata(X: Any) -> RawTable:
    """Take the matrix ``X`` for a table, dense or sparse, with the names of ``var``."""
    names = tuple(map(str, X.var_names))
    check_distinct(names, "Call adata.var_names_make_unique() first.")
    matrix = X.X
    if matrix is None or X.isbacked or not hasattr(matrix, "dtype"):
        found = "on disk" if X.isbacked else "missing"
        message = (
            f"The matrix X of the AnnData is {found}, and this needs one in memory. "
            "Call adata.to_memory(), or set adata.X."
        )
        raise TypeError(message)
    column = _columns(matrix)
    return RawTable(
        "anndata", names, X.n_obs, lambda j: read_array(names[j], column(j))
    )


def _columns(matrix: Any) -> Any:
    """Return what gives one column of a matrix; a sparse one is never dense as a whole.

    Cells that a sparse matrix does not hold are 0.
    """
    if not hasattr(matrix, "tocsc"):
        array = np.asarray(matrix)
        return lambda j: array[:, j]
    by_column = matrix.tocsc(copy=True)
    by_column.sum_duplicates()

    def column(j: int) -> NDArray[Any]:
        start, end = by_column.indptr[j : j + 2]
        cells = np.zeros(by_column.shape[0], by_column.dtype)
        cells[by_column.indices[start:end]] = by_column.data[start:end]
        return cells

    return column


def build_anndata(columns: Sequence[ColumnSpec], codes: Codes, index: Any) -> Any:
    """Build an AnnData with a dense matrix, and ``index`` as names of observations."""
    anndata = require("anndata", extra="omics")
    import pandas as pd  # noqa: PLC0415 (anndata has loaded it)

    rows = range(len(codes)) if index is None else index
    obs = pd.DataFrame(index=pd.Index([str(name) for name in rows], dtype=object))
    names = pd.Index([str(spec.name) for spec in columns], dtype=object)
    return anndata.AnnData(
        build_array(columns, codes), obs=obs, var=pd.DataFrame(index=names)
    )


def fill_anndata(X: Any, filled: Any, missing: Bools, places: list[int]) -> Any:
    """Return a copy of an AnnData whose missing cells are filled."""
    out = X.copy()
    sparse = hasattr(X.X, "toarray")
    cells = X.X.toarray() if sparse else np.array(X.X)
    cells[:, places] = np.where(missing, filled.X, cells[:, places])
    out.X = type(X.X)(cells) if sparse else cells
    return out
