"""Dates and times of each library: cells that count a unit, and back."""

import re
from collections.abc import Hashable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import SchemaError
from latentforest._base._optional import require
from latentforest._base._types import Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames._raw import TimeColumn, unsupported
from latentforest.table._kinds import Storage
from latentforest.table._ticks import MOST, NAT, UNITS
from latentforest.table._zones import Counts, zone_text

# The unit in which cells of each unit of NumPy are counted.
_COUNTED = {"Y": "D", "M": "D", "W": "D", "D": "D", "h": "s", "m": "s", "s": "s"}
_COUNTED |= {"ms": "ms", "us": "us", "ns": "ns", "ps": "ns", "fs": "ns", "as": "ns"}
_DAY_MS = 86_400_000
# Where a dtype names its unit: datetime64[ms], Datetime(us, UTC), object:NaT:ns.
_UNIT = re.compile(r"(?:[\[(]|object:\w+:)([YMWDhmsupfan]s?)\b")
_POLARS = re.compile(r"(Datetime|Duration)\((ms|us|ns)(?:, (.+))?\)")


def zone_of(name: Hashable, zone: Any) -> str:
    """Text of the time zone of a column, or an error for zones without a name."""
    text = zone_text(zone)
    if text is None:
        message = (
            f"Column {name!r} has the time zone {zone}, which cannot be kept. Convert "
            f"it to a zone with a name, such as 'Europe/Berlin' or 'UTC'."
        )
        raise SchemaError(message)
    return text


