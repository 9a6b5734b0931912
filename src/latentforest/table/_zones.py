"""From instants to what the clocks of a time zone show, and back."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

# What can be converted: two days within the years of Python, and of nanoseconds.
_FIRST, _LAST = np.datetime64("0001-01-03"), np.datetime64("9999-12-29")
_LEAST, _MOST = -(2**63) + 1, 2**63 - 1
_NANOSECONDS = 2**63 - 2 * 86_400 * 10**9
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_EPOCH = datetime(1970, 1, 1)
_CELL = 6 * 3_600  # seconds in which no zone changes its offset twice
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*")
_OFFSET = re.compile(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])")


def to_clock(counts: Counts, unit: str, zone: str) -> Counts:
    """Instants, counted since 1970 in UTC, as a clock of the zone shows them.

    Beyond the years 1 to 9999, the last offset that is known goes on.
    """
    where = _zone(zone)

    def offset(second: int) -> tuple[int]:
        there = (_EPOCH + timedelta(seconds=second)).replace(tzinfo=UTC)
        return (_seconds(there.astimezone(where).utcoffset()),)

    each = _PER_SECOND[unit]
    found = _by_cell(_within(counts, unit) // each, where, offset)
    return _moved(counts, found[:, 0] * each)


def to_instants(clock: Counts, unit: str, zone: str) -> Counts:
    """Instants at which the clocks of a zone show these times.

    Of two such instants the first is taken, as when summer time ends; a time that
    clocks leave out, as when it begins, becomes the next one that they show.
    """
    where = _zone(zone)

    def offsets(second: int) -> tuple[int, int]:
        """Offsets before and after a change near this time, if there is one."""
        shown = (_EPOCH + timedelta(seconds=second)).replace(tzinfo=where)
        return (
            _seconds(shown.utcoffset()),
            _seconds(shown.replace(fold=1).utcoffset()),
        )

    each = _PER_SECOND[unit]
    near = _within(clock, unit)
    seconds = near // each
    before, after = _by_cell(seconds, where, offsets).T
    out = near - before * each
    for i in np.flatnonzero(before < after):
        change = _change(where, int(seconds[i] - after[i]), int(seconds[i] - before[i]))
        out[i] = change * each
    return _moved(clock, out - near)


def _by_cell(
    seconds: Counts, where: tzinfo, offsets: Callable[[int], tuple[int, ...]]
) -> Counts:
    """Ask for offsets at many times; where all of a cell agree, at its ends only."""
    fixed, width = where.utcoffset(None), len(offsets(0))
    if fixed is not None:
        return np.full((len(seconds), width), _seconds(fixed))
    cells, cell_of = np.unique(seconds // _CELL, return_inverse=True)
    ends = np.unique(np.append(cells, cells + 1))
    at_ends = np.array([offsets(end * _CELL) for end in ends.tolist()], np.int64)
    at_ends = at_ends.reshape(-1, width)
    first = at_ends[np.searchsorted(ends, cells)]
    last = at_ends[np.searchsorted(ends, cells + 1)]
    found: Counts = first[cell_of]
    changes = ((first != last) | (first != first[:, :1])).any(axis=1)
    for i in np.flatnonzero(changes[cell_of]):
        found[i] = offsets(int(seconds[i]))
    return found


def _change(where: tzinfo, early: int, late: int) -> int:
    """Find the second at which a zone changes its offset, between two instants."""
    begin = datetime.fromtimestamp(0, UTC) + timedelta(seconds=early)
    old = begin.astimezone(where).utcoffset()
    low, high = 0, late - early
    while high - low > 1:
        middle = (low + high) // 2
        there = (begin + timedelta(seconds=middle)).astimezone(where)
        low, high = (middle, high) if there.utcoffset() == old else (low, middle)
    return early + high


def _seconds(offset: timedelta | None) -> int:
    assert offset is not None, "zones with a name or an offset have one"
    return offset // timedelta(seconds=1)


def _zone(text: str) -> tzinfo:
    zone = zone_object(text)
    assert zone is not None, "columns have zones that are known"
    return zone


def _moved(counts: Counts, offset: Counts) -> Counts:
    """Add offsets, but not past the ends of 64 bits."""
    least, most = _LEAST - np.minimum(offset, 0), _MOST - np.maximum(offset, 0)
    return np.clip(counts, least, most) + offset


def _within(counts: Counts, unit: str) -> Counts:
    if unit == "ns":
        return np.clip(counts, -_NANOSECONDS, _NANOSECONDS)
    ends = np.array([_FIRST, _LAST]).astype(f"M8[{unit}]").view(np.int64)
    return np.clip(counts, *ends)


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
