"""pandas columns: what narwhals leaves to each library."""

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames._arrow import parse_type, read_arrow, write_arrow
from latentforest.table._frames._objects import read_objects, write_objects
from latentforest.table._frames._raw import (
    LabelColumn,
    NumberColumn,
    RawColumn,
    as_integers,
    missing_index,
    number_texts,
    numbers_of,
    plain_levels,
)
from latentforest.table._frames._times import read_pandas_times, write_pandas_times
from latentforest.table._kinds import Storage
from latentforest.table._ticks import UNITS, Ticks

_ARROW = "[pyarrow]"
# pandas' own names do not tell all string dtypes apart, nor the dtype of levels.
_STRING = re.compile(r"StringDtype\((\w+), (NA|nan)\)")
_STORAGES = {"b": Storage.boolean, "i": Storage.integer, "u": Storage.integer}
# Plain dtypes of numbers: how they are kept, what they are called, how fine they are.
_NUMBERS = {
    np.dtype(code): (
        _STORAGES.get(np.dtype(code).kind, Storage.float),
        str(np.dtype(code)),
        float(np.finfo(code if code in "fd" else "d").eps),
    )
    for code in "?bBhHiIlLqQfd"
}
_FEW = 32  # rows that Python numbers faster than pandas
_CATEGORY = re.compile(r"(category|ordered)\((.+)\)")


