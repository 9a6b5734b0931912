"""Lines before the line of names: titles, dates of a report, blank lines."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from latentforest.reading._dialect import Dialect

NUMBER = re.compile(r"\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*")


def lines_before_names(rows: Sequence[Sequence[str]]) -> int:
    """Count the rows that come before the line of names; a blank line has no cells.

    They have fewer cells than all rows that follow, or one cell with something in it. A
    line of names that lacks some is none of them: a blank line follows, or no more than
    half of the cells are there.
    """
    widths = Counter(len(row) for row in rows if row)
    if not widths:
        return 0
    width = max(widths, key=lambda cells: (widths[cells], cells))
    before = list(
        takewhile(lambda row: len(row) < width or _is_title(row, width), rows)
    )
    after = [row for row in rows[len(before) :] if row]
    if width < 2 or len(after) < 2 or any(len(row) != width for row in after):
        return 0
    if not any(_filled(row) for row in before):
        return 0
    is_apart = any(not row for row in before)
    are_short = width > 2 and all(2 * _filled(row) <= width for row in before)
    return len(before) if is_apart or are_short else 0


def note_on(lines: Sequence[Sequence[str]], label: str, dialect: Dialect) -> str:
    """Say which lines are left out."""
    shown = next(cell.strip() for row in lines for cell in row if cell.strip())
    what = "line comes" if len(lines) == 1 else f"{len(lines)} lines come"
    are = "is" if len(lines) == 1 else "are"
    return (
        f"{label}: the first {what} before the names of the columns and {are} left "
        f"out: {shown[:60]!r}. If not so, give {dialect.option('skip_rows', 0)}"
    )


def _filled(row: Sequence[str]) -> int:
    """Count the cells up to the last that holds something."""
    return max((at for at, cell in enumerate(row, start=1) if cell.strip()), default=0)


def _is_title(row: Sequence[str], width: int) -> bool:
    """Whether a row as wide as others holds one text at most, and empty cells."""
    return width > 2 and _filled(row) <= 1 and NUMBER.fullmatch(row[0]) is None
