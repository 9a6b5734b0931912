"""Decide what each column means, and say why."""

import math

import numpy as np

from latentforest._base._checks import listed
from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._columns import TIME_NAMES
from latentforest.table._frames import as_levels
from latentforest.table._kinds import FEW_DISTINCT, ColumnKind, Level, Storage
from latentforest.table._survey import ColumnSurvey, LabelSurvey, NumberSurvey
from latentforest.table._ticks import Ticks, TickSurvey
from latentforest.table._wild import Rest, WildCell

_LIKE_AN_ID = 0.9  # levels per row from which text tells rows apart and nothing else
_FEW_LEVELS = 50  # too few levels to say so


def infer_column(survey: ColumnSurvey) -> ColumnSpec:
    """Spec of a column whose cells were looked at."""
    if survey.said is None:
        kind, reason = _infer_kind(survey)
    else:
        kind, reason = survey.said.kind, "set by kinds"
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
    wild: tuple[WildCell, ...] = ()
    if survey.n_present:
        ends = _ends(survey, levels, ticks)
        lower, upper = float(ends.min()), float(ends.max())
        if kind.is_number and survey.far is not None:
            rest = survey.far.rest(survey.n_present)
            if rest.wild:
                lower, upper, wild = _as_codes(rest, survey, ticks)
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
        wild=wild,
        n_missing=survey.n_rows - survey.n_present,
    )


def _as_codes(rest: Rest, survey: ColumnSurvey, ticks: Ticks | None) -> Rest:
    if ticks is None:
        return rest
    assert isinstance(survey.cells, TickSurvey), "columns of time have ticks"
    given = [rest.lower, rest.upper, *(cell.value for cell in rest.wild)]
    lower, upper, *values = ticks.codes(
        np.array(given).astype(np.int64), survey.cells.unit
    ).tolist()
    wild = (c._replace(value=v) for c, v in zip(rest.wild, values, strict=True))
    return Rest(lower, upper, tuple(wild))


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
        return np.array([levels.index(value) for value in cells.values or ends])
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
    if kind is ColumnKind.boolean:
        return (False, True)
    if survey.said is not None and survey.said.order:
        return _said_levels(survey, survey.said.order)
    if survey.storage is Storage.boolean:
        return (False, True)
    if isinstance(cells, LabelSurvey):
        if kind is ColumnKind.ordered:
            _check_has_order(survey, cells)
        if survey.storage is Storage.dictionary:
            return cells.declared  # with levels that no row has
        return tuple(sorted(cells.used))
    assert isinstance(cells, NumberSurvey), "dates and times have no levels"
    return cells.levels(survey.storage)


def _check_has_order(survey: ColumnSurvey, cells: LabelSurvey) -> None:
    """Refuse words whose order nobody has said: that of the alphabet means nothing."""
    if cells.ordered or survey.dtype == "Enum" or not survey.n_present:
        return
    held = "text" if survey.storage is Storage.text else "categories"
    some = sorted(cells.used, key=str)[:2]
    python, words = ", ".join(map(repr, some)), ",".join(map(str, some))
    message = (
        f"Column {survey.name!r} holds {held} without an order ({survey.dtype}), so "
        "'ordered' is not enough. List its levels, the lowest first: "
        f"kinds={{{survey.name!r}: [{python}, …]}}, on the command line "
        f"--kind '{survey.name}=ordered:{words},…'. Or give an ordered categorical."
    )
    raise SchemaError(message)


def _said_levels(survey: ColumnSurvey, order: tuple[Level, ...]) -> tuple[Level, ...]:
    """Levels in the order that the user says, as the column would hold them."""
    cells, found = survey.cells, frozenset[Level]()
    if isinstance(cells, LabelSurvey):
        found = cells.used
        types = {type(level) for level in (*cells.used, *cells.declared)} or {str}
        fits = {type(level) for level in order} <= types
    elif isinstance(cells, NumberSurvey):
        found = frozenset(
            as_levels(np.array(sorted(cells.values or ())), survey.storage)
        )
        try:  # options of the command line are words
            values = np.array(order, dtype=np.float64)
            order = as_levels(values, survey.storage)
            fits = list(map(float, order)) == values.tolist()
        except ValueError:
            fits = False
    lacking = sorted(found - set(order), key=str)
    if lacking:
        message = (
            f"Column {survey.name!r} holds {listed(lacking)}, which the order "
            f"{listed(order)} does not name. List all its levels, the lowest first."
        )
        raise SchemaError(message)
    if not fits:
        message = (
            f"The order of column {survey.name!r} is {listed(order)}, and its cells "
            f"are {survey.storage} ({survey.dtype}). List levels of that type."
        )
        raise SchemaError(message)
    return order
