"""What options say of cells, and what a model remembers of how they were written."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._errors import DataError
from latentforest._base._in_words import row_of_file
from latentforest.reading._date_notation import DateNotation
from latentforest.reading._dialect import DATES, Dialect
from latentforest.reading._find_dates import ORDERS, order_of
from latentforest.reading._number_notation import NumberNotation, group_of

OPEN_POINT = r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"  # or thousands
_OTHER = {".": ",", ",": "."}


def said_notation(dialect: Dialect) -> NumberNotation:
    """Return how the user says that numbers are written."""
    usual = "," if dialect.thousands == "." else "."
    return NumberNotation(dialect.decimal or usual, dialect.thousands or "")


def number_ways(
    remembered: NumberNotation | None, dialect: Dialect
) -> list[NumberNotation]:
    """Return the ways to read numbers: what is asked for by name decides.

    Parameters
    ----------
    remembered : NumberNotation or None
        How the column was written in fit; None is the plain way.
    dialect : Dialect
        What the user says of decimal sign and thousands.
    """
    decimal, thousands = dialect.decimal, dialect.thousands
    if remembered is None:
        said = said_notation(dialect)
        ways = [said, NumberNotation()]
        if decimal is not None and thousands is None:
            ways.append(replace(said, thousands=_OTHER[decimal]))
        return ways
    if decimal is None and thousands is None:
        return [remembered]
    if decimal is None:
        decimal = remembered.decimal
        if decimal == thousands:
            decimal = _OTHER[decimal]
    groups = [_OTHER[decimal]]  # which can mean nothing else
    if thousands is not None:
        groups = [thousands]
    elif remembered.thousands and group_of(remembered.thousands) not in _OTHER:
        groups.append(remembered.thousands)
    return [replace(remembered, decimal=decimal, thousands=group) for group in groups]


def check_open(name: str, words: Any, dialect: Dialect, first_row: int) -> None:
    """Refuse 1.234 in a plain column where the comma is said to be the decimal sign.

    Parameters
    ----------
    name : str
        The column, for the message.
    words : pyarrow array of strings
        Its words; null is missing.
    dialect : Dialect
        What the user says of decimal sign and thousands.
    first_row : int
        Number of the first row, for the message.
    """
    if dialect.decimal != "," or dialect.thousands is not None:
        return
    place = pc.index(pc.match_substring_regex(words, OPEN_POINT), value=True).as_py()
    if place >= 0:
        option = dialect.option
        message = (
            f"Column {name!r} holds {words[place].as_py()!r} in "
            f"{row_of_file(first_row + place)}, and fit has seen no decimal comma in "
            f"it. If points part thousands here, give {option('thousands', '.')} too; "
            f"if they are the decimal sign, leave {option('decimal', ',')} out."
        )
        raise DataError(message)


def date_ways(
    remembered: DateNotation | None, dialect: Dialect, zone: str
) -> list[DateNotation]:
    """Return the ways to read dates; ISO is always one of them.

    Parameters
    ----------
    remembered : DateNotation or None
        How the column was written in fit; None is as in ISO 8601.
    dialect : Dialect
        What the user says of the order of day and month.
    zone : str
        The token of the offset, if there is one.
    """
    said = dialect.dates
    ways = [DateNotation(f"yyyy-MM-dd HH:mm{zone}")]
    hours = ["HH:mm"]
    if remembered is not None:
        if "a" in remembered.tokens:
            hours = ["h:mm a", "HH:mm"]
        if said is None or _agrees(remembered, said):
            ways.insert(0, remembered)
    ways = [way.until(dialect.last_year) for way in ways]
    if said is None:
        return ways
    whole = [ORDERS[said].format(sign) for sign in "./-"]
    patterns = [*whole, *(pattern.replace("yyyy", "yy") for pattern in whole)]
    if said == "year-first":
        patterns.append("yyyyMMdd")
    return ways + [
        DateNotation(f"{p} {hour}{zone}").until(dialect.last_year)
        for hour in hours
        for p in patterns
    ]


def _agrees(way: DateNotation, said: str) -> bool:
    """Whether no date can be read in a way and in the order that is said, too."""
    order = order_of(way)
    if order in {None, said}:
        return True
    # A year of four digits tells which end it is at.
    return "yyyy" in way.tokens and "year-first" in {order, said}


def way_out(
    word: str, ways: Sequence[NumberNotation | DateNotation], dialect: Dialect
) -> str:
    """Return the options with which a word could be read; '' if there are none.

    Parameters
    ----------
    word : str
        The word.
    ways : sequence of NumberNotation or DateNotation
        The ways in which it cannot be read.
    dialect : Dialect
        What the user has said, and who is told.
    """
    cell: Any = pa.array([word])
    first, options = ways[0], []
    if isinstance(first, NumberNotation):
        for sign in _OTHER:
            thousands = None if dialect.thousands == sign else dialect.thousands
            other = replace(dialect, decimal=sign, thousands=thousands)
            if _reads(number_ways(first, other), cell):
                options.append(dialect.option("decimal", sign))
    elif first.sort == "date":
        zone = "XXX" if first.has_zone else ""
        for order in DATES:
            if _reads(date_ways(first, replace(dialect, dates=order), zone), cell):
                options.append(dialect.option("dates", order))
    if dialect.in_python:
        options = [f"read_table(…, {option})" for option in options]
    return " or ".join(options)


def _reads(ways: Sequence[NumberNotation | DateNotation], cell: Any) -> bool:
    return any(pc.is_valid(way.read(cell))[0].as_py() for way in ways)
