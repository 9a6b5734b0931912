"""pyarrow tables, and the arrow columns inside pandas."""

import re
from collections.abc import Hashable
from typing import Any

import numpy as np

from latentforest._base._optional import require
from latentforest._base._types import Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames._decimals import (
    arrow_decimal_type,
    decimal_column,
    write_decimals,
)
from latentforest.table._frames._raw import (
    LabelColumn,
    NumberColumn,
    RawColumn,
    as_integers,
    missing_index,
    numbers_of,
    plain_levels,
)
from latentforest.table._frames._times import read_arrow_times, write_arrow_times
from latentforest.table._kinds import Storage

_TIMESTAMP = re.compile(r"timestamp\[(\w+), tz=(.+)\]")
_DICTIONARY = re.compile(r"dictionary<values=(.+), indices=(.+), ordered=([01])>")


def read_arrow(name: Hashable, values: Any) -> RawColumn | None:
    """Read all but plain numbers; None for these, and for types that have no kind."""
    pa = require("pyarrow", extra="pyarrow")
    kind = values.type
    dtype = str(kind)
    if pa.types.is_null(kind):
        return NumberColumn(name, dtype, Storage.float, np.full(len(values), np.nan))
    if pa.types.is_dictionary(kind):
        array = values.combine_chunks()  # one numbering of levels for all chunks
        storage = Storage.dictionary
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        array = values.combine_chunks().dictionary_encode()
        storage = Storage.text
    elif pa.types.is_decimal(kind):
        floats = values.cast(pa.float64()).to_numpy().astype(np.float64)
        return decimal_column(name, dtype, floats, kind.scale)
    else:
        return read_arrow_times(name, values)
    index = array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    values_list = array.dictionary.to_pylist()
    if None in values_list:
        # A level may itself be null: a missing cell by another way.
        kept = [v for v in values_list if v is not None]
        moved = [-1 if v is None else kept.index(v) for v in values_list]
        index, values_list = np.array([*moved, -1])[index], kept
    levels = plain_levels(name, values_list)
    ordered = storage is Storage.dictionary and bool(kind.ordered)
    return LabelColumn(name, dtype, storage, index.astype(np.int64), levels, ordered)


def parse_type(text: str) -> Any:
    """Turn the text of an arrow type back into the type."""
    pa = require("pyarrow", extra="pyarrow")
    if found := _DICTIONARY.fullmatch(text):
        values, indices, ordered = found.groups()
        return pa.dictionary(
            pa.type_for_alias(indices), pa.type_for_alias(values), ordered == "1"
        )
    if text.startswith("decimal"):
        return arrow_decimal_type(text)
    if found := _TIMESTAMP.fullmatch(text):
        return pa.timestamp(*found.groups())
    return pa.type_for_alias(text)


def write_arrow(spec: ColumnSpec, codes: Floats, dtype: str) -> Any:
    """Build an arrow array of the given type from settled codes."""
    pa = require("pyarrow", extra="pyarrow")
    kind = parse_type(dtype)
    missing = np.isnan(codes)
    if pa.types.is_null(kind):
        return pa.nulls(len(codes))
    if spec.storage.is_time:
        return write_arrow_times(spec, codes, kind)
    if spec.storage is Storage.decimal:
        return pa.array(write_decimals(spec, codes), type=kind)
    if spec.storage.is_numeric:
        numbers = np.where(missing, 0.0, numbers_of(spec, codes))
        if spec.storage is Storage.boolean:
            return pa.array(numbers != 0, mask=missing, type=kind)
        if spec.storage is Storage.integer:
            whole = as_integers(numbers, np.dtype(kind.to_pandas_dtype()))
            return pa.array(whole, mask=missing, type=kind)
        cells = numbers.astype(kind.to_pandas_dtype())
        return pa.array(cells, mask=missing, type=kind)
    dictionary = spec.storage is Storage.dictionary
    indices = pa.array(missing_index(codes), mask=missing)
    levels = pa.array(spec.levels, type=kind.value_type if dictionary else kind)
    if not dictionary:
        return levels.take(indices)
    return pa.DictionaryArray.from_arrays(
        indices.cast(kind.index_type), levels, ordered=kind.ordered
    )


def build_arrow_table(columns: dict[str, Any]) -> Any:
    """Join finished columns into a pyarrow table."""
    return require("pyarrow", extra="pyarrow").table(columns)
