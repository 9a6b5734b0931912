"""What the columns of a text table hold, decided over all rows of all columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._errors import DataError
from latentforest._base._types import Bools
from latentforest.reading._cells import (
    NUMBER,
    are_truths,
    is_all,
    is_any,
    numbers,
    said_notation,
    trimmed,
    truths,
    without,
)
from latentforest.reading._dialect import MISSING, Dialect
from latentforest.reading._find_numbers import Numbers, find_numbers
from latentforest.reading._gap_words import are_gaps
from latentforest.reading._notation import Notation
from latentforest.reading._number_notation import NumberNotation
from latentforest.reading._tally import Tally
from latentforest.table import ColumnKind

ENOUGH = 0.98  # share of cells that must be written in one way
_MOST = 0.8  # share from which it is worth saying that a column looks like numbers
_KEPT = 200  # words of a column that a model remembers as missing
_WHOLE = r"^[+-]?[0-9]{1,18}$"
_LEADING_ZERO = r"^[+-]?0[0-9]"  # an identifier: as a number it would lose its zeros
_POINT_CURRENCIES = ("$", "US$", "USD", "£", "GBP", "¥", "₹")  # commas part thousands
_OPEN_POINT = r"^[+-]?[1-9][0-9]{0,2}\.[0-9]{3}$"  # or thousands


@dataclass(frozen=True)
class Column:
    """A column as it was read.

    Parameters
    ----------
    values : pyarrow array
        int64, double, bool or string.
    notation : str, default=""
        How it was written, as a model keeps it.
    told : str, default=""
        What a report on the column says of that.
    note : str, default=""
        What the user should know.
    """

    values: Any
    notation: str = ""
    told: str = ""
    note: str = ""

    @property
    def is_disguised(self) -> bool:
        """Whether only people can tell that the words are values."""
        return self.notation[:1] not in {"", "\n"}


def infer_columns(
    cells: Mapping[str, Any],
    dialect: Dialect,
    kinds: Mapping[str, str],
    *,
    commas_are_decimal: bool = False,
) -> dict[str, Column]:
    """Read whole columns of words.

    Parameters
    ----------
    cells : mapping of str to pyarrow array of strings
        The words of each column, none of them null.
    dialect : Dialect
        What the user says of how they are written.
    kinds : mapping of str to str
        What the user says of columns: "continuous" and "integer" must be numbers,
        and of categories the words are kept.
    commas_are_decimal : bool, default=False
        Whether cells are kept apart by semicolons, so that 1,234 is not taken for
        thousands.
    """
    looks = {
        name: _Look(name, column, dialect, kinds.get(name))
        for name, column in cells.items()
    }
    signs = {look.decimal for look in looks.values()} - {None}
    decimal = signs.pop() if len(signs) == 1 else None
    return {
        name: look.column(decimal, commas_are_decimal=commas_are_decimal)
        for name, look in looks.items()
    }


class _Look:
    """A first look at a column: what it may be, and which decimal sign it shows."""

    def __init__(
        self, name: str, cells: Any, dialect: Dialect, kind: str | None
    ) -> None:
        self.name, self.cells, self.dialect, self.kind = name, cells, dialect, kind
        self.words = _joined(without(trimmed(cells), dialect.missing))
        self.decimal: str | None = None
        self.found: Numbers | None = None
        self.sort = self._sort()

    @property
    def _must_be_numbers(self) -> bool:
        return self.kind in {ColumnKind.continuous, ColumnKind.integer}

    def _sort(self) -> str:
        words = self.words
        if words.null_count == len(words):
            return "nothing"
        zeros = is_any(pc.match_substring_regex(words, _LEADING_ZERO))
        if not zeros and is_all(pc.match_substring_regex(words, _WHOLE)):
            return "integers"
        if not zeros and is_all(pc.match_substring_regex(words, NUMBER)):
            if not self._point_is_open():
                self.decimal = "."
                return "floats"
        elif are_truths(words) and not self._must_be_numbers:
            return "booleans"
        if self.kind in {ColumnKind.category, ColumnKind.ordered}:
            return "text"
        self.tally = Tally(words)
        self.found = find_numbers(self.tally, self.dialect)
        if self.found is not None and len(self.found.options) == 1:
            option = self.found.options[0]
            if option.fraction or option.thousands in {".", ","}:
                self.decimal = option.decimal
        return "text" if self.found is None else "numbers"

    def _point_is_open(self) -> bool:
        pointed = self.words.filter(pc.match_substring(self.words, "."))
        return len(pointed) > 0 and is_all(
            pc.match_substring_regex(pointed, _OPEN_POINT)
        )

    def column(self, decimal: str | None, *, commas_are_decimal: bool) -> Column:
        """Return the column, given the decimal sign of the other columns."""
        words = self.words
        if self.sort == "nothing":
            return Column(pa.nulls(len(words), pa.float64()))
        if self.sort == "booleans":
            return self._with_gaps(truths(words))
        if self.sort == "integers":
            whole = pc.cast(pc.utf8_ltrim(words, "+"), pa.int64())
            return self._with_gaps(whole)
        if self.sort == "floats":
            return self._with_gaps(pc.cast(words, pa.float64()))
        if self.found is not None:
            option, note = self._settle(
                self.found, decimal, commas_are_decimal=commas_are_decimal
            )
            return self._numbers(self.found, option, note)
        if self._must_be_numbers:
            hint = "The column should hold numbers."
            said = said_notation(self.dialect)
            return self._with_gaps(
                numbers(self.name, words, 0, hint, (said,), self.dialect)
            )
        return self._text()

    def _settle(
        self, found: Numbers, decimal: str | None, *, commas_are_decimal: bool
    ) -> tuple[NumberNotation, str]:
        """Decide what a sign means that the cells of the column leave open."""
        if len(found.options) == 1:
            return found.options[0], ""
        for way in found.options:
            if way.decimal == decimal:
                return way, ""
        sign, option = found.sign, self.dialect.option
        word = self.tally.first_with(sign)
        if sign not in ".," or (sign == "," and commas_are_decimal):
            message = (
                f"Column {self.name!r} holds numbers such as {word!r}. Is {sign!r} the "
                "decimal sign, or does it part thousands? Give "
                f"{option('decimal', sign)} or {option('thousands', sign)}."
            )
            raise DataError(message)
        chosen = next(way for way in found.options if way.decimal == ".")
        if chosen.before.strip() in _POINT_CURRENCIES:
            return chosen, ""
        taken = "commas part thousands in numbers such as"
        if sign == ".":
            taken = "points are the decimal sign of numbers such as"
        other = option("thousands" if sign == "." else "decimal", sign)
        return chosen, f"{self.name}: {taken} {word}. If not, give {other}"

    def _numbers(self, found: Numbers, way: NumberNotation, note: str) -> Column:
        gaps: Bools = _flags(are_gaps(self.tally.words)) & ~found.good
        gaps &= not self.dialect.only_na
        odd, counts = ~found.good & ~gaps, self.tally.counts
        n_good, n_odd = counts[found.good].sum(), counts[odd].sum()
        share = n_good / (n_good + n_odd)
        if self._must_be_numbers:
            words = _joined(without(self.words, self.tally.listed(gaps)))
            hint = "The column should hold numbers."
            values = numbers(self.name, words, 0, hint, (way,), self.dialect)
        elif share < ENOUGH or n_good < self.tally.counts[gaps].sum():
            return self._text(share, odd | gaps)
        else:
            left_out = self.tally.listed(gaps | odd)
            words = _joined(without(self.words, left_out)) if left_out else self.words
            values = way.read(words, whole=self._is_whole(way, words))
        told = [] if way.is_plain else [f"written like {way.example}"]
        out = gaps | odd
        if out.any():
            count = int(self.tally.counts[out].sum())
            are = "cell is no number and counts"
            if count > 1:
                are = "cells are no numbers and count"
            said = f"{self.name}: {count:,} {are} as missing: {self.tally.shown(out)}"
            note = f"{note}; {said}" if note else said
            told.append(f"{self.tally.shown(out, 2)} missing")
        kept = [word for word in self.tally.listed(out) if len(word) <= 100][:_KEPT]
        return self._with_gaps(
            values, None if way.is_plain else way, kept, ", ".join(told), note
        )

    @staticmethod
    def _is_whole(way: NumberNotation, words: Any) -> bool:
        if way.fraction or way.is_percent:
            return False
        return not is_any(pc.match_substring_regex(words, "[eE][+-]?[0-9]|[0-9]{19}"))

    def _text(self, share: float = 0.0, odd: Bools | None = None) -> Column:
        missing = self.dialect.missing
        words = self.words if self.dialect.strip else without(self.cells, missing)
        told, note = "", ""
        if self.dialect.strip and not self.words.equals(
            _joined(without(self.cells, missing))
        ):
            told = "blanks around it removed"
        if share >= _MOST and odd is not None:
            shown = f"{min(int(100 * share), 99)} % of the cells look like numbers"
            words_out = self.tally.listed(odd)[:3]
            advice = " ".join(self.dialect.option("na", word) for word in words_out)
            if self.dialect.in_python:
                advice = self.dialect.option("na", words_out)
            note = (
                f"{self.name}: {shown}, the others are {self.tally.shown(odd)}. If "
                f"these mean missing, give {advice}"
            )
            told = shown
        return self._with_gaps(words, told=told, note=note)

    def _with_gaps(
        self,
        values: Any,
        way: NumberNotation | None = None,
        kept: list[str] | None = None,
        told: str = "",
        note: str = "",
    ) -> Column:
        """Return the column; its notation remembers the words of the user, too."""
        own = set(self.dialect.na) - set(MISSING)
        if own:
            cells = trimmed(self.cells)
            own = {w for w in own if is_any(pc.equal(cells, w))}
        gaps = tuple(dict.fromkeys([*sorted(own), *(kept or [])]))
        return Column(values, Notation(way, gaps).text, told, note)


def _joined(array: Any) -> Any:
    return array.combine_chunks() if hasattr(array, "combine_chunks") else array


def _flags(array: Any) -> Bools:
    return array.to_numpy(zero_copy_only=False)
