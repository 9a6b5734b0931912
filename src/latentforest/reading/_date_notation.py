"""One way of writing dates, times of day or durations, as a pattern that is kept."""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._types import Bools
from latentforest.reading._clock import (
    DAY,
    LAST_YEAR,
    MONTHS,
    NANO,
    clock_word,
    days_of,
    full_years,
    months_of,
    numbers_of,
    offsets_of,
    padded,
    zone_name,
    zone_seconds,
)
from latentforest.table import Counts

# As in spreadsheets and in Unicode's patterns; S is a digit of a fraction.
_TOKEN = re.compile(
    r"yyyy|yy|MMMM|MMM|MM|M|dd|d|HH|H|hh|h|mm|ss|S+|a|XXX|XX|'[^']*'|[^A-Za-z']"
)
_DIGITS = {"yyyy": "y", "yy": "y", "MM": "m", "M": "m", "dd": "d", "d": "d"}
_PARTS = _DIGITS | {"MMM": "m", "MMMM": "m", "mm": "i", "ss": "s", "a": "a", "'T'": "T"}
_HOURS = {"HH", "H", "hh", "h"}
_ZONES = {"XX", "XXX"}
# The parts that there must be, in their order; each is there once.
_CLOCK = "Hi(?:sf?)?a?"
_ORDERS = {
    "date": rf"(?=.*y)(?=.*m)(?=.*d)[ymd]{{3}}(?:T?{_CLOCK}z?)?",
    "time": _CLOCK,
    "duration": "His",
}
_UNITS = {"s": NANO, "us": 1_000, "ns": 1}


