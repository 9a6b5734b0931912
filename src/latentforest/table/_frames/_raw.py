"""A column as read from any library, before anyone decides what it means."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import listed
from latentforest._base._errors import SchemaError
from latentforest._base._types import Bools, Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._kinds import Level, Storage
from latentforest.table._schema import Container
from latentforest.table._ticks import NAT, Ticks
from latentforest.table._time_text import time_texts

EXACT = 2.0**53  # floats hold every integer below, not every one above


def check_distinct(names: Iterable[Hashable], advice: str) -> None:
    """Refuse names of columns of which some are the same."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        message = (
            f"Column names must be distinct; given more than once: "
            f"{listed(repeated)}. {advice}"
        )
        raise SchemaError(message)


@dataclass(frozen=True, slots=True, eq=False)
class NumberColumn:
    """Cells that can be read as floats: floats, integers and booleans."""

    name: Hashable
    dtype: str
    storage: Storage
    numbers: Floats  # (n_rows,), NaN is missing
    resolution: float = float(np.finfo(np.float64).eps)  # relative, of the dtype

    def __post_init__(self) -> None:
        if self.storage is not Storage.integer:
            return
        # fmax passes over missing cells.
        if np.fmax.reduce(np.abs(self.numbers), initial=0.0) >= EXACT:
            raise inexact(self.name)

    def labels(self) -> tuple[NDArray[np.int64], tuple[Level, ...]]:
        """Index of each row (-1 is missing) into its distinct values, and these."""
        present = ~np.isnan(self.numbers)
        values, inverse = np.unique(self.numbers[present], return_inverse=True)
        index = np.full(len(self.numbers), -1, dtype=np.int64)
        index[present] = inverse
        return index, as_levels(values, self.storage)


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumn:
    """Cells that are names: text, or indices into a declared list."""

    name: Hashable
    dtype: str
    storage: Storage
    index: NDArray[np.int64]  # (n_rows,), -1 is missing
    values: tuple[Level, ...]  # what the index points to; some may be unused
    ordered: bool = False  # the library says that the list is in order

    def labels(self) -> tuple[NDArray[np.int64], tuple[Level, ...]]:
        """Index of each row (-1 is missing) into its distinct values, and these."""
        return self.index, self.values


@dataclass(frozen=True, slots=True, eq=False)
class TimeColumn:
    """Cells that are instants, dates, times of day or durations."""

    name: Hashable
    dtype: str
    storage: Storage
    counts: NDArray[np.int64]  # (n_rows,) units since 1970 in UTC; NAT is missing
    unit: str  # D, s, ms, us or ns
    zone: str = ""  # name or offset; empty for none

    def is_missing(self) -> Bools:
        """Which cells are missing."""
        return self.counts == NAT

    def labels(self) -> tuple[NDArray[np.int64], tuple[Level, ...]]:
        """Index of each row (-1 is missing) into its distinct values, as text."""
        present = self.counts != NAT
        values, inverse = np.unique(self.counts[present], return_inverse=True)
        index = np.full(len(self.counts), -1, dtype=np.int64)
        index[present] = inverse
        ticks = Ticks.of(values, self.unit, self.zone, self.storage)
        codes = ticks.codes(values, self.unit)
        return index, tuple(time_texts(ticks, codes, self.storage))


RawColumn = NumberColumn | LabelColumn | TimeColumn


@dataclass(frozen=True, slots=True, eq=False)
class RawTable:
    """A table of any library; columns are read one at a time, when asked for."""

    container: Container
    names: tuple[Hashable, ...]
    n_rows: int
    column: Callable[[int], RawColumn]
    cells: Callable[[int], list[Any]] | None = None  # of a column, where rows are dicts

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.names)


def as_levels(values: Floats, storage: Storage) -> tuple[Level, ...]:
    """Floats as Python values of the type that the column holds."""
    if storage is Storage.boolean:
        return tuple(bool(value) for value in values)
    if storage is Storage.integer:
        return tuple(int(value) for value in values)
    return tuple(float(value) for value in values)


def plain_levels(name: Hashable, values: Iterable[Any]) -> tuple[Level, ...]:
    """Levels as plain Python values, or an error for types that we cannot keep."""
    levels = [v.item() if isinstance(v, np.generic) else v for v in values]
    strange = {type(v) for v in levels if not isinstance(v, str | int | float)}
    if strange:
        found = ", ".join(sorted(kind.__name__ for kind in strange))
        message = (
            f"Column {name!r} has levels of type {found}. Levels may be text, "
            f"numbers or booleans: convert them, for example to text."
        )
        raise SchemaError(message)
    return tuple(str(v) if isinstance(v, str) else v for v in levels)


def number_texts(cells: Iterable[Any]) -> tuple[NDArray[np.int64], list[str]]:
    """Give texts numbers in the order in which they come; −1 is missing."""
    numbers: dict[str, int] = {}
    index = [
        numbers.setdefault(cell, len(numbers)) if isinstance(cell, str) else -1
        for cell in cells
    ]
    return np.array(index, np.int64), list(numbers)


def unsupported(name: Hashable, dtype: object) -> SchemaError:
    """Build the error for a dtype that has no kind, saying what to do."""
    if "complex" in str(dtype):
        return SchemaError(f"Complex data not supported\nColumn {name!r} is {dtype}.")
    if str(dtype).startswith("period"):
        return SchemaError(
            f"Column {name!r} holds periods ({dtype}), which are not supported. "
            f"Convert it to dates with .dt.to_timestamp()."
        )
    return SchemaError(
        f"Column {name!r} has the dtype {dtype}, which is not supported. "
        f"Convert it to floats, integers, booleans, dates or text, or drop it."
    )


def inexact(name: Hashable) -> SchemaError:
    """Build the error for integers that floats cannot hold exactly."""
    return SchemaError(
        f"Column {name!r} holds integers beyond 2**53, which floats cannot tell apart. "
        f"Convert it to text if these are names (to say so with kinds= is not enough), "
        f"to floats if the last digits do not matter, or drop it."
    )


def missing_index(codes: Floats) -> NDArray[np.int64]:
    """Level codes as integers, with -1 where they are missing."""
    return np.where(np.isnan(codes), -1, codes).astype(np.int64)


def numbers_of(spec: ColumnSpec, codes: Floats) -> Floats:
    """Values of a column that is kept as numbers; NaN is missing."""
    if spec.is_number:
        return codes
    return np.array([*spec.levels, np.nan], dtype=np.float64)[missing_index(codes)]


def as_integers(numbers: Floats, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Cast whole floats without NaN; what is out of range stops at the bound.

    A plain cast would wrap around: 300 as int8 is 44.
    """
    info = np.iinfo(dtype)
    lower, upper = max(info.min, -EXACT), min(info.max, EXACT)
    return np.clip(numbers, lower, upper).astype(dtype)