def read_pandas(name: Hashable, series: Any) -> RawColumn | None:
    """Read all but plain numbers; None for these, and for types that have no kind."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype) and dtype in _NUMBERS:
        storage, text, resolution = _NUMBERS[dtype]
        numbers = series.to_numpy().astype(np.float64)
        return NumberColumn(name, text, storage, numbers, resolution)
    pd = import_module("pandas")
    if isinstance(dtype, pd.ArrowDtype):
        pa = import_module("pyarrow")
        column = read_arrow(name, pa.chunked_array([pa.array(series.array)]))
        return None if column is None else replace(column, dtype=str(dtype))
    if isinstance(dtype, pd.CategoricalDtype):
        order = "ordered" if dtype.ordered else "category"
        return LabelColumn(
            name,
            f"{order}({_text(dtype.categories.dtype)})",
            Storage.dictionary,
            series.cat.codes.to_numpy(dtype=np.int64),
            plain_levels(name, dtype.categories),
            bool(dtype.ordered),
        )
    if isinstance(dtype, pd.StringDtype):
        index, uniques = _factorize(series)
        levels = plain_levels(name, uniques)
        text = _text(dtype)
        return LabelColumn(name, text, Storage.text, index.astype(np.int64), levels)
    if dtype == np.dtype(object):
        return read_objects(name, series.to_numpy())
    return read_pandas_times(name, series) if dtype.kind in "mM" else None


def _factorize(series: Any) -> tuple[NDArray[np.integer], Any]:
    """Give texts numbers in the order in which they come; −1 is missing."""
    if len(series) <= _FEW:
        return number_texts(series.array)
    found: tuple[NDArray[np.integer], Any] = import_module("pandas").factorize(series)
    return found


def _text(dtype: Any) -> str:
    pd = import_module("pandas")
    if isinstance(dtype, pd.StringDtype):
        missing = "NA" if dtype.na_value is pd.NA else "nan"
        return f"StringDtype({dtype.storage}, {missing})"
    return str(dtype)


@cache
def _dtype(text: str) -> Any:
    pd = import_module("pandas")
    if found := _STRING.fullmatch(text):
        storage, missing = found.groups()
        return pd.StringDtype(storage) if missing == "NA" else _nan_string(storage)
    if text.endswith(_ARROW):
        return pd.ArrowDtype(parse_type(text.removesuffix(_ARROW)))
    return pd.api.types.pandas_dtype(text)


def _nan_string(storage: str) -> Any:
    """Return the dtype of text in which NaN is missing, as this pandas has it.

    pandas 2.2 has one, kept by pyarrow, under a name that pandas 3 has dropped. What
    Python keeps is a plain column of objects there.
    """
    pd = import_module("pandas")
    python = storage == "python"
    if "na_value" in signature(pd.StringDtype).parameters:
        return pd.StringDtype("python" if python else "pyarrow", na_value=np.nan)
    return np.dtype(object) if python else pd.StringDtype("pyarrow_numpy")


@lru_cache(maxsize=256)
def _text_levels(levels: tuple[str, ...], dtype: str) -> Any:
    """Return levels as an array; made once, and never changed."""
    return import_module("pandas").array(list(levels), dtype=_dtype(dtype))


def write_pandas(spec: ColumnSpec, codes: Floats) -> Any:
    """Build an array of the fitted dtype from settled codes.

    Plain integers with missing cells become floats, as pandas does; plain booleans
    become nullable booleans.
    """
    pd = import_module("pandas")
    if spec.dtype.endswith(_ARROW):
        cells = write_arrow(spec, codes, spec.dtype.removesuffix(_ARROW))
        return pd.arrays.ArrowExtensionArray(cells)
    if found := _CATEGORY.fullmatch(spec.dtype):
        order, level_dtype = found.groups()
        levels = pd.Index(list(spec.levels), dtype=_dtype(level_dtype))
        dtype = pd.CategoricalDtype(levels, ordered=order == "ordered")
        return pd.Categorical.from_codes(missing_index(codes), dtype=dtype)
    if spec.dtype.startswith("object"):
        # A bare object array would be turned into the str dtype.
        return pd.Series(write_objects(spec, codes), dtype=object)
    if spec.storage.is_time:
        return write_pandas_times(spec, codes)
    dtype = _dtype(spec.dtype)
    if spec.storage is Storage.text:
        # One copy of each level, then indices: no Python object per row.
        levels = _text_levels(spec.levels, spec.dtype)
        return levels.take(missing_index(codes), allow_fill=True)
    numbers = numbers_of(spec, codes)
    missing = np.isnan(numbers)
    nullable = not isinstance(dtype, np.dtype)
    if spec.storage is Storage.float and not nullable:
        return numbers.astype(dtype)
    if not nullable and missing.any():
        if spec.storage is Storage.integer:
            return numbers
        dtype, nullable = pd.BooleanDtype(), True
    cells = _cells(spec, np.where(missing, 0.0, numbers), dtype)
    return dtype.construct_array_type()(cells, missing) if nullable else cells


def time_cells(spec: ColumnSpec, codes: Floats) -> Any:
    """Dates and times as pandas has them, whatever library they came from."""
    assert spec.ticks is not None, "columns of dates and times have ticks"
    unit = "ns" if spec.ticks.unit == "ns" else "us"
    zone = f", {spec.ticks.zone}" if spec.ticks.zone else ""
    dtype = {
        Storage.time: "object:None",
        Storage.duration: f"timedelta64[{unit}]",
    }.get(spec.storage, f"datetime64[{unit}{zone}]")
    return write_pandas(replace(spec, dtype=dtype), codes)


def time_spans(spec: ColumnSpec, lengths: Floats) -> Any:
    """Return lengths of time, in ticks and parts of them, as pandas has them."""
    assert spec.ticks is not None, "columns of dates and times have ticks"
    unit = "ns" if spec.ticks.unit == "ns" else "us"
    fine = Ticks(unit)
    whole = fine.counts(lengths * (UNITS[spec.ticks.unit] / UNITS[unit]), unit)
    return whole.view(f"m8[{unit}]")


def _cells(spec: ColumnSpec, numbers: Floats, dtype: Any) -> Any:
    plain = dtype if isinstance(dtype, np.dtype) else dtype.numpy_dtype
    if spec.storage is Storage.boolean:
        return numbers != 0
    if spec.storage is Storage.integer:
        return as_integers(numbers, plain)
    return numbers.astype(plain)


def build_pandas_frame(
    names: Sequence[Hashable], columns: Sequence[Any], index: Any
) -> Any:
    """Join finished columns into a pandas data frame."""
    pd = import_module("pandas")
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.columns = pd.Index(list(names))
    if index is not None:
        frame.index = index
    return frame
