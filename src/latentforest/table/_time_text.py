"""Dates and times as people read them."""

import numpy as np

from latentforest._base._types import Floats
from latentforest.table._kinds import Storage
from latentforest.table._ticks import NAT, UNITS, Ticks
from latentforest.table._zones import Counts, to_clock

_FINE = list(UNITS)
_DIGITS = {"ms": 3, "us": 6, "ns": 9}


def time_texts(ticks: Ticks, codes: Floats, storage: Storage) -> list[str]:
    """Codes as text, to the unit of the ticks, on the clock of the zone.

    Instants as ``2021-03-05 14:30``, durations as ``2 days 03:00``; missing cells are
    ``missing``.
    """
    unit = _finer(ticks.unit, "s")
    counts = _on_the_clock(ticks, np.asarray(codes, np.float64), unit)
    shown = "D" if ticks.unit == "D" else _finer(ticks.unit, "m")
    if ticks.zone and not ticks.local and ticks.zone != "UTC":
        shown = _finer(shown, "m")
    if storage.is_instant:
        days = counts.view(f"M8[{unit}]").astype(f"M8[{shown}]")
        texts = np.datetime_as_string(days)
        found = [str(text).replace("T", " ") for text in texts]
    elif storage is Storage.time:
        found = [_clock(count, unit, shown) for count in counts.tolist()]
    else:
        found = [_duration(count, unit, shown) for count in counts.tolist()]
    return [
        "missing" if count == NAT else text
        for count, text in zip(counts.tolist(), found, strict=True)
    ]


def clock_days(ticks: Ticks, codes: Floats) -> Floats:
    """Days since 1970, or of a length of time, on the clock of the zone."""
    unit = _finer(ticks.unit, "s")
    counts = _on_the_clock(ticks, np.asarray(codes, np.float64), unit)
    return np.where(counts == NAT, np.nan, counts / (UNITS["D"] // UNITS[unit]))


def _on_the_clock(ticks: Ticks, codes: Floats, unit: str) -> Counts:
    counts = ticks.counts(codes, unit)
    if not ticks.zone:
        return counts
    missing = counts == NAT
    counts = to_clock(np.where(missing, 0, counts), unit, ticks.zone)
    counts[missing] = NAT
    return counts


def _finer(one: str, other: str) -> str:
    return max(one, other, key=_FINE.index)


def _clock(count: int, unit: str, shown: str) -> str:
    """Time since midnight as 14:30, 14:30:05 or 14:30:05.250."""
    seconds, rest = divmod(count * UNITS[unit], UNITS["s"])
    minutes, seconds = divmod(seconds, 60)
    text = f"{minutes // 60:02d}:{minutes % 60:02d}"
    if shown in {"D", "m"}:
        return text
    text += f":{seconds:02d}"
    digits = _DIGITS.get(shown, 0)
    return f"{text}.{f'{rest:09d}'[:digits]}" if digits else text


def _duration(count: int, unit: str, shown: str) -> str:
    """Write a length of time as 3 days, 3 days 04:30 or -00:15."""
    days, rest = divmod(abs(count) * UNITS[unit], UNITS["D"])
    parts = []
    if days or shown == "D":
        parts.append(f"{days} day" if days == 1 else f"{days} days")
    if shown != "D":
        parts.append(_clock(rest, "ns", shown))
    return ("-" if count < 0 else "") + " ".join(parts)
