"""From instants to what the clocks of a time zone show, and back."""

import re
from datetime import timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

# What pandas can convert: two days within the years of Python, and of nanoseconds.
_FIRST, _LAST = np.datetime64("0001-01-03"), np.datetime64("9999-12-29")
_LEAST, _MOST = -(2**63) + 1, 2**63 - 1
_NANOSECONDS = 2**63 - 2 * 86_400 * 10**9
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*")
_OFFSET = re.compile(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])")


def to_clock(counts: Counts, unit: str, zone: str) -> Counts:
    """Instants, counted since 1970 in UTC, as a clock of the zone shows them.

    Beyond the years 1 to 9999, the last offset that is known goes on.
    """
    near = _within(counts, unit)
    there = _index(near, unit).tz_localize("UTC").tz_convert(zone_object(zone))
    return _moved(counts, _counts(there.tz_localize(None)) - near)


def to_instants(clock: Counts, unit: str, zone: str) -> Counts:
    """Instants at which the clocks of a zone show these times.

    Of two such instants the first is taken, as when summer time ends; a time that
    clocks leave out, as when it begins, becomes the next one that they show.
    """
    near = _within(clock, unit)
    first = np.ones(len(near), np.bool_)
    there = _index(near, unit).tz_localize(
        zone_object(zone), ambiguous=first, nonexistent="shift_forward"
    )
    return _moved(clock, _counts(there.tz_convert("UTC").tz_localize(None)) - near)


def _moved(counts: Counts, offset: Counts) -> Counts:
    """Add offsets, but not past the ends of 64 bits."""
    least, most = _LEAST - np.minimum(offset, 0), _MOST - np.maximum(offset, 0)
    return np.clip(counts, least, most) + offset


def _within(counts: Counts, unit: str) -> Counts:
    if unit == "ns":
        return np.clip(counts, -_NANOSECONDS, _NANOSECONDS)
    ends = np.array([_FIRST, _LAST]).astype(f"M8[{unit}]").view(np.int64)
    return np.clip(counts, *ends)


def _index(counts: Counts, unit: str) -> Any:
    import pandas as pd  # noqa: PLC0415 (only columns with a zone need it)

    return pd.DatetimeIndex(np.ascontiguousarray(counts).view(f"M8[{unit}]"))


def _counts(index: Any) -> Counts:
    return index.to_numpy().view(np.int64)


def zone_text(zone: tzinfo | str | None) -> str | None:
    """Name or offset of a time zone, empty for none; None if it has neither."""
    if zone is None or isinstance(zone, str):
        text = zone or ""
        return text if text == "" or zone_object(text) is not None else None
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)  # zone: of pytz
    if name:
        return zone_text(str(name))
    offset = zone.utcoffset(None)
    if offset is None or offset.total_seconds() % 60:
        return None
    minutes = int(offset.total_seconds()) // 60
    sign = "-" if minutes < 0 else "+"
    hours, minutes = divmod(abs(minutes), 60)
    return f"{sign}{hours:02d}:{minutes:02d}" if offset else "UTC"


def zone_object(text: str) -> tzinfo | None:
    """Return the time zone of a name or offset; None if there is no such zone."""
    if found := _OFFSET.fullmatch(text):
        sign, hours, minutes = found.groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-offset if sign == "-" else offset)
    if not _NAME.fullmatch(text):
        return None
    try:
        return ZoneInfo(text)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return None
