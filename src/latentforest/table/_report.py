"""A schema as text, so that a wrong guess can be seen and set right."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from latentforest._base._in_words import counted, shown, visible
from latentforest.table._ticks import UNIT_NAMES, Ticks
from latentforest.table._time_text import time_texts

if TYPE_CHECKING:
    from latentforest.table._column_spec import ColumnSpec

_LEVELS_SHOWN, _LONGEST_LEVEL, _LONGEST_SHOWN = 6, 24, 72
_WIDTH = 80  # of a terminal
_CELLS_SHOWN, _COLUMNS_SHOWN = 5, 10  # wild ones
_LONGEST_LABEL = 40
_LONGEST_NAME, _LEAST_CONTENTS, _SHORT_REASON = 24, 24, 8


def schema_report(columns: Sequence["ColumnSpec"], container: str) -> str:
    """Tell of each column: name, kind, contents, missing cells, reason.

    Lines have 80 characters at most; a reason that is longer gets lines of its own.
    Long names and levels are shortened, and control characters in them written out.
    """
    rows = [("column", "kind", "contents", "missing", "why")]
    rows += [
        (
            shown(str(column.name), _LONGEST_SHOWN),
            str(column.kind),
            _contents(column),
            _missing(column),
            visible(column.reason),
        )
        for column in columns
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    widths[0] = min(widths[0], _LONGEST_NAME)
    room = _WIDTH - widths[0] - widths[1] - widths[3] - 8 - _SHORT_REASON
    widths[2] = min(widths[2], max(room, _LEAST_CONTENTS))
    lines = [line for row in rows for line in _lines(row, widths)]
    count = counted(len(columns), "column")
    wild = [
        line
        for column in columns
        if column.wild
        for line in textwrap.wrap(
            f"{_name(column)}: {_wild_cells(column)}",
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
        )
    ]
    if wild:
        told = (
            "Wild cells, far beyond all others of their column, count as the nearer "
            "end of its range (rows are numbered from 0):"
        )
        lines += ["", *textwrap.wrap(told, _WIDTH), *wild]
    return "\n".join([f"{container} table with {count}", *lines])


def wild_report(columns: Sequence["ColumnSpec"]) -> str:
    """Name the wild cells of a table in one sentence; '' if there are none."""
    found = [column for column in columns if column.wild]
    if not found:
        return ""
    number = sum(len(column.wild) for column in found)
    n_cells, verb = counted(number, "cell"), "stands" if number == 1 else "stand"
    told = [
        f"{_name(c)} {_wild_cells(c)} (all others: {_range(c)})"
        for c in found[:_COLUMNS_SHOWN]
    ]
    more = len(found) - len(told)
    told += [f"and {counted(more, 'more column')}"] * (more > 0)
    of_column = counted(len(found), "column")
    return (
        f"Of {of_column}, {n_cells} {verb} apart from all others, by more than twice "
        f"the range of these: {'; '.join(told)}. Rows are numbered from 0. Such cells "
        "count as the nearer end of that range, and distortion leaves them out. If "
        "they are errors, correct them or make them missing."
    )


def _name(column: "ColumnSpec") -> str:
    return shown(repr(str(column.name)), _LONGEST_SHOWN)


def _wild_cells(column: "ColumnSpec") -> str:
    cells = column.wild[:_CELLS_SHOWN]
    values = _as_text(column, [cell.value for cell in cells])
    told = []
    for cell, value in zip(cells, values, strict=True):
        label = ""
        if cell.label is not None:
            label = f" ({shown(str(cell.label), _LONGEST_LABEL)})"
        told.append(f"row {cell.row}{label}: {value}")
    more = len(column.wild) - len(cells)
    return ", ".join([*told, *[f"and {more:,} more"] * (more > 0)])


def _range(column: "ColumnSpec") -> str:
    return " to ".join(_as_text(column, [column.lower, column.upper]))


def _as_text(column: "ColumnSpec", codes: list[float]) -> list[str]:
    if column.ticks is not None:
        return time_texts(column.ticks, np.array(codes), column.storage)
    return [f"{code:.12g}" for code in codes]


def _lines(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """Yield the lines of one column; what is too long goes on in the next line."""
    names, contents = _wrapped(row[0], widths[0]), _wrapped(row[2], widths[2])
    indent = " " * (widths[0] + widths[1] + 4)
    fits = len(indent) + widths[2] + widths[3] + 4 + len(row[4]) <= _WIDTH
    last = [row[4]] if fits else [""]
    cells = (names, [row[1]], contents, [row[3]], last)
    for parts in zip_longest(*cells, fillvalue=""):
        padded = [part.ljust(width) for part, width in zip(parts, widths, strict=False)]
        yield "  ".join([*padded, parts[4]]).rstrip()
    if not fits:
        for line in _wrapped(row[4], _WIDTH - len(indent)):
            yield f"{indent}{line}"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width) or [""]


def _time_range(column: "ColumnSpec", ticks: Ticks) -> str:
    ends = np.array([column.lower, column.upper])
    lower, upper = time_texts(ticks, ends, column.storage)
    zone = f", {ticks.zone}" if ticks.zone else ""
    unit = f"{ticks.first_of}s" if ticks.first_of else UNIT_NAMES[ticks.unit]
    return f"{lower} to {upper}, {unit}{zone}"


def _missing(column: "ColumnSpec") -> str:
    if column.has_missing:
        return "yes" if column.n_missing is None else f"{column.n_missing:,}"
    return "no"


def _contents(column: "ColumnSpec") -> str:
    if not column.is_number:
        levels = (str(level) for level in column.levels[:_LEVELS_SHOWN])
        named = ", ".join(shown(level, _LONGEST_LEVEL) for level in levels)
        more = ", …" if column.n_levels > _LEVELS_SHOWN else ""
        text = f"{counted(column.n_levels, 'level')}: {named}{more}"
    elif column.ticks is not None:
        text = _time_range(column, column.ticks)
    elif column.decimals is None:
        text = f"{column.lower:.6g} to {column.upper:.6g}"
    else:
        text = f"{column.lower:.12g} to {column.upper:.12g}"
        places = column.decimals
        text += f", {counted(places, 'decimal')}" if places else ", whole"
    if math.isnan(column.lower):
        return "all missing"
    return f"{text} (constant)" if column.lower == column.upper else text
