"""Numbers that floats cannot hold: whole ones with too many digits, and huge ones."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._errors import DataError
from latentforest._base._in_words import row_of_file
from latentforest.reading._dialect import Dialect

LONG = r"^[+-]?[0-9]{16,}$"  # 2^53, up to which floats hold every integer, has 16
_MOST_DIGITS = 309  # of a float
_INFINITE = r"^[+-]?(?i:inf|infinity)$"
_SHOWN = 60


def first_inexact(words: Any) -> str | None:
    """Return the first whole number that no float is equal to; None if there is none.

    Parameters
    ----------
    words : pyarrow array of strings
        Words; null is missing.
    """
    long = words.filter(pc.match_substring_regex(words, LONG))
    return next((w for w in long.unique().to_pylist() if is_inexact(w)), None)


def are_inexact(words: Any) -> Any:
    """Tell for each word whether it is a whole number that no float is equal to."""
    long = pc.match_substring_regex(words, LONG)
    if not pc.any(long).as_py():
        return long
    pairs = zip(words.to_pylist(), long.to_pylist(), strict=True)
    return pa.array([bool(flag) and is_inexact(word) for word, flag in pairs])


def is_inexact(word: str) -> bool:
    """Whether a word of digits is a number that no float is equal to."""
    return len(word) > _MOST_DIGITS or int(word) != int(float(word))


def check_finite(
    name: str, words: Any, values: Any, first_row: int, dialect: Dialect | None
) -> None:
    """Refuse a number beyond the largest float, which would become infinity.

    Parameters
    ----------
    name : str
        The column, for the message.
    words : pyarrow array of strings
        Its words; null is missing.
    values : pyarrow array
        What they were read as.
    first_row : int
        Number of the first row, for the message.
    dialect : Dialect or None
        Who is told what to do.
    """
    if not pa.types.is_floating(values.type):
        return
    beyond = pc.is_inf(values)
    if not pc.any(beyond).as_py():
        return
    beyond = pc.and_(beyond, pc.invert(pc.match_substring_regex(words, _INFINITE)))
    place = pc.index(beyond, value=True).as_py()
    if place < 0:
        return
    word = words[place].as_py()
    shown = word if len(word) <= _SHOWN else f"{word[: _SHOWN - 1]}…"
    advice = ""
    if dialect is not None:
        short = shown == word
        option = dialect.option("na", word) if short else f"it to {dialect.name('na')}"
        advice = f", or give {option} if it means missing"
    message = (
        f"Column {name!r} holds {shown!r} in {row_of_file(first_row + place)}, which "
        f"is beyond the largest float, about 1.8e308. Correct the cell{advice}."
    )
    raise DataError(message)
