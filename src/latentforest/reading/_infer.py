"""What the columns of a text table hold, decided over all rows of all columns."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._errors import DataError
from latentforest._base._types import Bools, Floats
from latentforest.reading._cells import (
    is_any,
    joined,
    read_words,
    trimmed,
    truths,
    without,
)
from latentforest.reading._column import Column
from latentforest.reading._date_notation import DateNotation
from latentforest.reading._dialect import MISSING, Dialect, Kinds
from latentforest.reading._exact import check_finite, first_inexact
from latentforest.reading._find_dates import Dates
from latentforest.reading._find_numbers import Numbers
from latentforest.reading._first_look import FirstLook
from latentforest.reading._gap_words import are_gaps, note_on_gap_words
from latentforest.reading._notation import Notation, Way
from latentforest.reading._number_notation import NumberNotation
from latentforest.reading._said import said_notation
from latentforest.reading._settle import advise, settle_dates, settle_number
from latentforest.reading._tally import Tally
from latentforest.reading._two_ways import two_ways
from latentforest.table import ColumnKind

ENOUGH = 0.98  # share of cells that must be written in one way
_MOST = 0.8  # share from which it is worth saying that a column looks like numbers
_SOME = 0.5  # share from which a column is no id, even if all its words differ
_GAPS_SHOWN = 3  # words for missing cells in a report
_KEPT = 200  # words of a column that a model remembers as missing
_TOO_LONG = r"[0-9]{16}"  # to be an integer that is a float, too


def infer_columns(
    cells: Mapping[str, Any],
    dialect: Dialect,
    kinds: Kinds,
    *,
    commas_are_decimal: bool = False,
    counts: Mapping[str, Floats] | None = None,
) -> dict[str, Column]:
    """Read whole columns of words.

    Parameters
    ----------
    cells : mapping of str to pyarrow array of strings
        The words of each column, none of them null.
    dialect : Dialect
        What the user says of how they are written.
    kinds : mapping of str to str or sequence
        What the user says of columns: "continuous" and "integer" must be numbers,
        of categories and of levels in order the words are kept.
    commas_are_decimal : bool, default=False
        Whether cells are kept apart by semicolons, so that 1,234 is not taken for
        thousands.
    counts : mapping of str to ndarray or None, default=None
        How many cells each word stands for; None: one.
    """
    counts = counts or {}
    looks = {
        name: _Look(name, column, dialect, kinds.get(name), counts.get(name))
        for name, column in cells.items()
    }
    decimal = _agreed(look.decimal for look in looks.values())
    order = _agreed(look.order for look in looks.values())
    return {
        name: look.column(decimal, order, commas_are_decimal=commas_are_decimal)
        for name, look in looks.items()
    }


def _agreed(found: Iterable[str | None]) -> str | None:
    """Return what all columns that show it show."""
    shown = {sign for sign in found if sign is not None}
    return shown.pop() if len(shown) == 1 else None


class _Look(FirstLook):
    """A column that is read, once all columns have been looked at."""

    def column(
        self, decimal: str | None, order: str | None, *, commas_are_decimal: bool
    ) -> Column:
        """Return the column, given what the other columns show."""
        words = self.words
        if self.sort == "nothing":
            nothing = pa.nulls(len(words), pa.float64())
            return self._with_gaps(nothing, note=self._note_on_gap_words())
        if self.sort == "booleans":
            return self._with_gaps(truths(words))
        if self.sort == "integers":
            return self._with_gaps(pc.cast(pc.utf8_ltrim(words, "+"), pa.int64()))
        if self.sort == "long integers":
            return self._with_gaps(self._long_integers())
        if self.sort == "floats":
            values = pc.cast(words, pa.float64())
            return self._with_gaps(self._finite(values))
        if self.sort == "text":
            return self._text()
        name, found, tally, dialect = self.name, self.found, self.tally, self.dialect
        way: Way
        if isinstance(found, Dates):
            way, note = settle_dates(name, found, tally, dialect, order)
        elif isinstance(found, Numbers):
            way, note = settle_number(
                *(name, found, tally, dialect, decimal),
                commas_are_decimal=commas_are_decimal,
            )
        else:
            return self._with_gaps(self._insist(words, said_notation(dialect)))
        return self._values(found.good, way, note)

    def _finite(self, values: Any) -> Any:
        if self.counts is None:  # else it is done where all rows are read
            check_finite(self.name, self.words, values, 0, self.dialect)
        return values

    def _long_integers(self) -> Any:
        """Read whole numbers of many digits as numbers, which the user wants."""
        word = first_inexact(self.words)
        if self.kind == ColumnKind.integer and word is not None:
            message = (
                f"Column {self.name!r} holds {word}, and floats cannot tell whole "
                "numbers beyond 2^53 apart. Leave its kind out, and it is text; as "
                "continuous its last digits are lost."
            )
            raise DataError(message)
        return self._finite(pc.cast(self.words, pa.float64()))

    def _insist(self, words: Any, way: Way) -> Any:
        """Read cells as what the user says they are, or name the first that is not."""
        hint = f"The column should hold {self.must_be}s."
        if self.sort == "values" and self.must_be == "date" and self.found is None:
            way = DateNotation("yyyy-MM-dd")
        return read_words(self.name, words, 0, hint, (way,), self.dialect)

    def _values(self, good: Bools, way: Way, note: str) -> Column:
        what = "number" if isinstance(way, NumberNotation) else way.sort
        gaps: Bools = _flags(are_gaps(self.tally.words)) & ~good
        gaps &= not self.dialect.only_na
        odd, counts = ~good & ~gaps, self.tally.counts
        n_good, n_odd = counts[good].sum(), counts[odd].sum()
        share = n_good / (n_good + n_odd)
        if self.must_be is not None:
            values = self._insist(self._words_without(gaps), way)
            odd &= False
        elif share < ENOUGH or n_good < counts[gaps].sum():
            return self._text(share, odd | gaps, what)
        else:
            words = self._words_without(gaps | odd)
            if not isinstance(way, NumberNotation):
                values = way.read(words)
            elif first_inexact(way.whole_digits(words)) is not None:
                self.is_long = True
                return self._text()
            else:
                values = way.read(words, whole=self._is_whole(way, words))
                if self.counts is None:
                    check_finite(self.name, words, values, 0, self.dialect)
        out = gaps | odd
        if out.any():
            count = int(counts[out].sum())
            are = f"cell is no {what} and counts"
            if count > 1:
                are = f"cells are no {what}s and count"
            said = f"{self.name}: {count:,} {are} as missing: {self.tally.shown(out)}"
            note = f"{note}; {said}" if note else said
        told = "" if way.is_plain else f"written like {way.example}"
        kept = None if way.is_plain else way
        return self._with_gaps(values, kept, self.tally.only(out), told, note)

    def _words_without(self, chosen: Bools) -> Any:
        words = self.tally.listed(chosen)
        return joined(without(self.words, words)) if words else self.words

    @staticmethod
    def _is_whole(way: NumberNotation, words: Any) -> bool:
        if way.fraction or way.is_percent:
            return False
        digits = pc.match_substring_regex(way.whole_digits(words), _TOO_LONG)
        return not is_any(pc.or_(pc.match_substring_regex(words, "[eE]"), digits))

    def _text(
        self, share: float = 0.0, odd: Bools | None = None, what: str = "number"
    ) -> Column:
        missing = self.missing
        words = self.words if self.dialect.strip else without(self.cells, missing)
        told, note = "", ""
        if self.is_long:
            told = "numbers of too many digits for floats"
        elif self.dialect.strip and not self.words.equals(
            joined(without(self.cells, missing))
        ):
            told = "blanks around it removed"
        if odd is not None:
            note = two_ways(self.name, odd, self.tally, self.dialect)
        if share >= _SOME and odd is not None:
            told = f"{min(int(100 * share), 99)} % of the cells look like {what}s"
            if share >= _MOST and not note:
                note = advise(self.name, told, odd, self.tally, self.dialect)
        note = "; ".join(filter(None, [note, self._note_on_gap_words()]))
        return self._with_gaps(words, told=told, note=note)

    @cached_property
    def _gap_tally(self) -> Tally:
        """The words that mean missing everywhere, and those that the user has named."""
        gone = pc.is_null(self.words)
        counts = None if self.counts is None else self.counts[_flags(gone)]
        return Tally.of_cells(joined(trimmed(self.cells)).filter(gone), counts)

    def _note_on_gap_words(self) -> str:
        """Say which words that may be levels are read as missing."""
        n_cells = len(self.cells) if self.counts is None else self.counts.sum()
        return note_on_gap_words(self.name, self._gap_tally, n_cells, self.dialect)

    def _with_gaps(
        self,
        values: Any,
        way: Way | None = None,
        out: Tally | None = None,
        told: str = "",
        note: str = "",
    ) -> Column:
        """Return the column; its notation remembers what is missing in it alone.

        ``out`` are words that are not like the others; words of the user are kept, too.
        """
        missing, kept = self._gap_tally, []
        if out is not None:
            every = out.listed(np.ones(len(out.counts), np.bool_))
            kept = [word for word in every if len(word) <= 100][:_KEPT]
            missing = missing.plus(out)
        if any(word for word in missing.words.to_pylist()):
            shown = f"{missing.shown(missing.counts > 0, _GAPS_SHOWN)} missing"
            told = ", ".join(filter(None, [told, shown]))
        own = set(self.dialect.na) - set(MISSING)
        if own:
            cells = trimmed(self.cells)
            own = {w for w in own if is_any(pc.equal(cells, w))}
        gaps = tuple(dict.fromkeys([*sorted(own), *kept]))
        return Column(values, Notation(way, gaps).text, told, note)


def _flags(array: Any) -> Bools:
    return array.to_numpy(zero_copy_only=False)
