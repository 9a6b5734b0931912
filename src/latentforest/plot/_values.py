"""What points are coloured by: levels with names, or numbers."""

from dataclasses import dataclass
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats
from latentforest.plot._times import days_of
from latentforest.table import (
    ColumnSpec,
    NumberColumn,
    RawColumn,
    Storage,
    TimeColumn,
    open_table,
    time_column,
)

FEW = 8  # numbers with no more distinct values than this are drawn as levels


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """A column of names."""

    title: str  # name of the column, empty if it has none
    index: NDArray[np.int64]  # (n_rows,) into names, -1 is missing
    names: tuple[str, ...]  # in the order in which they are shown; all are used

    def __len__(self) -> int:
        return len(self.index)


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A column of numbers."""

    title: str
    numbers: Floats  # (n_rows,) NaN is missing
    sort: Storage = Storage.float  # dates and times are days

    def __len__(self) -> int:
        return len(self.numbers)


Values: TypeAlias = Levels | Numbers


def numbers_of_array(name: str, cells: Any) -> Numbers:
    """Read a list, an array or a series of numbers; NaN is missing."""
    column = _open_series(name, cells)
    if isinstance(column, NumberColumn):
        return Numbers(name, column.numbers)
    if isinstance(column, TimeColumn):
        return Numbers(name, days_of(column), column.storage)
    message = f"{name} holds text. Give one number per row."
    raise TypeError(message)


def values_of_array(color_by: Any, n_rows: int) -> Values:
    """Read a list, an array or a series; integers may mean names, floats as well."""
    column = _open_series("color_by", color_by)
    values = values_of_column(column, title=getattr(color_by, "name", None))
    if len(values) != n_rows:
        message = (
            f"color_by has {len(values)} values, but there are {n_rows} rows to "
            "colour. Give one value per row."
        )
        raise ValueError(message)
    return values


def values_of_column(
    column: RawColumn, *, title: Any = None, spec: ColumnSpec | None = None
) -> Values:
    """Levels or numbers of a column; a spec, if there is one, says which."""
    name = "" if title is None else str(title)
    numbers = _numbers(column, spec)
    if numbers is not None:
        known = np.unique(numbers[~np.isnan(numbers)])
        if len(known) > FEW and (spec is None or spec.is_number):
            return Numbers(name, numbers, column.storage)
    return levels_of_column(column, title=name, spec=spec)


def _numbers(column: RawColumn, spec: ColumnSpec | None) -> Floats | None:
    if isinstance(column, TimeColumn):
        return days_of(column, spec.ticks.zone if spec and spec.ticks else None)
    if isinstance(column, NumberColumn) and column.storage is not Storage.boolean:
        return column.numbers
    return None


def levels_of_column(
    column: RawColumn, *, title: str = "", spec: ColumnSpec | None = None
) -> Levels:
    """Levels of a column in the order of its spec or of its dtype, else sorted."""
    index, found = column.labels()
    declared = column.storage is not Storage.text  # in order already
    if spec is not None and not spec.is_number:
        rank = {level: place for place, level in enumerate(spec.levels)}
        order = sorted(range(len(found)), key=lambda i: rank.get(found[i], len(rank)))
    elif declared:
        order = list(range(len(found)))
    else:
        order = sorted(range(len(found)), key=lambda i: str(found[i]))
    return _used_levels(title, index, tuple(map(_text, found)), order)


def values_of_codes(codes: Floats, spec: ColumnSpec) -> Values:
    """Levels or numbers of a column that is kept as codes."""
    if spec.ticks is not None:
        return values_of_column(time_column(spec, codes), title=spec.name, spec=spec)
    if spec.is_number:
        column = NumberColumn(spec.name, spec.dtype, Storage.float, codes)
        return values_of_column(column, title=spec.name)
    index = np.where(np.isnan(codes), -1, codes).astype(np.int64)
    names = tuple(map(_text, spec.levels))
    return _used_levels(str(spec.name), index, names, list(range(len(names))))


def levels_of_classes(index: NDArray[np.int64], classes: NDArray[Any]) -> Levels:
    """Levels of predicted classes, in the order of the classes."""
    names = tuple(map(_text, classes.tolist()))
    return _used_levels("", index, names, list(range(len(names))))


def _used_levels(
    title: str, index: NDArray[np.int64], names: tuple[str, ...], order: list[int]
) -> Levels:
    used = set(np.unique(index[index >= 0]).tolist())
    shown = [place for place in order if place in used]
    moved = np.full(len(names) + 1, -1, np.int64)  # missing cells find the last one
    moved[shown] = np.arange(len(shown))
    return Levels(title, moved[index], tuple(names[place] for place in shown))


def _text(level: Any) -> str:
    return f"{level:g}" if isinstance(level, float) else str(level)


def _open_series(name: str, given: Any) -> RawColumn:
    if nw.dependencies.is_into_series(given):
        frame = nw.from_native(given, series_only=True).to_frame().to_native()
        return open_table(frame).column(0)
    cells = np.asarray(given)
    if cells.dtype.kind in "US" and not hasattr(given, "dtype"):
        cells = np.asarray(given, dtype=object)  # NumPy writes None and NaN as text
    if cells.ndim != 1:
        message = f"{name} has the shape {cells.shape}. Give one value per row."
        raise ValueError(message)
    return open_table(cells[:, None]).column(0)
