"""A schema as text, so that a wrong guess can be seen and set right."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from latentforest.table._ticks import UNIT_NAMES, Ticks
from latentforest.table._time_text import time_texts

if TYPE_CHECKING:
    from latentforest.table._column_spec import ColumnSpec

_LEVELS_SHOWN = 6


def schema_report(columns: Sequence["ColumnSpec"], container: str) -> str:
    """One line per column: name, kind, contents, missing cells, reason."""
    rows = [("column", "kind", "contents", "missing", "why")]
    rows += [
        (
            str(column.name),
            str(column.kind),
            _contents(column),
            "yes" if column.has_missing else "no",
            column.reason,
        )
        for column in columns
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = [
        "  ".join([*(row[i].ljust(widths[i]) for i in range(4)), row[4]]).rstrip()
        for row in rows
    ]
    return "\n".join([f"{container} table with {len(columns)} columns", *lines])


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _time_range(column: "ColumnSpec", ticks: Ticks) -> str:
    ends = np.array([column.lower, column.upper])
    lower, upper = time_texts(ticks, ends, column.storage)
    zone = f", {ticks.zone}" if ticks.zone else ""
    return f"{lower} to {upper}, {UNIT_NAMES[ticks.unit]}{zone}"


def _contents(column: "ColumnSpec") -> str:
    if not column.is_number:
        shown = ", ".join(map(str, column.levels[:_LEVELS_SHOWN]))
        more = ", …" if column.n_levels > _LEVELS_SHOWN else ""
        text = f"{_count(column.n_levels, 'level')}: {shown}{more}"
    elif column.ticks is not None:
        text = _time_range(column, column.ticks)
    elif column.decimals is None:
        text = f"{column.lower:.6g} to {column.upper:.6g}"
    else:
        text = f"{column.lower:.12g} to {column.upper:.12g}"
        places = column.decimals
        text += f", {_count(places, 'decimal')}" if places else ", whole"
    if math.isnan(column.lower):
        return "all missing"
    return f"{text} (constant)" if column.lower == column.upper else text
