"""Find out how the dates and times of a column are written, from all its cells."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._types import Bools
from latentforest.reading._date_notation import DateNotation
from latentforest.reading._dialect import Dialect
from latentforest.reading._tally import Tally

_HEAD = 200  # words that rule out most patterns
_SHAPE = (
    r"^-?[0-9]{1,6}(?:[-/.:][0-9]|[-/. ]{1,2}[A-Za-z]{3}|[0-9]{2}$)"
    r"|^[A-Za-z]{3,9}\.? [0-9]{1,2},? [0-9]{4}"
)
_HALF = r"[0-9] ?[AaPp]\.?[Mm]\.?$"
_ZONED = r":[0-9]{2}(?:[.,][0-9]+)? ?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2})$"
_NAMED = ("d MMM yyyy", "d-MMM-yyyy", "d. MMM yyyy", "MMM d, yyyy", "d-MMM-yy")
ORDERS = {
    "day-first": "dd{0}MM{0}yyyy",
    "month-first": "MM{0}dd{0}yyyy",
    "year-first": "yyyy{0}MM{0}dd",
}


@dataclass(frozen=True)
class Dates:
    """What was found: a way to read the dates, and the words it leaves over.

    Parameters
    ----------
    way : DateNotation
        The way that reads most cells.
    good : ndarray of bool
        Per distinct word, whether it does.
    other : DateNotation or None, default=None
        The other order of day and month, where all cells can be read so, too.
    """

    way: DateNotation
    good: Bools
    other: DateNotation | None = None

    @property
    def order(self) -> str | None:
        """The order of day and month that the cells show; None if they do not."""
        order = None if self.other is not None else order_of(self.way)
        return None if order == "year-first" else order


def order_of(way: DateNotation) -> str | None:
    """Return the order of day, month and year; None where a month has a name."""
    if way.sort != "date" or "MMM" in way.pattern:
        return None
    found = next(t[0] for t in way.tokens if t[0] in "dMy")
    return {"d": "day-first", "M": "month-first", "y": "year-first"}[found]


def find_dates(tally: Tally, dialect: Dialect, *, packed: bool) -> Dates | None:
    """Find the notation that reads most cells; None if they are no dates.

    Parameters
    ----------
    tally : Tally
        The words of a column, without blanks around them.
    dialect : Dialect
        What the user says of the order of day and month.
    packed : bool
        Whether 20210105 may be a date.
    """
    head = tally.words.slice(0, _HEAD)
    if 2 * _count(head, _SHAPE) < len(head):
        return None
    tried = []
    for pattern in _ways(head, dialect, packed=packed):
        way = pattern.until(dialect.last_year)
        if 2 * _count(head, way.regex) < len(head):
            continue
        if dialect.dates is None and _like_versions(way, head):
            continue
        values = way.read(tally.words)
        good = values.is_valid().to_numpy(zero_copy_only=False)
        if good.any():
            tried.append((float(tally.counts[good].sum()), way, good, values))
    if not tried:
        return None
    best = max(weight for weight, *_ in tried)
    (_, way, good, values), *others = [found for found in tried if found[0] == best]
    same = [w for _, w, g, v in others if (g == good).all() and v != values]
    other = next((w for w in same if w.sort == way.sort), None)
    if other is not None:
        other = _as_written(other, tally, good)
    return Dates(_as_written(way, tally, good), good, other)


def _like_versions(way: DateNotation, head: Any) -> bool:
    """Whether 9.4.12 may be no date: years of two digits, other parts of one."""
    short = "." in way.tokens and "yy" in way.tokens
    return short and _count(head, "^(?:[0-9]+[^0-9])?[0-9][^0-9]") > 0


def _ways(head: Any, dialect: Dialect, *, packed: bool) -> Iterator[DateNotation]:
    hour = "h:mm a" if 2 * _count(head, _HALF) > len(head) else "HH:mm"
    zone = "XXX" if 2 * _count(head, _ZONED) > len(head) else ""
    time = f" {hour}{zone}"
    yield DateNotation(f"yyyy-MM-dd{time}")
    for sign in "./-":
        yield DateNotation(f"yyyy{sign}MM{sign}dd{time}")
        for order in ("day-first", "month-first"):
            if dialect.dates in {None, order, "year-first"}:
                pattern = ORDERS[order].format(sign)
                yield DateNotation(f"{pattern}{time}")
                if sign != "-" or dialect.dates == order:
                    yield DateNotation(f"{pattern[:-2]}{time}")
        if dialect.dates == "year-first":
            yield DateNotation(f"yy{sign}MM{sign}dd{time}")
    for pattern in _NAMED:
        yield DateNotation(f"{pattern}{time}")
    if packed:
        yield DateNotation(f"yyyyMMdd{time}")
    if not zone:
        yield DateNotation(hour, "time")
        yield DateNotation("H:mm:ss", "duration")


def _as_written(way: DateNotation, tally: Tally, good: Bools) -> DateNotation:
    """Return the notation with the digits, names and signs that the cells show."""
    if way.sort == "duration":
        return way
    words = tally.words.filter(pa.array(good))
    found = pc.extract_regex(words, way.regex)
    names = [field.name for field in found.type]
    parts = dict(zip(names, found.flatten(), strict=True))
    lengths = {name: pc.utf8_length(part) for name, part in parts.items()}
    present = np.array([_numpy(pc.greater(size, 0)) for size in lengths.values()])
    # The word with most parts shows the signs between them.
    shown = words[int(present.sum(axis=0).argmax())].as_py()
    timed = bool(_numpy(pc.greater(lengths["H"], 0)).any())
    tokens = _tokens(lengths, parts, timed=timed)
    match = re.match(way.regex, shown)
    assert match is not None, "pyarrow and Python agree on these patterns"
    spans = sorted((match.span(name), name) for name in names if name in tokens)
    pattern, last = "", 0
    for (start, stop), name in spans:
        between = re.sub("[A-Za-z]+", r"'\g<0>'", shown[last:start])
        pattern, last = f"{pattern}{between}{tokens[name]}", stop
    return DateNotation(pattern, way.sort, way.last_year)


def _tokens(
    lengths: dict[str, Any], parts: dict[str, Any], *, timed: bool
) -> dict[str, str]:
    """Return what stands for each part that is written."""

    def shortest(name: str) -> int:
        present = lengths[name].filter(pc.greater(lengths[name], 0))
        return pc.min(present).as_py() or 0

    def longest(name: str) -> int:
        return pc.max(lengths[name]).as_py() or 0

    tokens = {}
    if "y" in parts:
        tokens["y"] = "y" * longest("y")
    for name, letter in (("d", "d"), ("m", "M")):
        if name in parts:
            tokens[name] = letter * min(shortest(name), 2)
    if "b" in parts:
        tokens["b"] = "MMMM" if longest("b") > 4 else "MMM"
    if timed:
        letter = "h" if "a" in parts else "H"
        tokens["H"] = letter * min(shortest("H"), 2)
        tokens["i"] = "mm"
        if longest("s"):
            tokens["s"] = "ss"
        if longest("f"):
            tokens["f"] = "S" * longest("f")
        if "a" in parts:
            tokens["a"] = "a"
        if "z" in parts:
            colon = pc.any(pc.match_substring_regex(parts["z"], "[:Z]")).as_py()
            tokens["z"] = "XXX" if colon else "XX"
    return tokens


def _count(words: Any, regex: str) -> int:
    return pc.sum(pc.match_substring_regex(words, regex)).as_py() or 0


def _numpy(array: Any) -> Any:
    return array.to_numpy(zero_copy_only=False)
