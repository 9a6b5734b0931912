"""A first look at a column of words: numbers, dates, truths or text."""

from collections.abc import Sequence
from typing import Any

import pyarrow.compute as pc

from latentforest._base._types import Floats
from latentforest.reading._cells import (
    NUMBER,
    are_truths,
    is_all,
    is_any,
    joined,
    trimmed,
    without,
)
from latentforest.reading._dialect import Dialect
from latentforest.reading._exact import LONG, first_inexact
from latentforest.reading._find_dates import Dates, find_dates
from latentforest.reading._find_numbers import Numbers, find_numbers
from latentforest.reading._said import OPEN_POINT
from latentforest.reading._tally import Tally
from latentforest.table import ColumnKind

_WHOLE = r"^[+-]?[0-9]+$"
_LEADING_ZERO = r"^[+-]?0[0-9]"  # an identifier: as a number it would lose its zeros
_PACKED = r"^(?:19|20)[0-9]{6}$"  # a date, if the user says so


class FirstLook:
    """What a column of words may be, and what it shows of the others.

    Parameters
    ----------
    name : str
        The column.
    cells : pyarrow array of strings
        Its words, none of them null.
    dialect : Dialect
        What the user says of how they are written.
    kind : str, sequence or None
        What the user says that it is.
    counts : ndarray or None, default=None
        How many cells each word stands for; None: one.
    """

    def __init__(
        self,
        name: str,
        cells: Any,
        dialect: Dialect,
        kind: str | Sequence[Any] | None,
        counts: Floats | None = None,
    ) -> None:
        self.name, self.cells, self.dialect = name, cells, dialect
        # Levels in order are words, unless the cells are numbers.
        self.is_listed = kind is not None and not isinstance(kind, str)
        self.kind = ColumnKind.ordered if self.is_listed else kind
        self.counts, self.missing = counts, dialect.missing_in(kind)
        self.words = joined(without(trimmed(cells), self.missing))
        self.decimal: str | None = None  # the decimal sign that the column shows
        self.order: str | None = None  # the order of day and month
        self.found: Numbers | Dates | None = None
        self.is_long = False  # whether words are numbers with too many digits
        self.sort = self._sort()

    @property
    def must_be(self) -> str | None:
        """What the user says that all cells are."""
        if self.kind in {ColumnKind.continuous, ColumnKind.integer}:
            return "number"
        return "date" if self.kind == ColumnKind.datetime else None

    def _sort(self) -> str:
        words, must_be = self.words, self.must_be
        if words.null_count == len(words):
            return "nothing"
        packed = self.dialect.dates == "year-first" or must_be == "date"
        if must_be == "date" or (packed and self._matches(_PACKED)):
            self.tally = Tally.of_cells(words, self.counts)
            self.found = find_dates(self.tally, self.dialect, packed=packed)
            if self.found is not None or must_be == "date":
                return "values"
        plain = self._sort_of_plain()
        if plain is not None:
            return plain
        if self._are_truths():
            return "booleans"
        if self.kind in {ColumnKind.category, ColumnKind.ordered}:
            return "text"
        self.tally = Tally.of_cells(words, self.counts)
        if must_be is None:
            dates = find_dates(self.tally, self.dialect, packed=packed)
            if dates is not None:
                self.found, self.order = dates, dates.order
                return "values"
        found = self.found = find_numbers(self.tally, self.dialect)
        if found is not None and len(found.options) == 1:
            way = found.options[0]
            if way.fraction or way.thousands in {".", ","}:
                self.decimal = way.decimal
        return "text" if self.found is None and must_be is None else "values"

    def _sort_of_plain(self) -> str | None:
        """Return the sort of words that every program takes for numbers, or None."""
        words, must_be = self.words, self.must_be
        if is_any(pc.match_substring_regex(words, _LEADING_ZERO)):
            return None
        if self._matches(_WHOLE):
            self.is_long = is_any(pc.match_substring_regex(words, LONG))
            if self.is_long:
                return "text" if must_be is None else "long integers"
            return "integers"
        if not self._matches(NUMBER):
            return None
        self.is_long = must_be is None and first_inexact(words) is not None
        if self.is_long:
            return "text"
        if self._point_is_open():
            return None
        self.decimal = "."
        return "floats"

    def _are_truths(self) -> bool:
        named = self.must_be is not None or self.is_listed
        return not named and are_truths(self.words)

    def _matches(self, regex: str) -> bool:
        return is_all(pc.match_substring_regex(self.words, regex))

    def _point_is_open(self) -> bool:
        pointed = self.words.filter(pc.match_substring(self.words, "."))
        return len(pointed) > 0 and is_all(
            pc.match_substring_regex(pointed, OPEN_POINT)
        )
