"""Decide what each column means, and say why."""

import math
from dataclasses import replace

import numpy as np

from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._columns import TIME_NAMES, count_decimals, encode_column
from latentforest.table._frames import (
    LabelColumn,
    NumberColumn,
    RawColumn,
    TimeColumn,
)
from latentforest.table._kinds import FEW_DISTINCT, ColumnKind, Level, Storage
from latentforest.table._ticks import Ticks

_HEAD = 1_000
_LIKE_AN_ID = 0.9  # levels per row from which text tells rows apart and nothing else
_FEW_LEVELS = 50  # too few levels to say so


def infer_column(
    column: RawColumn, kind: ColumnKind | None = None
) -> tuple[ColumnSpec, Floats]:
    """Spec and codes of a column.

    Parameters
    ----------
    column : RawColumn
        The column as read.
    kind : ColumnKind, optional
        What the user says the column is; without it the kind is inferred.
    """
    if kind is None:
        kind, reason = _infer_kind(column)
    else:
        _check_possible(column, kind)
        reason = "set by kinds"
    spec = ColumnSpec(
        column.name,
        kind,
        () if kind.is_number else _levels_of(column, kind),
        dtype=column.dtype,
        storage=column.storage,
        reason=reason,
        ticks=_ticks_of(column),
    )
    codes = encode_column(column, spec, unseen="error")
    present = codes[~np.isnan(codes)]
    if not len(present):
        spec = replace(spec, has_missing=True, lower=math.nan, upper=math.nan)
        return replace(spec, reason=f"{reason}; all cells missing"), codes
    spec = replace(
        spec,
        lower=float(present.min()),
        upper=float(present.max()),
        has_missing=len(present) < len(codes),
    )
    many = spec.n_levels > max(_FEW_LEVELS, _LIKE_AN_ID * len(present))
    if many and kind is ColumnKind.category:
        spec = replace(spec, reason=f"{reason}; nearly all differ: drop an id")
    if isinstance(column, TimeColumn):
        spec = replace(spec, decimals=0)
    elif isinstance(column, NumberColumn) and kind.is_number:
        spec = replace(spec, decimals=_decimals_of(column, kind, present))
    return spec, codes


def _ticks_of(column: RawColumn) -> Ticks | None:
    if not isinstance(column, TimeColumn):
        return None
    return Ticks.of(column.counts, column.unit, column.zone, column.storage)


def _infer_kind(column: RawColumn) -> tuple[ColumnKind, str]:
    if isinstance(column, TimeColumn):
        return ColumnKind.datetime, TIME_NAMES[column.storage]
    if isinstance(column, LabelColumn):
        if column.storage is Storage.text:
            return ColumnKind.category, "text"
        if column.ordered:
            return ColumnKind.ordered, "declared levels, in order"
        return ColumnKind.category, "declared levels, no order"
    if column.storage is Storage.boolean:
        return ColumnKind.boolean, "booleans"
    if column.storage is Storage.float:
        return ColumnKind.continuous, "floats"
    if column.storage is Storage.decimal:
        return ColumnKind.continuous, "decimals"
    few = _few_distinct(column.numbers)
    if few is None:
        return ColumnKind.integer, f"integers, {FEW_DISTINCT} or more distinct values"
    return (
        ColumnKind.ordered,
        f"integers, {few} distinct values (fewer than {FEW_DISTINCT})",
    )


def _few_distinct(numbers: Floats) -> int | None:
    """Count the distinct values, or return None if there are FEW_DISTINCT or more."""
    # Most columns of integers show enough values at once.
    for part in (numbers[:_HEAD], numbers):
        n_distinct = len(np.unique(part[~np.isnan(part)]))
        if n_distinct >= FEW_DISTINCT:
            return None
    return n_distinct


def _check_possible(column: RawColumn, kind: ColumnKind) -> None:
    if isinstance(column, TimeColumn):
        if kind is not ColumnKind.datetime:
            _refuse(column, kind, f"it holds {TIME_NAMES[column.storage]}")
        return
    if kind is ColumnKind.datetime:
        index, _ = column.labels()
        held = "text" if isinstance(column, LabelColumn) else "numbers"
        held = held if (index >= 0).any() else "nothing that says which sort"
        _refuse(column, kind, f"it holds {held}")
    if kind in {ColumnKind.category, ColumnKind.ordered}:
        return
    if isinstance(column, LabelColumn):
        if (column.index >= 0).any():
            _refuse(column, kind, "it holds text or categories")
        return
    present = column.numbers[~np.isnan(column.numbers)]
    if kind is ColumnKind.boolean:
        if not np.isin(present, (0.0, 1.0)).all():
            _refuse(column, kind, "it holds values other than 0 and 1")
    elif column.storage is Storage.boolean:
        _refuse(column, kind, "it holds booleans")
    elif kind is ColumnKind.integer and not (present == np.rint(present)).all():
        _refuse(column, kind, "it holds fractions")


def _refuse(column: RawColumn, kind: ColumnKind, reason: str) -> None:
    message = (
        f"Column {column.name!r} cannot be read as {kind}: {reason} "
        f"(dtype {column.dtype}). Convert the column, or choose another kind."
    )
    raise SchemaError(message)


def _levels_of(column: RawColumn, kind: ColumnKind) -> tuple[Level, ...]:
    if kind is ColumnKind.boolean or column.storage is Storage.boolean:
        return (False, True)
    _, labels = column.labels()
    if column.storage is Storage.dictionary:
        return labels  # the library's own list, in its order, with unused levels
    return tuple(sorted(labels))


def _decimals_of(column: NumberColumn, kind: ColumnKind, present: Floats) -> int | None:
    if kind is ColumnKind.integer or column.storage is Storage.integer:
        return 0
    return count_decimals(present, column.resolution)
