"""Columns of Python objects: find out what they hold, and build them again."""

from collections.abc import Hashable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames._raw import (
    LabelColumn,
    NumberColumn,
    RawColumn,
    is_temporal,
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
    (Storage.text, (str,)),
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
    numbers = np.full(len(values), np.nan)
    numbers[~missing] = values[~missing].astype(np.float64)
    return NumberColumn(name, dtype, storage, numbers)


def _missing_text(absent: NDArray[Any]) -> str:
    """Say which of the objects for missing the column uses, going by the first."""
    if not len(absent) or absent[0] is None:
        return "None"
    return "NA" if absent[0] is import_module("pandas").NA else "nan"


def _missing_value(dtype: str) -> Any:
    if dtype == "object:NA":
        return import_module("pandas").NA
    return np.nan if dtype == "object:nan" else None


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
        f"Make them all numbers, all booleans or all text."
    )
    raise SchemaError(message)


def _storage_of_type(name: Hashable, kind: type) -> Storage:
    for storage, types in _STORAGES:
        if issubclass(kind, types):
            return storage
    if is_temporal(kind):
        raise unsupported(name, kind.__name__, temporal=True)
    if issubclass(kind, complex | np.complexfloating):
        raise unsupported(name, kind.__name__, temporal=False)
    message = (
        f"Column {name!r} holds values of type {kind.__name__}. Each cell of the table "
        f"argument must be a string, a number, a boolean or missing."
    )
    raise TypeError(message)


def write_objects(spec: ColumnSpec, codes: Floats) -> NDArray[Any]:
    """Python objects again, with the object for missing that the column had."""
    missing = _missing_value(spec.dtype)
    if spec.storage is Storage.text:
        # The index of missing cells is -1: the last one.
        return np.array([*spec.levels, missing], dtype=object)[missing_index(codes)]
    numbers = numbers_of(spec, codes)
    out = numbers.astype(object)
    present = ~np.isnan(numbers)
    out[~present] = missing
    if spec.storage is Storage.boolean:
        out[present] = numbers[present].astype(np.bool_).astype(object)
    elif spec.storage is Storage.integer:
        out[present] = numbers[present].astype(np.int64).astype(object)
    return out
