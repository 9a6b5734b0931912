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
            "yes" if column.has_missing else "no",
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
    return "\n".join([f"{container} table with {count}", *lines])


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
