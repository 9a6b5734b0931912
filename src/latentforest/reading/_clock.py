"""Parts of dates and times, as words and numbers, to counts of seconds and back."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._types import Bools
from latentforest.table import Counts

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_NAMES = pa.array([m.lower() for m in MONTHS] + [m[:3].lower() for m in MONTHS])
LAST_YEAR = 2068  # that two digits mean, as POSIX has it
DAY, NANO = 86_400, 10**9


def numbers_of(words: Any, usual: int = 0) -> Counts:
    """Whole numbers of words of digits; the empty word and null are the usual one."""
    empty = pc.or_kleene(pc.is_null(words), pc.equal(words, ""))
    known = pc.if_else(pc.fill_null(empty, fill_value=True), str(usual), words)
    return pc.cast(known, pa.int64()).to_numpy(zero_copy_only=False)


def months_of(words: Any) -> Counts:
    """Numbers of months by name, in English, whole or short; 0 is none."""
    lower = pc.utf8_lower(words)
    lower = pc.if_else(pc.equal(lower, "sept"), "sep", lower)
    place = pc.fill_null(pc.index_in(lower, _NAMES), -1)
    place = place.to_numpy(zero_copy_only=False).astype(np.int64)
    return np.where(place < 0, 0, place % 12 + 1)


def full_years(years: Counts, last: int) -> Counts:
    """Years of two digits with their century; none is later than the last."""
    return years + last // 100 * 100 - np.where(years > last % 100, 100, 0)


def days_of(year: Counts, month: Counts, day: Counts) -> tuple[Counts, Bools]:
    """Days since 1970, and which dates there are."""
    good = (year >= 1) & (month >= 1) & (month <= 12)
    months = (np.where(good, year, 1970) - 1970) * 12 + np.where(good, month, 1) - 1
    first = months.astype("M8[M]").astype("M8[D]").astype(np.int64)
    after = (months + 1).astype("M8[M]").astype("M8[D]").astype(np.int64)
    good &= (day >= 1) & (day <= after - first)
    return first + day - 1, good


def offsets_of(words: Any) -> Counts:
    """Seconds east of UTC of words such as +01:00, +0100, Z and UTC."""
    found = pc.extract_regex(words, r"^(?P<s>[+-])(?P<h>[0-9]{2}):?(?P<m>[0-9]{2})$")
    sign, hours, minutes = found.flatten()
    seconds = numbers_of(hours) * 3600 + numbers_of(minutes) * 60
    west = pc.fill_null(pc.equal(sign, "-"), fill_value=False)
    return np.where(west.to_numpy(zero_copy_only=False), -seconds, seconds)


def zone_name(seconds: int) -> str:
    """Name of a zone that lies so many seconds east of UTC."""
    if seconds == 0:
        return "UTC"
    sign, seconds = ("-", -seconds) if seconds < 0 else ("+", seconds)
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}"


def zone_seconds(name: str) -> int:
    """Seconds east of UTC of a zone of :func:`zone_name`."""
    if name == "UTC":
        return 0
    seconds = int(name[1:3]) * 3600 + int(name[4:6]) * 60
    return -seconds if name[0] == "-" else seconds


def padded(numbers: dict[str, Counts]) -> dict[str, list[str]]:
    """Numbers of two digits in words."""
    return {token: [f"{n:02d}" for n in v.tolist()] for token, v in numbers.items()}


def clock_word(count: int, each: int, hours: str = "{:d}") -> str:
    """Return a length of time as -26:15:00.5; a second has ``each`` of the counts."""
    seconds, rest = divmod(abs(count), each)
    sign = "-" if count < 0 else ""
    clock = f":{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{sign}{hours.format(seconds // 3600)}{clock}{fraction_word(rest, each)}"


def fraction_word(rest: int, each: int) -> str:
    """Return a fraction of a second as .5, or nothing if it is none."""
    return f"{rest / each:.9f}".rstrip("0")[1:] if rest else ""
