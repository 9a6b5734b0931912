"""Python's own dates and times, and those of pandas, in columns of objects."""

import re
from collections.abc import Hashable
from datetime import UTC, date, datetime, time, timedelta
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames._raw import TimeColumn
from latentforest.table._frames._times import counts_of, read_numpy_times, zone_of
from latentforest.table._kinds import Storage
from latentforest.table._ticks import MOST, NAT, UNITS
from latentforest.table._zones import Counts, zone_object

# datetime comes first: Python counts it as a date.
TIME_TYPES: tuple[tuple[Storage, tuple[type, ...]], ...] = (
    (Storage.datetime, (datetime,)),
    (Storage.date, (date,)),
    (Storage.time, (time,)),
    (Storage.duration, (timedelta,)),
)
_PANDAS = re.compile(r"object:\w+:(s|ms|us|ns)")


def read_object_times(
    name: Hashable, values: NDArray[Any], missing: NDArray[np.bool_], storage: Storage
) -> tuple[TimeColumn, str]:
    """Read cells of one storage; also the unit of pandas' own objects, or nothing."""
    present = values[~missing].tolist()
    zones = _zones(name, present, storage)
    if len(zones) > 1:
        shown = ", ".join(sorted(zone or "none" for zone in zones))
        message = (
            f"Column {name!r} mixes time zones: {shown}. Make them one, in pandas "
            f"with pandas.to_datetime(column, utc=True)."
        )
        raise SchemaError(message)
    of_pandas = all(hasattr(kind, "asm8") for kind in set(map(type, present)))
    if of_pandas:
        known = np.array([cell.asm8 for cell in present])
    elif storage is Storage.datetime:
        known = np.array([_in_utc(cell) for cell in present], dtype="M8[us]")
    elif storage is Storage.date:
        known = np.array(present, dtype="M8[D]")
    elif storage is Storage.time:
        known = np.array([_since_midnight(cell) for cell in present], dtype="m8[us]")
    else:
        known = np.array(present, dtype="m8[us]")
    column = read_numpy_times(name, known, zones.pop())
    counts = np.full(len(values), NAT, np.int64)
    counts[~missing] = column.counts
    found = TimeColumn(name, "object", storage, counts, column.unit, column.zone)
    return found, column.unit if of_pandas else ""


def write_object_times(spec: ColumnSpec, codes: Floats) -> NDArray[Any]:
    """Python objects again; missing cells hold any."""
    found = _PANDAS.match(spec.dtype)
    unit = found.group(1) if found else "us"
    codes = np.where(np.isnan(codes), 0.0, codes)
    if spec.storage is Storage.time:
        counts = counts_of(spec, codes, "us")
        return np.array([_time(count) for count in counts.tolist()], dtype=object)
    if spec.storage is Storage.date:
        return _bounded(spec, codes, "D").view("M8[D]").astype(object)
    counts = _bounded(spec, codes, unit)
    if spec.storage is Storage.duration:
        cells = counts.view(f"m8[{unit}]")
        pd = import_module("pandas")
        return np.asarray((pd.TimedeltaIndex(cells) if found else cells).astype(object))
    return _datetimes(spec, counts, unit, of_pandas=found is not None)


def _datetimes(
    spec: ColumnSpec, counts: Counts, unit: str, *, of_pandas: bool
) -> NDArray[Any]:
    assert spec.ticks is not None, "columns of dates and times have ticks"
    index = import_module("pandas").DatetimeIndex(counts.view(f"M8[{unit}]"))
    if spec.ticks.zone:
        zone = zone_object(spec.ticks.zone)
        index = index.tz_localize("UTC").tz_convert(zone)
    return index.astype(object).to_numpy() if of_pandas else index.to_pydatetime()


def _bounded(spec: ColumnSpec, codes: Floats, unit: str) -> Counts:
    """Return counts that Python's objects hold, with a day to spare for zones."""
    assert spec.ticks is not None, "columns of dates and times have ticks"
    day = UNITS["D"] // UNITS[unit]
    spare = day if spec.ticks.zone else 0
    if unit == "ns":
        return spec.ticks.counts(codes, unit, spare - MOST, MOST - spare)
    if spec.storage is Storage.duration:
        most = (timedelta.max // timedelta(microseconds=1)) * 1_000 // UNITS[unit]
        return spec.ticks.counts(codes, unit, -most, most)
    ends = np.array([date.min, date.max], "M8[D]").astype(f"M8[{unit}]").view(np.int64)
    first, last = ends.tolist()
    return spec.ticks.counts(codes, unit, first + spare, last - spare)


def _zones(name: Hashable, cells: list[Any], storage: Storage) -> set[str]:
    if storage not in {Storage.datetime, Storage.time}:
        return {""}
    # Told apart before they are named: most columns have one.
    zones = {id(cell.tzinfo): cell.tzinfo for cell in cells}.values()
    if storage is Storage.time and any(zone is not None for zone in zones):
        message = (
            f"Column {name!r} holds times of day with a time zone, which is not "
            f"supported: without a date they are no instants. Take the zone away."
        )
        raise SchemaError(message)
    return {zone_of(name, zone) for zone in zones}


def _in_utc(cell: datetime) -> datetime:
    return cell if cell.tzinfo is None else cell.astimezone(UTC).replace(tzinfo=None)


def _since_midnight(cell: time) -> timedelta:
    return timedelta(
        hours=cell.hour,
        minutes=cell.minute,
        seconds=cell.second,
        microseconds=cell.microsecond,
    )


def _time(count: int) -> time:
    return (datetime.min + timedelta(microseconds=count)).time()
