"""Decide what each column means, and say why."""

import math

import numpy as np

from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._columns import TIME_NAMES
from latentforest.table._kinds import FEW_DISTINCT, ColumnKind, Level, Storage
from latentforest.table._survey import ColumnSurvey, LabelSurvey, NumberSurvey
from latentforest.table._ticks import Ticks, TickSurvey

_LIKE_AN_ID = 0.9  # levels per row from which text tells rows apart and nothing else
_FEW_LEVELS = 50  # too few levels to say so


def infer_column(survey: ColumnSurvey) -> ColumnSpec:
    """Spec of a column whose cells were looked at."""
    kind, reason = survey.said, "set by kinds"
    if kind is None:
        kind, reason = _infer_kind(survey)
    else:
        _check_possible(survey, kind)
    cells = survey.cells
    levels = () if kind.is_number else _levels_of(survey, kind)
    ticks = cells.ticks(survey.storage) if isinstance(cells, TickSurvey) else None
    decimals = None
    if not survey.n_present:
        reason = f"{reason}; all cells missing"
    elif ticks is not None:
        decimals = 0
    elif isinstance(cells, NumberSurvey) and kind.is_number:
        whole = kind is ColumnKind.integer or survey.storage is Storage.integer
        decimals = 0 if whole else cells.decimals
    many = len(levels) > max(_FEW_LEVELS, _LIKE_AN_ID * survey.n_present)
    if many and survey.n_present and kind is ColumnKind.category:
        reason = f"{reason}; nearly all differ: drop an id"
    lower, upper = math.nan, math.nan
    if survey.n_present:
        ends = _ends(survey, levels, ticks)
        lower, upper = float(ends.min()), float(ends.max())
    return ColumnSpec(
        survey.name,
        kind,
        levels,
        decimals,
        lower,
        upper,
        survey.has_missing,
        survey.dtype,
        survey.storage,
        reason,
        ticks,
    )


def _ends(
    survey: ColumnSurvey, levels: tuple[Level, ...], ticks: Ticks | None
) -> Floats:
    """Codes of the cells that lie at the ends."""
    cells = survey.cells
    if isinstance(cells, TickSurvey):
        assert ticks is not None, "columns of time have ticks"
        return ticks.codes(np.array(cells.ends), cells.unit)
    if isinstance(cells, LabelSurvey):
        return np.array([code for code, v in enumerate(levels) if v in cells.used])
    ends = (cells.lower, cells.upper)
    if levels:
        return np.array([levels.index(value) for value in ends])
    return np.array(ends)


def _infer_kind(survey: ColumnSurvey) -> tuple[ColumnKind, str]:
    cells, storage = survey.cells, survey.storage
    if isinstance(cells, TickSurvey):
        return ColumnKind.datetime, TIME_NAMES[storage]
    if isinstance(cells, LabelSurvey):
        if storage is Storage.text:
            return ColumnKind.category, "text"
        if cells.ordered:
            return ColumnKind.ordered, "declared levels, in order"
        return ColumnKind.category, "declared levels, no order"
    if storage is Storage.boolean:
        return ColumnKind.boolean, "booleans"
    if storage is Storage.float:
        return ColumnKind.continuous, "floats"
    if storage is Storage.decimal:
        return ColumnKind.continuous, "decimals"
    few = cells.few()
    if few is None:
        return ColumnKind.integer, f"integers, {FEW_DISTINCT} or more distinct values"
    return (
        ColumnKind.ordered,
        f"integers, {few} distinct value{'s' * (few > 1)} (fewer than {FEW_DISTINCT})",
    )


def _check_possible(survey: ColumnSurvey, kind: ColumnKind) -> None:
    cells = survey.cells
    if isinstance(cells, TickSurvey):
        if kind is not ColumnKind.datetime:
            _refuse(survey, kind, f"it holds {TIME_NAMES[survey.storage]}")
        return
    if kind is ColumnKind.datetime:
        held = "text" if isinstance(cells, LabelSurvey) else "numbers"
        held = held if survey.n_present else "nothing that says which sort"
        _refuse(survey, kind, f"it holds {held}")
    if kind in {ColumnKind.category, ColumnKind.ordered}:
        return
    if isinstance(cells, LabelSurvey):
        if survey.n_present:
            _refuse(survey, kind, "it holds text or categories")
        return
    if kind is ColumnKind.boolean:
        if not cells.are_truths:
            _refuse(survey, kind, "it holds values other than 0 and 1")
    elif survey.storage is Storage.boolean:
        _refuse(survey, kind, "it holds booleans")
    elif kind is ColumnKind.integer and not cells.is_whole:
        _refuse(survey, kind, "it holds fractions")


def _refuse(survey: ColumnSurvey, kind: ColumnKind, reason: str) -> None:
    message = (
        f"Column {survey.name!r} cannot be read as {kind}: {reason} "
        f"(dtype {survey.dtype}). Convert the column, or choose another kind."
    )
    raise SchemaError(message)


def _levels_of(survey: ColumnSurvey, kind: ColumnKind) -> tuple[Level, ...]:
    cells = survey.cells
    if kind is ColumnKind.boolean or survey.storage is Storage.boolean:
        return (False, True)
    if isinstance(cells, LabelSurvey):
        if survey.storage is Storage.dictionary:
            return cells.declared  # with levels that no row has
        return tuple(sorted(cells.used))
    assert isinstance(cells, NumberSurvey), "dates and times have no levels"
    return cells.levels(survey.storage)
