"""Words of a text file to values, in the way that a fitted column says.

``fit`` decides per column over the whole file; every later command reads the same
column in the way that the model's schema says, whatever a block of rows looks like.
"""

from collections.abc import Collection, Sequence
from functools import reduce
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._errors import DataError
from latentforest._base._in_words import row_of_file
from latentforest.reading._date_notation import DateNotation
from latentforest.reading._dialect import Dialect
from latentforest.reading._exact import check_finite
from latentforest.reading._gap_words import are_gaps
from latentforest.reading._notation import Notation, Way
from latentforest.reading._number_notation import NumberNotation
from latentforest.reading._said import check_open, date_ways, number_ways, way_out
from latentforest.table import ColumnSpec

TRUE, FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
NUMBER = (
    r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
    r"|^[+-]?(?i:inf|infinity|nan)$"
)
_SPECIAL = r"^[+-]?(?i:inf|infinity|nan)$"


def read_cells(spec: ColumnSpec, cells: Any, dialect: Dialect, first_row: int) -> Any:
    """Values of a column of words under the spec of a fitted column.

    Parameters
    ----------
    spec : ColumnSpec
        The column as fitted.
    cells : pyarrow array of strings
        The words, none of them null.
    dialect : Dialect
        How the user says that cells are written; what is said here goes before what
        the model remembers.
    first_row : int
        Number of the first row, for messages.

    Returns
    -------
    pyarrow array
        double, bool, string, or dates and times.

    Notes
    -----
    A word that is a level of the column never means missing.
    """
    notation = Notation.from_text(spec.notation)
    missing = dialect.missing | set(notation.gaps)
    if not _is_numeric(spec):
        return _levels(spec, cells, missing)
    words = without(trimmed(cells), missing)
    if spec.storage == "boolean" and are_truths(words):
        return truths(words)
    words = pc.if_else(are_gaps(words), pa.nulls(len(words), pa.string()), words)
    if spec.storage.is_time:
        return _times(spec, words, dialect, first_row, notation)
    held = "booleans" if spec.storage == "boolean" else "numbers"
    if notation.cells is not None:
        held += f" like {notation.cells.example}"
    hint = f"The column held {held} in fit."
    way = notation.cells
    remembered = way if isinstance(way, NumberNotation) else None
    if remembered is None:
        check_open(str(spec.name), words, dialect, first_row)
    ways = number_ways(remembered, dialect)
    return read_words(str(spec.name), words, first_row, hint, ways, dialect)


def _times(
    spec: ColumnSpec, words: Any, dialect: Dialect, first_row: int, notation: Notation
) -> Any:
    """Dates and times as the user says, as they were written in fit, or as ISO."""
    sort = {"time": "time", "duration": "duration"}.get(spec.storage, "date")
    way = notation.cells
    remembered = way if isinstance(way, DateNotation) else None
    if sort == "date":
        zone = "XXX" if spec.ticks is not None and spec.ticks.zone else ""
        ways = date_ways(remembered, dialect, zone)
    else:
        patterns = ("HH:mm", "h:mm a") if sort == "time" else ("H:mm:ss",)
        ways = [DateNotation(pattern, sort) for pattern in patterns]
        if remembered is not None:
            ways = [remembered, *ways]
    example = (remembered or ways[0]).example
    hint = f"The column held {sort}s like {example} in fit."
    return read_words(str(spec.name), words, first_row, hint, ways, dialect)


def _levels(spec: ColumnSpec, cells: Any, missing: Collection[str]) -> Any:
    levels = {str(level) for level in spec.levels}
    words = without(cells, set(missing) - levels)
    strange = pc.invert(pc.is_in(words, pa.array(sorted(levels), pa.string())))
    if not is_any(pc.and_(strange, pc.is_valid(words))):
        return words
    # Blanks around a level are no part of it, unless fit has seen them.
    bare = without(trimmed(words), set(missing) - levels)
    return pc.if_else(strange, bare, words)


