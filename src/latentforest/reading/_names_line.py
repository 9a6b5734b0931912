"""The line of names: whether there is one, and what columns are called."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from latentforest._base._checks import listed
from latentforest.reading._dialect import Dialect
from latentforest.reading._preamble import NUMBER

_SHOWN = 3


@dataclass(frozen=True)
class NamesLine:
    """What the first line of a table says.

    Parameters
    ----------
    names : tuple of str
        The names of the columns; one without a name is called as pandas would.
    notes : tuple of str, default=()
        What the user should know of them.
    is_row : bool, default=False
        Whether the line is a row and holds no names.
    """

    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    is_row: bool = False

    @classmethod
    def of(cls, cells: Sequence[str], label: str, dialect: Dialect) -> "NamesLine":
        """Read the line, unless the user says what it is."""
        numbered = tuple(f"x{j}" for j in range(len(cells)))
        if dialect.header is False:
            return cls(numbered, is_row=True)
        if dialect.header is None and _holds_no_names(cells):
            note = (
                f"{label}: the first line is a row and holds no names, so columns are "
                f"called x0, x1, …. If these are names, give {dialect.with_header}."
            )
            return cls(numbered, (note,), is_row=True)
        notes = []
        odd = _doubtful(cells) if dialect.header is None else []
        if odd:
            notes.append(
                f"{label}: names of columns look like cells: {listed(odd, _SHOWN)}. If "
                f"the file has no line of names, give {dialect.no_header}; if these "
                f"are names, {dialect.with_header}."
            )
        names = _without_blanks(cells) if dialect.strip else list(cells)
        bare = [cell for cell, name in zip(cells, names, strict=True) if cell != name]
        if bare:
            notes.append(
                f"{label}: blanks around names of columns are taken away: "
                f"{listed(bare, _SHOWN)}. If they belong to the names, give "
                f"{dialect.no_strip}."
            )
        named = tuple(name or f"Unnamed: {j}" for j, name in enumerate(names))
        return cls(named, tuple(notes))


def _without_blanks(cells: Sequence[str]) -> list[str]:
    """Return names without blanks around them, unless only these tell names apart."""
    names = [cell.strip() for cell in cells]
    return names if len(set(names)) == len(set(cells)) else list(cells)


def _holds_no_names(cells: Sequence[str]) -> bool:
    """Whether a first line is surely a row: numbers that no columns are called by.

    These are a number that comes twice, or fractions in half of the cells, or numbers
    in all of them. Numbers that are names stand in order, as 0, 1, 2 or 2019, 2020.
    """
    present, numbers, fractions = _numbers_in(cells)
    if len(set(numbers)) < len(numbers):
        return True
    if numbers and len(numbers) == len(present) and fractions:
        return True
    if not numbers or (len(numbers) < len(present) and 2 * len(fractions) < len(cells)):
        return False
    if len(numbers) == 1:
        return numbers != ["0"]
    return not _are_in_order(numbers)


def _doubtful(cells: Sequence[str]) -> list[str]:
    """Return names that may be the cells of a row, which would then be lost.

    These are fractions, numbers alone unless they count 0, 1, 2, …, as pandas names
    columns, and numbers among words that are not in order.
    """
    present, numbers, fractions = _numbers_in(cells)
    if fractions:
        return fractions
    if len(numbers) == len(present):
        return [] if numbers == [str(j) for j in range(len(numbers))] else numbers
    return [] if _are_in_order(numbers) else numbers


def _numbers_in(cells: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the cells with something in them, numbers among these, and fractions."""
    present = [cell.strip() for cell in cells if cell.strip()]
    numbers = [cell for cell in present if NUMBER.fullmatch(cell)]
    return present, numbers, [n for n in numbers if not _is_whole(n)]


def _is_whole(number: str) -> bool:
    return number.isdecimal() and number.isascii() and len(number) <= 18


def _are_in_order(numbers: Sequence[str]) -> bool:
    values = [float(number.replace(",", ".")) for number in numbers]
    return all(a < b for a, b in pairwise(values))
