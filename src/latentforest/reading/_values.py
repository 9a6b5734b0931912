"""Values of Python as columns of a table, or as the words that a CSV would hold.

Columns whose cells are all of one sort keep it. In a mixed column all cells become
words, and what they mean is worked out as for text.
"""

import datetime as dt
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._errors import DataError
from latentforest._base._in_words import row_of_file
from latentforest.reading._clock import clock_word
from latentforest.reading._dialect import Dialect

_EXACT = 2**53  # up to here integers and floats are the same numbers


def array_of(values: Sequence[Any]) -> Any:
    """Return a pyarrow array of numbers, booleans, dates or times, or else of words."""
    present = [value for value in values if not _is_missing(value)]
    sorts = {_sort(value) for value in present}
    if sorts == {"date", "stamp"}:
        values, sorts = [_stamp(value) for value in values], {"stamp"}
    kind = _KINDS.get(sorts.pop()) if len(sorts) == 1 else None
    if kind is not None:
        cells = [None if _is_missing(value) else value for value in values]
        whole = [v for v in present if isinstance(v, int)] if kind == "number" else []
        try:
            if any(abs(value) > _EXACT for value in whole):
                raise OverflowError  # no digit shall be lost: words keep them all
            array = pa.array(cells, None if kind == "number" else kind)
            return array if kind != "number" or _is_number(array) else _floats(array)
        except (pa.ArrowInvalid, OverflowError):
            pass  # beyond what the type can hold
    return pa.array([word_of(value) for value in values], pa.string())


def _stamp(value: Any) -> Any:
    day = isinstance(value, dt.date) and not isinstance(value, dt.datetime)
    return dt.datetime.combine(value, dt.time()) if day else value


def _floats(array: Any) -> Any:
    return array.cast(pa.float64())


def _is_number(array: Any) -> bool:
    return pa.types.is_int64(array.type) or pa.types.is_float64(array.type)


def _is_missing(value: Any) -> bool:
    nan = isinstance(value, float) and math.isnan(value)
    return value is None or nan or (isinstance(value, str) and value == "")


def _sort(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float | Decimal):
        return "number"
    if isinstance(value, dt.datetime):
        # Workbooks have no dates without a time: midnights are dates.
        if value.tzinfo is not None:
            return "word"
        return "date" if value.time() == dt.time() else "stamp"
    if isinstance(value, dt.date):
        return "date"
    if isinstance(value, dt.time):
        return "time"
    return "duration" if isinstance(value, dt.timedelta) else "word"


_KINDS: dict[str, Any] = {
    "boolean": pa.bool_(),
    "number": "number",
    "date": pa.date32(),
    "stamp": pa.timestamp("us"),
    "time": pa.time64("us"),
    "duration": pa.duration("us"),
}


def join_tables(tables: Sequence[Any]) -> Any:
    """Return one table of several; columns of several types become words.

    Of integers and floats they become floats, of dates and times timestamps.
    """
    first = tables[0].schema
    if all(table.schema.equals(first) for table in tables):
        return pa.concat_tables(tables)
    columns = {}
    for name in first.names:
        parts = [table.column(name) for table in tables]
        kind = _common({part.type for part in parts})
        try:
            columns[name] = _joined(parts, kind)
        except pa.ArrowInvalid:  # integers that no float is equal to
            columns[name] = _joined(parts, pa.string())
    return pa.table(columns)


def _joined(parts: Sequence[Any], kind: Any) -> Any:
    chunks = [chunk for part in parts for chunk in _cast(part, kind).chunks]
    return pa.chunked_array(chunks, kind)


def _common(kinds: set[Any]) -> Any:
    if len(kinds) == 1:
        return kinds.pop()
    if kinds <= {pa.int64(), pa.float64()}:
        return pa.float64()
    if kinds <= {pa.date32(), pa.timestamp("us")}:
        return pa.timestamp("us")
    return pa.string()


def _cast(column: Any, kind: Any) -> Any:
    if column.type == kind:
        return column
    if kind == pa.string():
        return words_of(column)
    return column.cast(kind)


def words_of(column: Any) -> Any:
    """Return a pyarrow column as words; missing is the empty word."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return pc.fill_null(column.cast(pa.string()), "")
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    words = [[word_of(value) for value in chunk.to_pylist()] for chunk in chunks]
    return pa.chunked_array(words, pa.string())


def word_of(value: Any) -> str:
    """Return what a CSV would hold for a value; missing is the empty word."""
    if _is_missing(value):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, dt.datetime):
        text = value.isoformat(" ")
        return text.removesuffix(" 00:00:00")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return clock_word(value // dt.timedelta(microseconds=1), 10**6)
    if is_nested(value):
        raise TypeError(f"a {type(value).__name__}")
    if isinstance(value, float | Decimal):
        return _number(float(value))
    return str(value)


def is_nested(value: Any) -> bool:
    """Whether a value is no cell: a list, an object, bytes."""
    return isinstance(value, list | dict | tuple | bytes)


def nested_error(label: str, name: str, row: int, dialect: Dialect) -> DataError:
    """Return the error for a column with such a value; rows count from 0."""
    advice = "leave the column out of the file"
    if not dialect.in_python:
        advice += f", or out of a fit with {dialect.option('drop', name)}"
    return DataError(
        f"{label}: column {name!r} holds lists, objects or bytes, the first in "
        f"{row_of_file(row)}. A cell must be a number, text, a date or empty: {advice}."
    )


def _number(value: float) -> str:
    """Return a number in words: 1.0 as 1, since both may be meant by either."""
    return str(int(value) if abs(value) <= _EXACT and value == int(value) else value)
