"""The only place that touches tables: pandas, polars, pyarrow, AnnData and NumPy.

Reading gives each column as floats or as an index into its distinct values; what a
column means is decided elsewhere. Writing takes settled codes and restores the dtype.
"""

import sys
from collections.abc import Callable, Hashable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames._anndata import (
    COORDS,
    build_anndata,
    fill_anndata,
    is_anndata,
    open_anndata,
)
from latentforest.table._frames._arrow import (
    build_arrow_table,
    read_arrow,
    write_arrow,
)
from latentforest.table._frames._decimals import arrow_decimal_type, shape_of
from latentforest.table._frames._numpy import build_array, open_array
from latentforest.table._frames._pandas import (
    build_pandas_frame,
    read_pandas,
    time_cells,
    time_spans,
    write_pandas,
)
from latentforest.table._frames._polars import (
    build_polars_frame,
    read_polars,
    write_polars,
)
from latentforest.table._frames._raw import (
    EXACT,
    LabelColumn,
    NumberColumn,
    RawColumn,
    RawTable,
    TimeColumn,
    as_levels,
    check_distinct,
    inexact,
    plain_levels,
    unsupported,
)
from latentforest.table._frames._records import is_records, open_records
from latentforest.table._frames._times import arrow_time_type, time_column
from latentforest.table._kinds import Storage
from latentforest.table._names import one_nan
from latentforest.table._schema import Container, TableSchema

__all__ = [
    "COORDS",
    "EXACT",
    "LabelColumn",
    "NumberColumn",
    "RawColumn",
    "RawTable",
    "TimeColumn",
    "arrow_type",
    "as_levels",
    "build_table",
    "fill_anndata",
    "index_of",
    "is_anndata",
    "is_dask",
    "open_table",
    "plain_levels",
    "rows_of",
    "shape_of",
    "time_cells",
    "time_column",
    "time_spans",
]

_Reader = Callable[[Hashable, Any], RawColumn | None]
_LIBRARIES: dict[nw.Implementation, tuple[Container, _Reader]] = {
    nw.Implementation.PANDAS: ("pandas", read_pandas),
    nw.Implementation.POLARS: ("polars", read_polars),
    nw.Implementation.PYARROW: ("pyarrow", read_arrow),
}


def open_table(X: Any, names: tuple[Hashable, ...] | None = None) -> RawTable:
    """Check the shape and the names of a table, without reading its cells.

    Parameters
    ----------
    X : table
        A pandas or polars data frame, a pyarrow table, an AnnData, or anything that
        NumPy makes a two-dimensional array of. Where columns are known, also rows as
        dicts.
    names : tuple of hashable or None, default=None
        The columns, where they are known.

    Returns
    -------
    RawTable
        Names, number of rows, and a function that reads one column.
    """
    if is_dask(X):
        message = (
            f"X is a Dask {type(X).__name__}, and this needs a table in memory. "
            "Compute it first: X.compute(). fit, transform, inverse_transform, "
            "reconstruct and score of RFAE take it as it is."
        )
        raise TypeError(message)
    sparse = sys.modules.get("scipy.sparse")  # else nothing can be sparse
    if sparse is not None and sparse.issparse(X):
        message = "X is a sparse matrix, which is not supported. Use X.toarray()."
        raise TypeError(message)
    if names is not None and is_records(X):
        return open_records(X, names)
    if is_anndata(X):
        table = open_anndata(X)
    else:
        table = _open_frame(X) if _is_frame(X) else open_array(X)
    shape = (table.n_rows, table.n_columns)
    for count, what in ((table.n_rows, "sample"), (table.n_columns, "feature")):
        if count == 0:
            message = (
                f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 "
                f"is required."
            )
            raise ValueError(message)
    return table


def _is_frame(X: Any) -> bool:
    if nw.dependencies.is_pandas_dataframe(X):
        return True  # the others are asked slowly
    if nw.dependencies.is_into_series(X):
        message = (
            f"Expected 2D array, got a {type(X).__name__} with one column instead. "
            f"Reshape your data: put the column into a data frame."
        )
        raise ValueError(message)
    if nw.dependencies.is_into_dataframe(X):
        return True
    if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
        message = f"X is a lazy table ({type(X).__name__}). Collect it first."
        raise TypeError(message)
    return False


