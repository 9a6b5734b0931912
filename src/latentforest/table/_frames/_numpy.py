"""Arrays and whatever NumPy can make an array of."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames._objects import read_objects, write_objects
from latentforest.table._frames._raw import (
    LabelColumn,
    NumberColumn,
    RawColumn,
    RawTable,
    as_integers,
    numbers_of,
    plain_levels,
    unsupported,
)
from latentforest.table._frames._times import read_numpy_times, write_numpy_times
from latentforest.table._kinds import Storage

_STORAGES = {"b": Storage.boolean, "i": Storage.integer, "u": Storage.integer}


def open_array(X: Any) -> RawTable:
    """Check that ``X`` is a two-dimensional array of cells we know."""
    _refuse_pieces(X)
    array = _as_array(X)
    if array.dtype.names is not None:
        message = (
            f"The array has named fields ({', '.join(array.dtype.names[:6])}), so its "
            "rows are records. Give a frame: pandas.DataFrame(array)."
        )
        raise TypeError(message)
    if array.ndim != 2:
        message = (
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data "
            f"either using array.reshape(-1, 1) if your data has a single feature or "
            f"array.reshape(1, -1) if it contains a single sample."
        )
        raise ValueError(message)
    if array.dtype.kind == "c":
        message = f"Complex data not supported\nThe table's dtype is {array.dtype}."
        raise ValueError(message)
    names = tuple(f"x{position}" for position in range(array.shape[1]))
    return RawTable(
        "numpy", names, len(array), lambda j: read_array(names[j], array[:, j])
    )


def _refuse_pieces(X: Any) -> None:
    """Refuse what holds tables, or the name of one, instead of being one."""
    if isinstance(X, str | PathLike):
        message = (
            f"X is a path ({str(X)!r}), and this needs a table in memory. Read it: "
            "latentforest.read_table(path). fit, transform, inverse_transform, "
            "reconstruct and score of RFAE take paths."
        )
        raise TypeError(message)
    first = X[0] if isinstance(X, list | tuple) and X else None
    if isinstance(X, Iterator) or callable(X) or hasattr(first, "columns"):
        what = "a list of tables" if first is not None else f"a {type(X).__name__}"
        message = (
            f"X is {what}, and this needs one table. Of a table in pieces give RFAE's "
            "fit or transform a function that returns an iterator over its pieces, "
            "anew each time it is called."
        )
        raise TypeError(message)


def _as_array(X: Any) -> NDArray[Any]:
    if isinstance(X, np.ma.MaskedArray):
        message = "Masked arrays are not supported. Use X.astype(float).filled(np.nan)."
        raise TypeError(message)
    array = np.asarray(X)
    if array.dtype.kind in "US" and not hasattr(X, "dtype"):
        # NumPy turned the numbers of a mixed nested list into text: take them back.
        return np.asarray(X, dtype=object)
    return array


def read_array(name: Hashable, values: NDArray[Any]) -> RawColumn:
    """Read a column of an array of any dtype."""
    kind = values.dtype.kind
    dtype = str(values.dtype)
    if kind == "O":
        column = read_objects(name, values)
        if isinstance(column, LabelColumn) and not column.values:
            numbers = np.full(len(values), np.nan)
            return NumberColumn(name, column.dtype, Storage.float, numbers)
        if column.storage is Storage.integer:
            # As in scikit-learn, numbers in an array of objects are floats.
            return replace(column, storage=Storage.float)
        return column
    if kind == "U":
        uniques, index = np.unique(values, return_inverse=True)
        levels = plain_levels(name, uniques)
        return LabelColumn(name, dtype, Storage.text, index.astype(np.int64), levels)
    if kind in _STORAGES:
        return NumberColumn(name, dtype, _STORAGES[kind], values.astype(np.float64))
    if kind == "f":
        resolution = float(np.finfo(values.dtype).eps)
        numbers = values.astype(np.float64)
        return NumberColumn(name, dtype, Storage.float, numbers, resolution)
    if kind in "mM":
        return read_numpy_times(name, values)
    raise unsupported(name, values.dtype)


def build_array(columns: Sequence[ColumnSpec], codes: Codes) -> NDArray[Any]:
    """One array of the fitted dtype.

    Integers and booleans with missing cells become floats, text with missing cells
    becomes objects: their own dtypes have no room for a missing cell.
    """
    dtype = np.dtype(columns[0].dtype.partition(":")[0])
    missing = bool(np.isnan(codes).any())
    if dtype.kind == "O" or (dtype.kind == "U" and missing):
        return _stack(columns, codes, np.dtype(object))
    if dtype.kind == "U":
        return _stack(columns, codes, dtype)
    if dtype.kind in "mM":
        out = np.empty(codes.shape, dtype)
        for j, column in enumerate(columns):
            out[:, j] = write_numpy_times(column, codes[:, j], dtype)
        return out
    numbers = np.empty(codes.shape)
    for j, column in enumerate(columns):
        numbers[:, j] = numbers_of(column, codes[:, j])
    return _cast(numbers, dtype, missing=missing)


def _stack(
    columns: Sequence[ColumnSpec], codes: Codes, dtype: np.dtype[Any]
) -> NDArray[Any]:
    out = np.empty(codes.shape, dtype=dtype)
    for j, column in enumerate(columns):
        out[:, j] = write_objects(column, codes[:, j])
    return out


def _cast(numbers: Floats, dtype: np.dtype[Any], *, missing: bool) -> NDArray[Any]:
    if dtype.kind == "f":
        return numbers.astype(dtype)
    if missing:
        return numbers
    if dtype.kind == "b":
        return numbers.astype(np.bool_)
    return as_integers(numbers, dtype)
