"""One column: cells to codes, codes to codes that a table can hold."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from latentforest._base._checks import listed
from latentforest._base._errors import (
    SchemaError,
    UnseenLevelsError,
    UnseenLevelsWarning,
)
from latentforest._base._types import Floats
from latentforest._base._warn import warn
from latentforest.table._column_spec import ColumnSpec, is_plain_number
from latentforest.table._frames import EXACT, NumberColumn, RawColumn, TimeColumn
from latentforest.table._kinds import Level, Storage
from latentforest.table._ticks import Ticks

# "nearest" is what "missing" was called: nobody is warned then.
Unseen: TypeAlias = Literal["missing", "error", "nearest"]

_MAX_DECIMALS = 12
_NOISE = 1e-12  # relative; what arithmetic leaves behind is not a decimal
_HEAD = 1_000
LONGEST = 60  # characters of a level in a message
TIME_NAMES = {
    Storage.datetime: "dates and times",
    Storage.date: "dates",
    Storage.time: "times of day",
    Storage.duration: "durations",
}
_CONVERT = {
    Storage.datetime: "pandas.to_datetime",
    Storage.date: "pandas.to_datetime",
    Storage.time: "pandas.to_datetime and .dt.time",
    Storage.duration: "pandas.to_timedelta",
}


def encode_column(
    column: RawColumn, spec: ColumnSpec, *, unseen: Unseen, to_nearest: bool = True
) -> Floats:
    """Codes of one column under a known spec; NaN is missing."""
    if isinstance(column, TimeColumn) or spec.ticks is not None:
        return _encode_times(column, spec)
    if not spec.is_number:
        return _encode_levels(column, spec, unseen=unseen, to_nearest=to_nearest)
    if isinstance(column, NumberColumn):
        return column.numbers
    if (column.index >= 0).any():
        _refuse_text(spec)
    return np.full(len(column.index), np.nan)


def _refuse_text(spec: ColumnSpec) -> None:
    message = (
        f"Column {spec.name!r} held numbers in fit and holds text now. "
        f"Convert it to numbers."
    )
    raise SchemaError(message)


def _encode_times(column: RawColumn, spec: ColumnSpec) -> Floats:
    if not isinstance(column, TimeColumn):
        index, values = column.labels()
        if (index >= 0).any():
            now = "text" if any(isinstance(v, str) for v in values) else "numbers"
            _refuse_change(spec, now, f"in pandas with {_CONVERT[spec.storage]}")
        return np.full(len(index), np.nan)
    both = {column.storage, spec.storage}
    same = len(both) == 1 or all(storage.is_instant for storage in both)
    if spec.ticks is None or not same:
        _refuse_change(spec, TIME_NAMES[column.storage], "so that it is what it was")
    assert spec.ticks is not None
    _check_zones(column, spec, spec.ticks)
    return spec.ticks.codes(column.counts, column.unit)


def _refuse_change(spec: ColumnSpec, now: str, how: str) -> None:
    held = "numbers" if spec.is_number else "names"
    message = (
        f"Column {spec.name!r} held {TIME_NAMES.get(spec.storage, held)} in fit and "
        f"holds {now} now. Convert it, {how}."
    )
    raise SchemaError(message)


def _check_zones(column: TimeColumn, spec: ColumnSpec, ticks: Ticks) -> None:
    if ticks.zone and not column.zone:
        message = (
            f"Column {spec.name!r} had a time zone in fit ({ticks.zone}) and has none "
            f"now. Give it one, in pandas with .dt.tz_localize({ticks.zone!r})."
        )
        raise SchemaError(message)
    if column.zone and not ticks.zone:
        message = (
            f"Column {spec.name!r} had no time zone in fit and has one now "
            f"({column.zone}). Take it away, in pandas with .dt.tz_localize(None)."
        )
        raise SchemaError(message)


def _encode_levels(
    column: RawColumn, spec: ColumnSpec, *, unseen: Unseen, to_nearest: bool
) -> Floats:
    index, labels = column.labels()
    holds_numbers = spec.is_scale and spec.storage.is_numeric
    used = np.unique(index[index >= 0]) if holds_numbers else ()
    if any(isinstance(labels[i], str) for i in used):
        _refuse_text(spec)
    code_of = codes_of_levels(spec)
    unknown = [i for i, label in enumerate(labels) if label not in code_of]
    # Missing cells have the index -1: the NaN at the end.
    codes = np.array([*(code_of.get(label, np.nan) for label in labels), np.nan])
    if unknown and to_nearest and spec.is_scale:
        levels = np.array(spec.levels, np.float64)
        for i in [i for i in unknown if is_plain_number(labels[i])]:
            codes[i] = np.abs(levels - float(labels[i])).argmin()
            unknown.remove(i)
    if unknown and unseen != "nearest":
        # Declared levels that no row uses do no harm.
        found = np.unique(index[np.isin(index, unknown)])
        if len(found):
            _tell_unseen(spec, [labels[i] for i in found], refuse=unseen == "error")
    return codes[index]


def codes_of_levels(spec: ColumnSpec) -> dict[Level, float]:
    """Return the code of each level; nothing for numbers."""
    return {level: float(code) for code, level in enumerate(spec.levels)}


def _shown(labels: Sequence[Level]) -> str:
    """Name the first levels, cut where they are whole texts."""
    cut = [
        f"{label[:LONGEST]}…"
        if isinstance(label, str) and len(label) > LONGEST
        else label
        for label in labels[:5]
    ]
    return listed([*cut, *labels[5:]], 5)


def _tell_unseen(spec: ColumnSpec, labels: list[Level], *, refuse: bool) -> None:
    found = (
        f"Column {spec.name!r} holds values that were not seen in fit: "
        f"{_shown(labels)}. Known are: {_shown(spec.levels) or 'none'}."
    )
    if refuse:
        advice = (
            "Fit on a table that has them, or use unseen='missing' to treat them as "
            "missing."
        )
        raise UnseenLevelsError(found, advice)
    message = f"{found} These cells count as missing."
    warn(message, UnseenLevelsWarning)


def settle_codes(spec: ColumnSpec, codes: Floats) -> Floats:
    """Round numbers to the column's decimals, and check level codes."""
    if spec.is_number:
        return codes if spec.decimals is None else round_decimals(codes, spec.decimals)
    present = codes[~np.isnan(codes)]
    legal = (present >= 0) & (present < spec.n_levels) & (present == np.rint(present))
    if not legal.all():
        message = (
            f"Column {spec.name!r} has {spec.n_levels} levels, but its codes include "
            f"{present[~legal][0]}. Codes are whole numbers from 0 to n_levels - 1, or "
            f"NaN for missing."
        )
        raise ValueError(message)
    return codes