def _open_frame(X: Any) -> RawTable:
    arrow = nw.dependencies.is_pyarrow_table(X)
    names = tuple(map(one_nan, X.column_names if arrow else X.columns))
    check_distinct(names, "Rename or drop these columns.")
    if nw.dependencies.is_pandas_dataframe(X):
        # Without narwhals, which would take most of the time of a table of one row.
        columns = [series for _, series in X.items()]
        return RawTable(
            "pandas", names, len(X), lambda j: _read_pandas(names[j], columns[j])
        )
    frame = nw.from_native(X, eager_only=True)
    if frame.implementation not in _LIBRARIES:
        message = (
            f"Tables of {frame.implementation} are not supported. "
            f"Convert X with X.to_pandas() or X.to_numpy()."
        )
        raise TypeError(message)
    container, read_native = _LIBRARIES[frame.implementation]
    return RawTable(
        container,
        names,
        len(frame),
        lambda j: _read(names[j], frame[:, j], read_native),
    )


def _read_pandas(name: Hashable, series: Any) -> RawColumn:
    column = read_pandas(name, series)
    if column is not None:
        return column
    return _read(name, nw.from_native(series, series_only=True), lambda *_: None)


def _read(name: Hashable, series: "nw.Series[Any]", read_native: _Reader) -> RawColumn:
    native = series.to_native()
    column = read_native(name, native)
    if column is not None:
        return column
    # Asked last: for the kind of a pandas category, narwhals 2.0 hashes all its levels.
    kind = series.dtype
    dtype = str(native.type if series.implementation.is_pyarrow() else native.dtype)
    storage = _numeric_storage(kind)
    if storage is None:
        raise unsupported(name, dtype)
    numbers = _floats(name, series)
    own = np.float32 if kind == nw.Float32 else np.float64
    return NumberColumn(name, dtype, storage, numbers, float(np.finfo(own).eps))


def _floats(name: Hashable, series: "nw.Series[Any]") -> Floats:
    try:
        return series.cast(nw.Float64).to_numpy().astype(np.float64)
    except ValueError as exc:
        # Only arrow refuses to cast an integer that floats cannot hold.
        raise inexact(name) from exc


def _numeric_storage(kind: nw.dtypes.DType) -> Storage | None:
    if kind == nw.Boolean:
        return Storage.boolean
    if kind.is_integer():
        return Storage.integer
    return Storage.float if kind.is_float() else None


def build_table(schema: TableSchema, codes: Codes, *, index: Any = None) -> Any:
    """Build a table of the schema's library from settled codes."""
    if schema.container == "numpy":
        return build_array(schema.columns, codes)
    if schema.container == "anndata":
        return build_anndata(schema.columns, codes, index)
    pairs = [(spec, codes[:, j]) for j, spec in enumerate(schema.columns)]
    if schema.container == "pandas":
        columns = [write_pandas(spec, column) for spec, column in pairs]
        return build_pandas_frame(schema.names, columns, index)
    if schema.container == "polars":
        return build_polars_frame({str(s.name): write_polars(s, c) for s, c in pairs})
    return build_arrow_table(
        {str(s.name): write_arrow(s, c, s.dtype) for s, c in pairs}
    )


def arrow_type(spec: ColumnSpec) -> Any:
    """Return the arrow type for dates, times and decimals of any library."""
    if spec.storage is Storage.decimal:
        return arrow_decimal_type(spec.dtype)
    return arrow_time_type(spec)


def is_dask(X: Any) -> bool:
    """Whether this is a collection of Dask; asked without loading it."""
    return type(X).__module__.partition(".")[0] in {"dask", "dask_expr"}


def index_of(X: Any) -> Any:
    """Return the row index of a pandas data frame, the names of cells of an AnnData.

    None for every other table.
    """
    if is_anndata(X):
        return X.obs_names
    return X.index if nw.dependencies.is_pandas_dataframe(X) else None


def rows_of(X: Any, rows: NDArray[np.int64]) -> Any:
    """Return the chosen rows of a table of any library."""
    if is_anndata(X):
        return X[rows]
    if nw.dependencies.is_into_dataframe(X):
        return nw.from_native(X, eager_only=True)[rows].to_native()
    return np.asarray(X)[rows] if hasattr(X, "dtype") else [X[i] for i in rows]
