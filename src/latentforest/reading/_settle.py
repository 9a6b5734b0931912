"""Decide what the cells of one column leave open, by the others or by the user."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._checks import listed
from latentforest._base._errors import DataError
from latentforest._base._types import Bools
from latentforest.reading._clock import offsets_of, zone_name
from latentforest.reading._date_notation import DateNotation
from latentforest.reading._dialect import Dialect
from latentforest.reading._find_dates import Dates
from latentforest.reading._find_numbers import Numbers
from latentforest.reading._number_notation import NumberNotation
from latentforest.reading._tally import Tally

_OFFSET = r"(?P<z>Z|UTC|[+-][0-9]{2}:?[0-9]{2})$"
_FEW_WORDS = 5  # that can all be named in a command


def settle_number(
    name: str,
    found: Numbers,
    tally: Tally,
    dialect: Dialect,
    decimal: str | None,
    *,
    commas_are_decimal: bool,
) -> tuple[NumberNotation, str]:
    """Return the notation of a column of numbers, and a note if it was open.

    Parameters
    ----------
    name : str
        The column.
    found : Numbers
        The ways in which it can be read.
    tally : Tally
        Its words.
    dialect : Dialect
        Who is told which option decides.
    decimal : str or None
        The decimal sign of the other columns, if they agree.
    commas_are_decimal : bool
        Whether a comma is not simply taken to part thousands.
    """
    if len(found.options) == 1:
        return found.options[0], ""
    for way in found.options:
        if way.decimal == decimal:
            return way, ""
    sign, option, word = found.sign, dialect.option, tally.first_with(found.sign)
    if sign == "," and commas_are_decimal:
        message = (
            f"Column {name!r} holds numbers such as {word!r}. Is {sign!r} the decimal "
            "sign, or does it part thousands? Give "
            f"{option('decimal', sign)} or {option('thousands', sign)}."
        )
        raise DataError(message)
    chosen = next(way for way in found.options if way.decimal == ".")
    taken = "commas part thousands in numbers such as"
    if sign == ".":
        taken = "points are the decimal sign of numbers such as"
    other = option("thousands" if sign == "." else "decimal", sign)
    return chosen, f"{name}: {taken} {word}. If not, give {other}"


def settle_dates(
    name: str, found: Dates, tally: Tally, dialect: Dialect, order: str | None
) -> tuple[DateNotation, str]:
    """Return the notation of a column of dates, and a note if it was open.

    Parameters
    ----------
    name : str
        The column.
    found : Dates
        The ways in which it can be read.
    tally : Tally
        Its words.
    dialect : Dialect
        Who is told which option decides.
    order : str or None
        The order of day and month in the other columns, if they agree.
    """
    way, seen = found.way, tally.only(found.good)
    if found.other is not None and order not in {None, "day-first"}:
        way = found.other
    notes = [_note_on_future(name, way, seen, dialect)]
    if way.has_zone:
        notes.append(_note_on_offsets(name, seen.words))
    said = "; ".join(filter(None, notes))
    if found.other is None or order is not None:
        return way, said
    word, month_first = tally.first_with(""), dialect.option("dates", "month-first")
    if "." in found.way.pattern:  # nobody writes the month first with points
        first = f"{name}: the day comes first in dates such as {word}. If not, give "
        return way, "; ".join(filter(None, [f"{first}{month_first}", said]))
    message = (
        f"Column {name!r} holds dates such as {word!r}, in which day and month cannot "
        f"be told apart. Give {dialect.option('dates', 'day-first')} or {month_first}."
    )
    raise DataError(message)


def advise(name: str, told: str, odd: Bools, tally: Tally, dialect: Dialect) -> str:
    """Say what to do with a column most of whose cells are written in one way.

    Parameters
    ----------
    name : str
        The column.
    told : str
        How many of its cells look like what.
    odd : ndarray of bool
        Which of its words do not.
    tally : Tally
        Its words.
    dialect : Dialect
        Who is told which option decides.
    """
    words = tally.listed(odd)
    advice = " ".join(dialect.option("na", word) for word in words)
    if dialect.in_python:
        advice = dialect.option("na", words)
    if len(words) > _FEW_WORDS:
        advice = f"{dialect.name('na')} with each, or write all cells alike"
    shown = tally.shown(odd)
    return (
        f"{name}: {told}, the others are {shown}. If these mean missing, give {advice}"
    )


def _note_on_future(
    name: str, way: DateNotation, tally: Tally, dialect: Dialect
) -> str:
    """Say that two digits mean years to come, unless the user says what they mean."""
    if not way.has_short_year or dialect.last_year is not None:
        return ""
    values = way.read(tally.words)
    years = pc.year(values.cast(pa.timestamp(values.type.unit))).to_numpy()
    this_year = datetime.now(UTC).year
    future = years > this_year
    if not future.any():
        return ""
    first, count = int(future.argmax()), tally.counts[future].sum()
    return (
        f"{name}: of the dates with years of two digits, {count:,.0f} lie after "
        f"{this_year}, such as {tally.words[first].as_py()} in {years[first]}. If they "
        f"are of the last century, give {dialect.option('last_year', this_year)}"
    )


def _note_on_offsets(name: str, words: Any) -> str:
    """Say that times with several offsets are kept in UTC; nothing of a single one."""
    zones = pc.struct_field(pc.extract_regex(words, _OFFSET), "z").drop_null()
    offsets = [zone_name(int(east)) for east in np.unique(offsets_of(zones))]
    if len(offsets) < 2:
        return ""
    return (
        f"{name}: times are written with several offsets ({listed(offsets, 4)}). All "
        "are kept in UTC, and written so again"
    )