def round_decimals(values: Floats, decimals: int) -> Floats:
    """Round half to even; values too large to have such decimals stay as they are."""
    scale = 10.0**decimals
    with np.errstate(over="ignore"):
        scaled = values * scale
    rounds = np.abs(scaled) < EXACT / 2
    out = values.copy()
    out[rounds] = np.rint(scaled[rounds]) / scale
    return out


def count_decimals(values: Floats, resolution: float) -> int | None:
    """Fewest decimals that every value can be written with; None if there are none.

    Parameters
    ----------
    values : ndarray of float64
        Finite numbers, at least one.
    resolution : float
        Relative resolution of the dtype they are kept in.

    Notes
    -----
    Values count as written with so many decimals if rounding moves none of them by
    more than the noise of arithmetic. Large values with many decimals have none: at
    the edge of the resolution every value would pass.
    """
    noise = max(_NOISE, resolution)
    limit = 0.01 / noise
    largest = np.abs(values).max()
    decimals = 0
    # Most columns are decided by their first rows; the rest is only checked.
    for part in (values[:_HEAD], values):
        size = np.abs(part)
        while np.any(np.abs(round_decimals(part, decimals) - part) > noise * size):
            decimals += 1
            if decimals > _MAX_DECIMALS or largest > limit / 10.0**decimals:
                return None
    return decimals


def join_decimals(
    one: int | None, other: int | None, largest: float, resolution: float
) -> int | None:
    """Decimals of all values, from those of two parts; see `count_decimals`."""
    if one is None or other is None:
        return None
    decimals = max(one, other)
    too_large = largest > 0.01 / max(_NOISE, resolution) / 10.0**decimals
    return None if decimals and too_large else decimals