@dataclass(frozen=True)
class DateNotation:
    """How the dates or times of a column are written.

    Parameters
    ----------
    pattern : str
        Such as ``dd.MM.yyyy HH:mm``.
    sort : {"date", "time", "duration"}, default="date"
        Dates with or without a time, times of day, or durations.
    last_year : int, default=2068
        The latest year that two digits mean.

    Notes
    -----
    Reading is less strict than writing: days and months may have one digit or two, a
    date may have a time, and a time may have seconds and a fraction. Durations are
    ``H:mm:ss``, with a fraction where there is one.
    """

    pattern: str
    sort: str = "date"

    last_year: int = LAST_YEAR

    is_plain = False

    def __post_init__(self) -> None:
        whole = "".join(self.tokens) == self.pattern and len(self.pattern) <= 60
        parts = "".join(map(_part, self.tokens))
        known = self.sort in _ORDERS and re.fullmatch(_ORDERS[self.sort], parts)
        if not whole or not known:
            message = f"{self.pattern[:60]!r} is no way of writing dates"
            raise ValueError(message)

    @cached_property
    def tokens(self) -> list[str]:
        """The parts of the pattern."""
        return _TOKEN.findall(self.pattern)

    @property
    def has_time(self) -> bool:
        """Whether a time of day is written."""
        return not _HOURS.isdisjoint(self.tokens)

    @property
    def example(self) -> str:
        """A date or time as it is written."""
        if self.sort == "date":
            zone = "UTC" if self.has_zone else None
            cell = pa.array([1_609_857_005], pa.int64()).cast(pa.timestamp("s", zone))
        elif self.sort == "time":
            cell = pa.array([52_205_000_000], pa.int64()).cast(pa.time64("us"))
        else:
            cell = pa.array([93_785], pa.int64()).cast(pa.duration("s"))
        return str(self.write(cell)[0])

    @property
    def has_short_year(self) -> bool:
        """Whether years are written with two digits."""
        return "yy" in self.tokens

    def until(self, year: int | None) -> "DateNotation":
        """Return the notation with years of two digits as the user says, if at all."""
        return replace(self, last_year=year) if year and self.has_short_year else self

    @property
    def has_zone(self) -> bool:
        """Whether the offset from UTC is written."""
        return not _ZONES.isdisjoint(self.tokens)

    @cached_property
    def regex(self) -> str:
        """What a word looks like; its groups are named by the parts of a date."""
        if self.sort == "duration":
            return (
                r"^(?P<n>-?)(?P<H>[0-9]{1,6}):(?P<i>[0-5][0-9]):(?P<s>[0-5][0-9])"
                r"(?:[.,](?P<f>[0-9]{1,9}))?$"
            )
        time = (
            r"(?P<H>[0-9]{1,2}):(?P<i>[0-9]{2})"
            r"(?::(?P<s>[0-9]{2})(?:[.,](?P<f>[0-9]{1,9}))?)?"
        )
        if "a" in self.tokens:
            time += r" ?(?P<a>[AaPp]\.?[Mm]\.?)"
        if self.has_zone:
            time += r" ?(?P<z>Z|UTC|[+-][0-9]{2}:?[0-9]{2})"
        if self.sort == "time":
            return f"^{time}$"
        needed = "" if self.has_zone else "?"
        return f"^{self._date_regex()}(?:(?:T|,? +){time}){needed}$"

    def _date_regex(self) -> str:
        out, before = [], ""
        packed = self.pattern.startswith("yyyyMMdd")
        for token in self.tokens:
            if token in _HOURS or token == "'T'":
                break
            if token in {"MMM", "MMMM"}:
                out.append(r"(?P<b>[A-Za-z]{3,9})\.?")
            elif token in {"yyyy", "yy"}:
                out.append(f"(?P<y>[0-9]{{{len(token)}}})")
            elif token in _DIGITS:
                count = "{2}" if packed else "{1,2}"
                out.append(f"(?P<{_DIGITS[token]}>[0-9]{count})")
            elif token == ",":
                out.append(",?")
            elif token == " ":
                out.append(" +")
            else:
                out.append(re.escape(token))
            before = token
        if before == " ":
            out.pop()  # before the time
            if out[-1] == ",?":
                out.pop()
        return "".join(out)

    def read(self, words: Any) -> Any:
        """Return dates, times or durations; null where a word is not written so."""
        if isinstance(words, pa.ChunkedArray):
            words = words.combine_chunks()
        found = pc.extract_regex(words, self.regex)
        names = [field.name for field in found.type]
        parts = dict(zip(names, found.flatten(), strict=True))
        good = pc.is_valid(found).to_numpy(zero_copy_only=False)
        seconds, fits = self._seconds(parts)
        good = good & fits
        digits = parts.get("f")
        unit, nanos = "s", np.zeros(len(words), np.int64)
        if digits is not None:
            most = pc.max(pc.utf8_length(digits)).as_py() or 0
            unit = "s" if most == 0 else ("us" if most <= 6 else "ns")
            nanos = numbers_of(pc.utf8_rpad(digits, 9, "0"))
        if self.sort == "time":
            unit = "us"
        if self.sort == "duration":
            nanos = np.where(_flags(pc.equal(parts["n"], "-")), -nanos, nanos)
        each = _UNITS[unit]
        counts = seconds * (NANO // each) + nanos // each
        return pa.array(counts, mask=~good).cast(self._type(unit, parts.get("z"), good))

    def _type(self, unit: str, zones: Any, good: Bools) -> Any:
        if self.sort == "time":
            return pa.time64(unit)
        if self.sort == "duration":
            return pa.duration(unit)
        if zones is None:
            return pa.timestamp(unit)
        offsets = np.unique(offsets_of(zones)[good])
        zone = zone_name(int(offsets[0])) if len(offsets) == 1 else "UTC"
        return pa.timestamp(unit, zone)

    def _seconds(self, parts: dict[str, Any]) -> tuple[Counts, Bools]:
        hour, minute, second = (numbers_of(parts[key]) for key in "His")
        if self.sort == "duration":
            total = hour * 3600 + minute * 60 + second
            minus = _flags(pc.equal(parts["n"], "-"))
            return np.where(minus, -total, total), np.ones(len(total), np.bool_)
        good: Bools = (minute < 60) & (second < 60) & (hour < 24)
        if "a" in parts:
            none = _flags(pc.equal(parts["a"], ""))
            late = _flags(pc.match_substring_regex(parts["a"], "^[Pp]"))
            good &= none | ((hour >= 1) & (hour <= 12))
            hour = np.where(none, hour, hour % 12 + 12 * late)
        total = hour * 3600 + minute * 60 + second
        if self.sort == "time":
            return total, good
        year = numbers_of(parts["y"], 1970)
        if self.has_short_year:
            year = full_years(year, self.last_year)
        month = months_of(parts["b"]) if "b" in parts else numbers_of(parts["m"], 1)
        days, there = days_of(year, month, numbers_of(parts["d"], 1))
        total = days * DAY + total
        if "z" in parts:
            total = total - offsets_of(parts["z"])
        return total, good & there

    def write(self, values: Any) -> Any:
        """Return words for dates, times or durations; null stays null."""
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        missing = values.is_null().to_numpy(zero_copy_only=False)
        zone = getattr(values.type, "tz", None) or "UTC"
        if pa.types.is_date(values.type):
            values = values.cast(pa.timestamp("s"))
        unit = getattr(values.type, "unit", "s")
        width = pa.int32() if values.type.bit_width == 32 else pa.int64()
        counts = pc.fill_null(values.cast(width).cast(pa.int64()), 0).to_numpy()
        each = {"s": 1, "ms": 10**3, "us": 10**6, "ns": NANO}[unit]
        if self.sort == "duration":
            lengths = [clock_word(count, each) for count in counts.tolist()]
            return pa.array(lengths, pa.string(), mask=missing)
        east = zone_seconds(zone) if self.has_zone else 0
        seconds, rest = np.divmod(counts, each)
        parts = self._parts(seconds + east, rest * (NANO // each), east)
        columns = [parts[t] if t in parts else _literal(t) for t in self.tokens]
        words = [
            None
            if gone
            else "".join(c if isinstance(c, str) else c[row] for c in columns)
            for row, gone in enumerate(missing.tolist())
        ]
        return pa.array(words, pa.string())

    def _parts(
        self, seconds: Counts, nanos: Counts, east: int
    ) -> dict[str, list[str] | str]:
        """Return each token of the pattern in words."""
        days, clock_seconds = np.divmod(seconds, DAY)
        dates = days.astype("M8[D]")
        months = dates.astype("M8[M]")
        year = dates.astype("M8[Y]").astype(np.int64) + 1970
        month = months.astype(np.int64) % 12 + 1
        day = (dates - months).astype(np.int64) + 1
        hour, minute = clock_seconds // 3600, clock_seconds // 60 % 60
        twelve = (hour + 11) % 12 + 1
        offset = zone_name(east)
        wanted = set(self.tokens)
        numbers = {"dd": day, "MM": month, "HH": hour, "hh": twelve, "mm": minute}
        numbers |= {"ss": clock_seconds % 60, "yy": year % 100}
        plain = {"d": day, "M": month, "H": hour, "h": twelve}
        parts: dict[str, list[str] | str] = {}
        parts |= padded({t: v for t, v in numbers.items() if t in wanted})
        parts |= {
            t: list(map(str, v.tolist())) for t, v in plain.items() if t in wanted
        }
        parts["yyyy"] = [f"{y:04d}" for y in year.tolist()]
        parts["MMMM"] = [MONTHS[m - 1] for m in month.tolist()]
        parts["MMM"] = [name[:3] for name in parts["MMMM"]]
        parts["a"] = ["PM" if h >= 12 else "AM" for h in hour.tolist()]
        parts["XXX"] = "Z" if east == 0 else offset
        parts["XX"] = "+0000" if east == 0 else offset.replace(":", "")
        for token in wanted:
            if token.startswith("S"):
                parts[token] = [f"{n:09d}"[: len(token)] for n in nanos.tolist()]
        return parts


def _part(token: str) -> str:
    """Return the part of a date that a token stands for, in one letter; '' for none."""
    if token in _HOURS or token in _ZONES:
        return "H" if token in _HOURS else "z"
    return _PARTS.get(token, "f" if token.startswith("S") else "")


def _literal(token: str) -> str:
    return token.strip("'") if len(token) > 1 else token


def _flags(array: Any) -> Bools:
    return pc.fill_null(array, fill_value=False).to_numpy(zero_copy_only=False)