def read_coordinate(
    name: str, cells: Any, missing: Collection[str], first_row: int
) -> Any:
    """Numbers of a column of coordinates; missing ones are null."""
    words = without(trimmed(cells), missing)
    return read_words(name, words, first_row, "Coordinates must be numbers.")


def _is_numeric(spec: ColumnSpec) -> bool:
    if spec.storage.is_numeric:
        return True
    return bool(spec.levels) and not any(isinstance(v, str) for v in spec.levels)


def read_words(
    name: str,
    words: Any,
    first_row: int,
    hint: str,
    ways: Sequence[Way] = (NumberNotation(),),
    dialect: Dialect | None = None,
) -> Any:
    """Values of words, or an error that names the first word that is none.

    Parameters
    ----------
    name : str
        The column, for the message.
    words : pyarrow array of strings
        The words, without blanks around them; null is missing.
    first_row : int
        Number of the first row, for the message.
    hint : str
        What the column should hold, for the message.
    ways : sequence of NumberNotation or DateNotation
        How values are written; a word that is not written in the first is tried in
        the next.
    dialect : Dialect or None, default=None
        Who is told how to name words that mean missing; None gives no such advice.
    """
    if all(way.is_plain for way in ways):
        try:
            plain = pc.cast(words, pa.float64())
        except pa.ArrowInvalid:
            pass
        else:
            check_finite(name, words, plain, first_row, dialect)
            return plain
    values = reduce(_either, (way.read(words) for way in ways))
    if pa.types.is_floating(values.type):
        special = pc.match_substring_regex(words, _SPECIAL)
        known = pc.if_else(special, words, pa.nulls(len(words), pa.string()))
        values = pc.coalesce(values, pc.cast(known, pa.float64()))
    bad = pc.and_(pc.is_null(values), pc.is_valid(words))
    place = pc.index(bad, value=True).as_py()
    if place < 0:
        check_finite(name, words, values, first_row, dialect)
        return values
    word = words[place].as_py()
    row = row_of_file(first_row + place)
    message = f"Column {name!r} holds {word!r} in {row}. {hint}"
    if dialect is not None:
        option = f"{dialect.name('na')} {word!r}"
        said = way_out(word, ways, dialect)
        said = f"give {said} if the file writes its cells so, " if said else ""
        message += f" Correct the cell, {said}or give {option} if it means missing."
    raise DataError(message)


def _either(one: Any, other: Any) -> Any:
    """Return the values of one reading, and of the other where it has none."""
    if one.type != other.type and pa.types.is_timestamp(one.type):
        unit = "ns" if "ns" in {one.type.unit, other.type.unit} else "us"
        kind = pa.timestamp(unit, one.type.tz)
        one, other = one.cast(kind), other.cast(kind)
    return pc.coalesce(one, other)


def are_truths(words: Any) -> bool:
    """Whether all words are true or false."""
    # To is_in, a null is not a member.
    return is_all(pc.is_in(words.drop_null(), pa.array([*TRUE, *FALSE])))


def truths(words: Any) -> Any:
    """Booleans of words; null stays null."""
    found = pc.is_in(words, pa.array(TRUE))
    return pc.if_else(pc.is_null(words), pa.scalar(None, pa.bool_()), found)


def trimmed(cells: Any) -> Any:
    """Words without blanks around them."""
    return pc.utf8_trim_whitespace(cells)


def without(words: Any, missing: Collection[str]) -> Any:
    """Words with null where they mean missing."""
    gone = pc.is_in(words, pa.array(sorted(missing), pa.string()))
    # pyarrow before 24 builds broken text from one null and a slice of an array.
    return pc.if_else(gone, pa.nulls(len(words), pa.string()), words)


def joined(array: Any) -> Any:
    """Words in one piece of memory."""
    return array.combine_chunks() if hasattr(array, "combine_chunks") else array


def is_all(flags: Any) -> bool:
    """Whether all flags are set; null does not count."""
    return pc.all(flags, min_count=0).as_py() is True


def is_any(flags: Any) -> bool:
    """Whether any flag is set."""
    return pc.any(flags, min_count=0).as_py() is True
