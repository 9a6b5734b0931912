"""Columns of Python objects: find out what they hold, and build them again."""

from collections.abc import Hashable
from dataclasses import replace
from decimal import Decimal
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import SchemaError
from latentforest._base._types import Bools, Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames._decimals import (
    decimal_column,
    scale_of,
    write_decimals,
)
from latentforest.table._frames._object_times import (
    TIME_TYPES,
    read_object_times,
    write_object_times,
)
from latentforest.table._frames._raw import (
    LabelColumn,
    NumberColumn,
    RawColumn,
    inexact,
    missing_index,
    number_texts,
    numbers_of,
    plain_levels,
    unsupported,
)
from latentforest.table._kinds import Storage

# Types of which some values are missing, and those that are nothing else.
_NOT_A_NUMBER = (float, np.inexact, complex, Decimal, np.datetime64, np.timedelta64)
_NOTHING = {"NoneType": "None", "NaTType": "NaT", "NAType": "NA"}
_STORAGES: tuple[tuple[Storage, tuple[type, ...]], ...] = (
    # bool comes first: Python counts it as an int.
    (Storage.boolean, (bool, np.bool_)),
    (Storage.integer, (int, np.integer)),
    (Storage.float, (float, np.floating)),
    (Storage.decimal, (Decimal,)),
    (Storage.text, (str,)),
    *TIME_TYPES,
)


def read_objects(name: Hashable, values: NDArray[Any]) -> RawColumn:
    """Read a one-dimensional object array; None, NaN, NaT and NA are missing."""
    missing = _missing(values)
    storage = _storage_of(name, values[~missing])
    dtype = f"object:{_missing_text(values[missing])}"
    if storage is Storage.text:
        index, uniques = number_texts(values)
        levels = plain_levels(name, uniques)
        return LabelColumn(name, dtype, storage, index, levels)
    if storage.is_time:
        column, unit = read_object_times(name, values, missing, storage)
        return replace(column, dtype=f"{dtype}:{unit}" if unit else dtype)
    numbers = np.full(len(values), np.nan)
    try:
        numbers[~missing] = values[~missing].astype(np.float64)
    except OverflowError:
        raise inexact(name) from None
    if storage is Storage.decimal:
        scale = scale_of(values[~missing].tolist())
        return decimal_column(name, f"{dtype}:{scale}", numbers, scale)
    return NumberColumn(name, dtype, storage, numbers)


def _missing(values: NDArray[Any]) -> Bools:
    """Which cells are missing; pandas is not needed to know its own objects."""
    cells = values.tolist()
    if not any(map(_can_be_missing, set(map(type, cells)))):
        return np.zeros(len(cells), np.bool_)
    return np.fromiter(map(_is_missing, cells), np.bool_, len(cells))


def _can_be_missing(kind: type) -> bool:
    return issubclass(kind, _NOT_A_NUMBER) or kind.__name__ in _NOTHING


def _is_missing(cell: Any) -> bool:
    if isinstance(cell, Decimal):  # some of which may not be compared
        return cell.is_nan()
    if isinstance(cell, _NOT_A_NUMBER):
        return bool(cell != cell)  # noqa: PLR0124 (NaN and NaT are)
    return type(cell).__name__ in _NOTHING


def _missing_text(absent: NDArray[Any]) -> str:
    """Say which of the objects for missing the column uses, going by the first."""
    kind = type(absent[0]) if len(absent) else type(None)
    return _NOTHING.get(kind.__name__, "nan")


def _missing_value(dtype: str) -> Any:
    pd = import_module("pandas")
    values = {"NA": pd.NA, "NaT": pd.NaT, "nan": np.nan}
    return values.get(f"{dtype}:".split(":")[1])  # other dtypes miss None


def _storage_of(name: Hashable, present: NDArray[Any]) -> Storage:
    types = set(map(type, present.tolist()))
    found = {_storage_of_type(name, kind) for kind in types}
    if not found:
        return Storage.text
    if len(found) == 1:
        return found.pop()
    if found == {Storage.integer, Storage.float}:
        return Storage.float
    message = (
        f"Column {name!r} mixes values of the types "
        f"{', '.join(sorted(kind.__name__ for kind in types))}. "
        f"Make them all numbers, all booleans, all dates or all text."
    )
    raise SchemaError(message)


def _storage_of_type(name: Hashable, kind: type) -> Storage:
    for storage, types in _STORAGES:
        if issubclass(kind, types):
            return storage
    if issubclass(kind, complex | np.complexfloating):
        raise unsupported(name, kind.__name__)
    message = (
        f"Column {name!r} holds values of type {kind.__name__}. Each cell of the table "
        f"argument must be a string, a number, a boolean, a date or missing."
    )
    raise TypeError(message)


def write_objects(spec: ColumnSpec, codes: Floats) -> NDArray[Any]:
    """Python objects again, with the object for missing that the column had."""
    missing = _missing_value(spec.dtype)
    if spec.storage is Storage.text:
        # The index of missing cells is -1: the last one.
        return np.array([*spec.levels, missing], dtype=object)[missing_index(codes)]
    if spec.storage.is_time:
        cells = write_object_times(spec, codes).copy()  # of pandas, read-only
        cells[np.isnan(codes)] = missing
        return cells
    if spec.storage is Storage.decimal:
        found = [missing if x is None else x for x in write_decimals(spec, codes)]
        return np.array(found, dtype=object)
    numbers = numbers_of(spec, codes)
    out = numbers.astype(object)
    present = ~np.isnan(numbers)
    out[~present] = missing
    if spec.storage is Storage.boolean:
        out[present] = numbers[present].astype(np.bool_).astype(object)
    elif spec.storage is Storage.integer:
        out[present] = numbers[present].astype(np.int64).astype(object)
    return out
