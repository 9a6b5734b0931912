"""How a column was written, as the text that a model keeps of it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from latentforest._base._errors import ModelFileError
from latentforest._base._values import damaged
from latentforest.reading._clock import LAST_YEAR
from latentforest.reading._date_notation import DateNotation
from latentforest.reading._number_notation import NumberNotation
from latentforest.table import ColumnSpec, Storage

_OFFSET = re.compile(r"|UTC|[+-][0-9]{2}:[0-9]{2}")  # in text, zones have no names

_UNTIL = re.compile(r"date to ([1-9][0-9]{3})")  # the latest year of two digits

Way: TypeAlias = NumberNotation | DateNotation


@dataclass(frozen=True)
class Notation:
    """How the cells of a column are written in text.

    Parameters
    ----------
    cells : NumberNotation, DateNotation or None, default=None
        How values are written; None is the plain way.
    gaps : tuple of str, default=()
        Words that mean missing in this column, besides those that always do.
    """

    cells: Way | None = None
    gaps: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The notation in lines: the pattern of the cells, then the words."""
        first = ""
        if self.cells is not None:
            sort = getattr(self.cells, "sort", "number")
            first = f"{sort}:{self.cells.pattern}"
            last_year = getattr(self.cells, "last_year", LAST_YEAR)
            if last_year != LAST_YEAR:
                first = f"{sort} to {last_year}:{self.cells.pattern}"
        return "\n".join((first, *self.gaps))

    @classmethod
    def from_text(cls, text: str) -> "Notation":
        """Return the notation that a model keeps, or refuse the model."""
        first, *gaps = text.split("\n")
        kind, _, pattern = first.partition(":")
        until = _UNTIL.fullmatch(kind)
        try:
            cells = _KINDS["date" if until else kind](pattern)
            if until is not None:
                cells = cells.until(int(until[1]))
        except (KeyError, ValueError) as exc:
            message = (
                f"A column of the model is written in a way that is not known: "
                f"{first[:60]!r}. Get another copy of it, or a newer latentforest."
            )
            raise ModelFileError(message) from exc
        return cls(cells, tuple(gaps))


_KINDS: dict[str, Any] = {
    "": lambda _: None,
    "number": NumberNotation.from_pattern,
    **{sort: partial(DateNotation, sort=sort) for sort in ("date", "time", "duration")},
}


def check_notations(columns: Iterable[ColumnSpec]) -> None:
    """Refuse a model with columns that cannot be written in the way that it says."""
    for column in columns:
        cells = Notation.from_text(column.notation).cells
        if cells is not None and not _fits(cells, column):
            message = f"column {column.name!r} is not written like {cells.pattern!r}"
            raise damaged(message)


def _fits(cells: Way, column: ColumnSpec) -> bool:
    storage = column.storage
    if isinstance(cells, NumberNotation):
        plain = {type(level) for level in column.levels} <= {int, float}
        named = storage is Storage.dictionary and bool(column.levels) and plain
        return named or storage in {Storage.integer, Storage.float}
    if cells.sort != "date":
        return storage == cells.sort
    zone = "" if column.ticks is None else column.ticks.zone
    return storage.is_instant and not (
        cells.has_zone and _OFFSET.fullmatch(zone) is None
    )
