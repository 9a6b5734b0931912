"""polars columns: what narwhals leaves to each library."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from latentforest._base._optional import require
from latentforest._base._types import Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames._decimals import (
    decimal_column,
    shape_of,
    write_decimals,
)
from latentforest.table._frames._raw import (
    LabelColumn,
    NumberColumn,
    RawColumn,
    as_integers,
    numbers_of,
    plain_levels,
)
from latentforest.table._frames._times import read_polars_times, write_polars_times
from latentforest.table._kinds import Storage

_LEXICAL = "Categorical(lexical)"  # a Categorical that is sorted by its names


def read_polars(name: Hashable, series: Any) -> RawColumn | None:
    """Read all but plain numbers; None for these, and for types that have no kind.

    An Enum is a fixed list of names. polars keeps it in the order it was written
    in, and users write them in any order: its kind is category, not ordered. A
    Categorical has no list of its own, so its levels are the values in the column.
    """
    pl = require("polars", extra="polars")
    if series.dtype == pl.Null:
        return NumberColumn(name, "Null", Storage.float, np.full(len(series), np.nan))
    if series.dtype == pl.Enum:
        uniques, dtype, storage = series.dtype.categories, "Enum", Storage.dictionary
    elif series.dtype in (pl.String, pl.Categorical):
        dtype, storage = _text(series.dtype), Storage.text
        series = series.cast(pl.String)
        uniques = series.drop_nulls().unique().sort()
        series = series.cast(pl.Enum(uniques))
    elif series.dtype == pl.Decimal:
        kind = series.dtype
        text = f"Decimal({kind.precision or 38}, {kind.scale})"
        floats = series.cast(pl.Float64).to_numpy().astype(np.float64)
        return decimal_column(name, text, floats, kind.scale)
    else:
        return read_polars_times(name, series)
    index = series.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    levels = plain_levels(name, uniques.to_list())
    return LabelColumn(name, dtype, storage, index, levels)


def _text(dtype: Any) -> str:
    """Name text and categories, in the same words under every version of polars."""
    if dtype == require("polars", extra="polars").String:
        return "String"
    lexical = _can_be_lexical() and dtype.ordering == "lexical"
    return _LEXICAL if lexical else "Categorical"


def _dtype(spec: ColumnSpec) -> Any:
    pl = require("polars", extra="polars")
    if spec.dtype == "Enum":
        return pl.Enum(spec.levels)
    if spec.dtype == _LEXICAL:
        return pl.Categorical("lexical") if _can_be_lexical() else pl.Categorical
    return getattr(pl, spec.dtype)


def _can_be_lexical() -> bool:
    # Since polars 1.32, which brought Categories, all of them are.
    return not hasattr(require("polars", extra="polars"), "Categories")


def write_polars(spec: ColumnSpec, codes: Floats) -> Any:
    """Build a series of the fitted dtype from settled codes."""
    pl = require("polars", extra="polars")
    if spec.dtype == "Null":
        return pl.Series([None] * len(codes), dtype=pl.Null)
    if spec.storage.is_time:
        return write_polars_times(spec, codes)
    if spec.storage is Storage.decimal:
        kind = pl.Decimal(*shape_of(spec.dtype))
        return pl.Series(write_decimals(spec, codes), dtype=kind)
    dtype = _dtype(spec)
    if not spec.storage.is_numeric:
        index = pl.Series(codes).fill_nan(None).cast(pl.UInt32)
        levels = pl.Series([*spec.levels, None], dtype=pl.String)
        return levels.gather(index).cast(dtype)
    numbers = numbers_of(spec, codes)
    if spec.storage is Storage.integer:
        missing = pl.Series(np.isnan(numbers))
        # NumPy has no 128-bit integers; floats do not reach that far.
        bounds = np.dtype(spec.dtype.lower().replace("128", "64"))
        whole = as_integers(np.where(missing, 0.0, numbers), bounds)
        return pl.Series(whole).set(missing, None).cast(dtype)
    return pl.Series(numbers).fill_nan(None).cast(dtype)


def build_polars_frame(columns: dict[str, Any]) -> Any:
    """Join finished columns into a polars data frame."""
    return require("polars", extra="polars").DataFrame(columns)
