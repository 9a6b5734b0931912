"""Dates and times as words of ISO 8601, for text tables."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from latentforest.reading import clock_word, fraction_word
from latentforest.table import to_clock

_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def iso_words(cells: Any) -> Any:
    """Return dates and times as text; null stays null.

    Dates as ``2021-03-05``, instants as ``2021-03-05T14:30:00+01:00`` on the clock of
    their zone, times of day as ``14:30:00`` and durations as ``-26:15:00``. Fractions
    of seconds are written where there are any.
    """
    kind = cells.type
    if pa.types.is_date(kind):
        return pc.cast(cells.cast(pa.date32()), pa.string())
    each = _SECOND[kind.unit]
    width = pa.int32() if kind.bit_width == 32 else pa.int64()
    counts = pc.fill_null(cells.cast(width).cast(pa.int64()), 0).to_numpy()
    if pa.types.is_timestamp(kind):
        words = _instants(counts, kind, each)
    else:
        hours = "{:d}" if pa.types.is_duration(kind) else "{:02d}"
        words = [clock_word(count, each, hours) for count in counts.tolist()]
    missing = cells.is_null().to_numpy(zero_copy_only=False)
    return pa.array(words, pa.string(), mask=missing)


def _instants(counts: Any, kind: Any, each: int) -> list[str]:
    clock = to_clock(counts, kind.unit, kind.tz) if kind.tz else counts
    seconds, rest = np.divmod(clock, each)
    words = np.datetime_as_string(seconds.view("M8[s]"))
    parts = [fraction_word(count, each) for count in rest.tolist()]
    east = ((clock - counts) // each).tolist()
    zones = [_offset(second) if kind.tz else "" for second in east]
    return [f"{w}{p}{z}" for w, p, z in zip(words, parts, zones, strict=True)]


def _offset(seconds: int) -> str:
    minutes = abs(seconds) // 60
    sign = "-" if seconds < 0 else "+"
    return f"{sign}{minutes // 60:02d}:{minutes % 60:02d}"