def counts_of(spec: ColumnSpec, codes: Floats, unit: str, bits: int = 64) -> Counts:
    """Cells that count a unit since 1970 in UTC, within what their dtype holds."""
    assert spec.ticks is not None, "columns of dates and times have ticks"
    highest = MOST >> (64 - bits)
    if spec.storage is Storage.time:
        return spec.ticks.counts(codes, unit, 0, UNITS["D"] // UNITS[unit] - 1)
    return spec.ticks.counts(codes, unit, -highest, highest)


def read_numpy_times(
    name: Hashable, values: NDArray[Any], zone: str = ""
) -> TimeColumn:
    """Read an array of datetime64, in UTC if it has a zone, or timedelta64."""
    letter, dtype = values.dtype.kind, str(values.dtype)
    unit = _COUNTED.get(np.datetime_data(values.dtype)[0])
    storage = Storage.datetime if letter == "M" else Storage.duration
    if unit is None or (letter == "m" and dtype[12:13] in {"Y", "M"}):
        raise unsupported(name, dtype)
    counts = values.astype(f"{letter}8[{unit}]").view(np.int64)
    return TimeColumn(name, dtype, storage, counts, unit, zone)


def write_numpy_times(spec: ColumnSpec, codes: Floats, dtype: np.dtype[Any]) -> Any:
    """Build an array of datetime64 or timedelta64 from settled codes."""
    unit = _COUNTED[np.datetime_data(dtype)[0]]
    counts = counts_of(spec, codes, unit)
    return counts.view(f"{dtype.kind}8[{unit}]").astype(dtype)


def read_pandas_times(name: Hashable, series: Any) -> TimeColumn:
    """Read a series of pandas' own dates, with or without a zone, or durations."""
    zone = getattr(series.dtype, "tz", None)
    if zone is None:
        return read_numpy_times(name, series.to_numpy())
    text = zone_of(name, zone)
    cells = series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
    column = read_numpy_times(name, cells, text)
    dtype = f"datetime64[{column.unit}, {text}]"
    return TimeColumn(name, dtype, Storage.datetime, column.counts, column.unit, text)


def write_pandas_times(spec: ColumnSpec, codes: Floats) -> Any:
    """Build an array or a series of pandas' own dtypes from settled codes."""
    pd = import_module("pandas")
    kind, _, rest = spec.dtype.partition("[")
    unit, _, zone = rest.removesuffix("]").partition(", ")
    if not zone:
        return write_numpy_times(spec, codes, np.dtype(spec.dtype))
    cells = pd.Series(write_numpy_times(spec, codes, np.dtype(f"{kind}[{unit}]")))
    # By name: pandas 2 and 3 have classes of their own for it.
    return cells.dt.tz_localize("UTC").dt.tz_convert(zone)


def read_arrow_times(name: Hashable, values: Any) -> TimeColumn | None:
    """Read arrow timestamps, dates, times and durations; None for other types."""
    pa = require("pyarrow", extra="pyarrow")
    kind, zone = values.type, ""
    if pa.types.is_timestamp(kind):
        storage, unit, zone = Storage.datetime, kind.unit, zone_of(name, kind.tz)
    elif pa.types.is_date(kind):
        storage, unit = Storage.date, "D"
    elif pa.types.is_time(kind):
        storage, unit = Storage.time, kind.unit
    elif pa.types.is_duration(kind):
        storage, unit = Storage.duration, kind.unit
    else:
        return None
    width = pa.int32() if kind.bit_width == 32 else pa.int64()
    whole = values.cast(width).cast(pa.int64())
    counts = whole.fill_null(NAT).to_numpy().copy()
    if pa.types.is_date64(kind):
        known = counts != NAT
        counts[known] //= _DAY_MS
    return TimeColumn(name, str(kind), storage, counts, unit, zone)


def write_arrow_times(spec: ColumnSpec, codes: Floats, kind: Any) -> Any:
    """Build an arrow array of dates or times from settled codes."""
    pa = require("pyarrow", extra="pyarrow")
    units = {pa.date32(): "D", pa.date64(): "ms"}
    unit = units.get(kind) or kind.unit
    counts = counts_of(spec, codes, unit, kind.bit_width)
    missing = counts == NAT
    short = kind.bit_width == 32
    counts = np.where(missing, 0, counts).astype(np.int32 if short else np.int64)
    return pa.array(counts, mask=missing).cast(kind)


def read_polars_times(name: Hashable, series: Any) -> TimeColumn | None:
    """Read polars dates, times and durations; None for other types."""
    pl = require("polars", extra="polars")
    kind, zone = series.dtype, ""
    if kind == pl.Datetime:
        storage, unit, zone = Storage.datetime, kind.time_unit, kind.time_zone or ""
        zone = zone_of(name, zone)
        dtype = f"Datetime({unit}, {zone})" if zone else f"Datetime({unit})"
    elif kind == pl.Duration:
        storage, unit = Storage.duration, kind.time_unit
        dtype = f"Duration({unit})"
    elif kind == pl.Date:
        storage, unit, dtype = Storage.date, "D", "Date"
    elif kind == pl.Time:
        storage, unit, dtype = Storage.time, "ns", "Time"
    else:
        return None
    counts = series.to_physical().cast(pl.Int64).fill_null(NAT).to_numpy()
    return TimeColumn(name, dtype, storage, counts, unit, zone)


def write_polars_times(spec: ColumnSpec, codes: Floats) -> Any:
    """Build a series of dates or times from settled codes."""
    pl = require("polars", extra="polars")
    found = _POLARS.fullmatch(spec.dtype)
    if found is None:
        date = spec.dtype == "Date"
        kind = pl.Date if date else pl.Time
        counts = counts_of(spec, codes, *(("D", 32) if date else ("ns", 64)))
    else:
        name, unit, zone = found.groups()
        counts = counts_of(spec, codes, unit)
        kind = pl.Datetime(unit, zone) if name == "Datetime" else pl.Duration(unit)
    cells = pl.Series(counts).set(pl.Series(counts == NAT), None)
    return cells.cast(pl.Int32).cast(kind) if kind == pl.Date else cells.cast(kind)


def arrow_time_type(spec: ColumnSpec) -> Any:
    """Return the arrow type that holds dates and times of any library."""
    pa = require("pyarrow", extra="pyarrow")
    assert spec.ticks is not None, "columns of dates and times have ticks"
    if spec.storage is Storage.date:
        return pa.date64() if spec.dtype.startswith("date64") else pa.date32()
    found = _UNIT.search(spec.dtype)
    unit = found.group(1) if found else "ns" if spec.dtype == "Time" else "us"
    unit = unit if unit in {"ms", "us", "ns"} else "s"
    if spec.storage is Storage.datetime:
        return pa.timestamp(unit, spec.ticks.zone or None)
    if spec.storage is Storage.duration:
        return pa.duration(unit)
    return pa.time32(unit) if unit in {"s", "ms"} else pa.time64(unit)


def time_column(spec: ColumnSpec, codes: Floats) -> TimeColumn:
    """Return codes as the column that they stand for."""
    assert spec.ticks is not None, "columns of dates and times have ticks"
    unit = "ns" if spec.ticks.unit == "ns" else "us"
    counts = counts_of(spec, codes, unit)
    return TimeColumn(
        spec.name, spec.dtype, spec.storage, counts, unit, spec.ticks.zone
    )
