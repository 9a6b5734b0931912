"""How a column was written, as the text that a model keeps of it."""

from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from latentforest._base._errors import ModelFileError
from latentforest.reading._date_notation import DateNotation
from latentforest.reading._number_notation import NumberNotation

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
        return "\n".join((first, *self.gaps))

    @classmethod
    def from_text(cls, text: str) -> "Notation":
        """Return the notation that a model keeps, or refuse the model."""
        first, *gaps = text.split("\n")
        kind, _, pattern = first.partition(":")
        try:
            cells = _KINDS[kind](pattern)
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
