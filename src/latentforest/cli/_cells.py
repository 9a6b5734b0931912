"""Words of a text file to values: the one place that decides what a cell means.

``fit`` decides per column over the whole file; every later command reads the same
column in the way that the model's schema says, whatever a block of rows looks like.
"""

from collections.abc import Collection
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from latentforest.cli._exit import DataError
from latentforest.table import ColumnKind, ColumnSpec

# What pandas takes for missing, too.
MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan"),
    *("1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a"),
    *("nan", "null"),
)
_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_WHOLE = r"^[+-]?[0-9]{1,18}$"
_NUMBER = (
    r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
    r"|^[+-]?(?i:inf|infinity|nan)$"
)
_LEADING_ZERO = r"^[+-]?0[0-9]"  # an identifier: as a number it would lose its zeros
_CORRECT = "Correct the cell, or give --na {word} if it means missing."
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]+(Z|[+-][0-9:]+)?)?$"


def infer_cells(
    name: str, cells: Any, missing: Collection[str], kind: str | None = None
) -> Any:
    """Values of a whole column of words, as integers, floats, booleans or text.

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    cells : pyarrow array of strings
        The words, none of them null.
    missing : collection of str
        Words that mean missing.
    kind : str or None, default=None
        What the user says the column is: "continuous" and "integer" must be numbers.

    Returns
    -------
    pyarrow array
        int64, double, bool or string.
    """
    words = _without(pc.utf8_trim_whitespace(cells), missing)
    if kind in {ColumnKind.continuous, ColumnKind.integer}:
        return _numbers(name, words, 0, f"The column should hold numbers. {_CORRECT}")
    if words.null_count == len(words):
        return pa.nulls(len(words), pa.float64())
    if _all(pc.match_substring_regex(words, _NUMBER)) and not _any(
        pc.match_substring_regex(words, _LEADING_ZERO)
    ):
        if _all(pc.match_substring_regex(words, _WHOLE)):
            return pc.cast(pc.utf8_ltrim(words, "+"), pa.int64())
        return pc.cast(words, pa.float64())
    if _are_truths(words):
        return _truths(words)
    return _without(cells, missing)


def looks_like_dates(cells: Any) -> bool:
    """Whether all cells of a column of text are dates."""
    return (
        pa.types.is_string(cells.type)
        and cells.null_count < len(cells)
        and _all(pc.match_substring_regex(cells, _DATE))
    )


def read_cells(
    spec: ColumnSpec, cells: Any, missing: Collection[str], first_row: int
) -> Any:
    """Values of a column of words under the spec of a fitted column.

    Parameters
    ----------
    spec : ColumnSpec
        The column as fitted.
    cells : pyarrow array of strings
        The words, none of them null.
    missing : collection of str
        Words that mean missing; a word that is a level of the column never does.
    first_row : int
        Number of the first row, for messages.

    Returns
    -------
    pyarrow array
        double, bool or string.
    """
    if not _is_numeric(spec):
        levels = {str(level) for level in spec.levels}
        return _without(cells, set(missing) - levels)
    words = _without(pc.utf8_trim_whitespace(cells), missing)
    if spec.storage == "boolean" and _are_truths(words):
        return _truths(words)
    held = "booleans" if spec.storage == "boolean" else "numbers"
    hint = f"The column held {held} in fit. {_CORRECT}"
    return _numbers(str(spec.name), words, first_row, hint)


def read_coordinate(
    name: str, cells: Any, missing: Collection[str], first_row: int
) -> Any:
    """Numbers of a column of coordinates; missing ones are null."""
    words = _without(pc.utf8_trim_whitespace(cells), missing)
    return _numbers(name, words, first_row, "Coordinates must be numbers.")


def _is_numeric(spec: ColumnSpec) -> bool:
    if spec.storage.is_numeric:
        return True
    return bool(spec.levels) and not any(isinstance(v, str) for v in spec.levels)


def _numbers(name: str, words: Any, first_row: int, hint: str) -> Any:
    try:
        return pc.cast(words, pa.float64())
    except pa.ArrowInvalid as exc:
        good = pc.fill_null(pc.match_substring_regex(words, _NUMBER), fill_value=True)
        place = pc.index(good, value=False).as_py()
        word = words[place].as_py()
        message = (
            f"Column {name!r} holds {word!r} in row {first_row + place + 1}. "
            + hint.format(word=repr(word))
        )
        raise DataError(message) from exc


def _are_truths(words: Any) -> bool:
    # To is_in, a null is not a member.
    return _all(pc.is_in(words.drop_null(), pa.array([*_TRUE, *_FALSE])))


def _truths(words: Any) -> Any:
    truths = pc.is_in(words, pa.array(_TRUE))
    return pc.if_else(pc.is_null(words), pa.scalar(None, pa.bool_()), truths)


def _without(words: Any, missing: Collection[str]) -> Any:
    gone = pc.is_in(words, pa.array(sorted(missing), pa.string()))
    # pyarrow before 24 builds broken text from one null and a slice of an array.
    return pc.if_else(gone, pa.nulls(len(words), pa.string()), words)


def _all(flags: Any) -> bool:
    return pc.all(flags, min_count=0).as_py() is True


def _any(flags: Any) -> bool:
    return pc.any(flags, min_count=0).as_py() is True
