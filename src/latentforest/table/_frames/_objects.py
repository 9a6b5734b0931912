"""Columns of Python objects: find out what they hold, and build them again."""

from collections.abc import Hashable
from dataclasses import replace
from decimal import Decimal
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
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
    missing_index,
    numbers_of,
    plain_levels,
    unsupported,
)
from latentforest.table._kinds import Storage

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
    pd = import_module("pandas")
    missing = pd.isna(values)
    storage = _storage_of(name, values[~missing])
    dtype = f"object:{_missing_text(values[missing])}"
    if storage is Storage.text:
        index, uniques = pd.factorize(values)
        levels = plain_levels(name, uniques)
        return LabelColumn(name, dtype, storage, index.astype(np.int64), levels)
    if storage.is_time:
        column, unit = read_object_times(name, values, missing, storage)
        return replace(column, dtype=f"{dtype}:{unit}" if unit else dtype)
    numbers = np.full(len(values), np.nan)
    numbers[~missing] = values[~missing].astype(np.float64)
    if storage is Storage.decimal:
        scale = scale_of(values[~missing].tolist())
        return decimal_column(name, f"{dtype}:{scale}", numbers, scale)
    return NumberColumn(name, dtype, storage, numbers)


def _missing_text(absent: NDArray[Any]) -> str:
    """Say which of the objects for missing the column uses, going by the first."""
    if not len(absent) or absent[0] is None:
        return "None"
    pd = import_module("pandas")
    if absent[0] is pd.NaT:
        return "NaT"
    return "NA" if absent[0] is pd.NA else "nan"


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
