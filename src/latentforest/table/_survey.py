"""What has to be known of the cells of a column before anyone decides what it means.

A survey is made of a column, or of the pieces of one and merged: the result is the same
for any way to cut a table into pieces.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import numpy as np

from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
from latentforest.table._columns import count_decimals, join_decimals
from latentforest.table._frames import (
    LabelColumn,
    NumberColumn,
    RawColumn,
    TimeColumn,
    as_levels,
)
from latentforest.table._kinds import FEW_DISTINCT, ColumnKind, Level, Said, Storage
from latentforest.table._survey_dtype import join_dtypes
from latentforest.table._ticks import TickSurvey
from latentforest.table._wild import FarCells

_HEAD = 1_000
_NAMES = {ColumnKind.category, ColumnKind.ordered}


@dataclass(frozen=True, slots=True)
class NumberSurvey:
    """Of cells that can be read as floats."""

    lower: float = math.inf
    upper: float = -math.inf
    resolution: float = 0.0
    decimals: int | None = 0  # that some cell needs; None: more than can be told
    values: frozenset[float] | None = frozenset()  # None: many
    is_whole: bool = True
    are_truths: bool = True

    @classmethod
    def of(cls, column: NumberColumn, said: ColumnKind | None) -> "NumberSurvey":
        """Look at the cells."""
        present = column.numbers[~np.isnan(column.numbers)]
        if not len(present):
            return cls(resolution=column.resolution)
        lower, upper = float(present.min()), float(present.max())
        is_integer = column.storage is Storage.integer
        numbers = said is None or said is ColumnKind.continuous
        decimals: int | None = 0
        finite = math.isfinite(lower) and math.isfinite(upper)
        if numbers and finite and not is_integer:
            decimals = count_decimals(present, column.resolution)
        return cls(
            lower,
            upper,
            column.resolution,
            decimals,
            _distinct(present, column.storage, said),
            is_integer or bool((present == np.rint(present)).all()),
            bool(np.isin(present, (0.0, 1.0)).all()),
        )

    def merge(self, other: "NumberSurvey") -> "NumberSurvey":
        """Return what is known of the cells of both."""
        lower, upper = min(self.lower, other.lower), max(self.upper, other.upper)
        resolution = max(self.resolution, other.resolution)
        values = None
        if self.values is not None and other.values is not None:
            values = self.values | other.values
        return NumberSurvey(
            lower,
            upper,
            resolution,
            join_decimals(
                self.decimals, other.decimals, max(abs(lower), abs(upper)), resolution
            ),
            values,
            self.is_whole and other.is_whole,
            self.are_truths and other.are_truths,
        )

    def few(self) -> int | None:
        """Count the distinct values, or return None if they are many."""
        if self.values is None or len(self.values) >= FEW_DISTINCT:
            return None
        return len(self.values)

    def levels(self, storage: Storage) -> tuple[Level, ...]:
        """Return the distinct values, in order."""
        assert self.values is not None, "kept where the column has levels"
        return as_levels(np.array(sorted(self.values)), storage)


def _distinct(
    present: Floats, storage: Storage, said: ColumnKind | None
) -> frozenset[float] | None:
    """Distinct values, where they may become levels; None if that is ruled out."""
    if said in _NAMES:
        return frozenset(np.unique(present).tolist())
    if said is not None or storage is not Storage.integer:
        return None
    # Most columns of integers show enough values at once.
    for part in (present[:_HEAD], present):
        values = np.unique(part)
        if len(values) >= FEW_DISTINCT:
            return None
    return frozenset(values.tolist())


@dataclass(frozen=True, slots=True)
class LabelSurvey:
    """Of cells that are names."""

    declared: tuple[Level, ...] = ()  # the library's own list, where it has one
    used: frozenset[Level] = frozenset()
    ordered: bool = False

    @classmethod
    def of(cls, column: LabelColumn) -> "LabelSurvey":
        """Look at the cells."""
        counts = np.bincount(column.index + 1, minlength=len(column.values) + 1)[1:]
        used = frozenset(column.values[i] for i in np.flatnonzero(counts))
        declared = column.values if column.storage is Storage.dictionary else ()
        return cls(declared, used, column.ordered)

    def merge(self, other: "LabelSurvey") -> "LabelSurvey":
        """Return what is known of the cells of both."""
        declared = self.declared
        if other.declared != declared:
            known = set(declared)
            declared = (*declared, *(v for v in other.declared if v not in known))
        return LabelSurvey(declared, self.used | other.used, self.ordered)


Cells = NumberSurvey | LabelSurvey | TickSurvey


@dataclass(frozen=True, slots=True)
class ColumnSurvey:
    """Of a column of any sort, or of a piece of one."""

    name: Hashable
    dtype: str
    storage: Storage
    said: Said | None
    n_rows: int
    n_present: int
    cells: Cells
    # Of numbers, dates and times. Pieces may pass over more cells than the whole does.
    far: FarCells | None = field(default=None, compare=False)

    @classmethod
    def of(cls, column: RawColumn, said: Said | None = None) -> "ColumnSurvey":
        """Look at a column."""
        cells: Cells
        far = None
        if isinstance(column, TimeColumn):
            n_rows = len(column.counts)
            cells = TickSurvey.of(column.counts, column.unit, column.zone)
            missing = column.is_missing()
            far = FarCells.of(column.counts, missing)
        elif isinstance(column, LabelColumn):
            n_rows, missing = len(column.index), column.index < 0
            cells = LabelSurvey.of(column)
        else:
            n_rows, missing = len(column.numbers), np.isnan(column.numbers)
            kind = None if said is None else said.kind
            cells = NumberSurvey.of(column, kind)
            if kind is None or kind.is_number:
                far = FarCells.of(column.numbers, missing)
        n_present = n_rows - int(missing.sum())
        return cls(
            column.name,
            column.dtype,
            column.storage,
            said,
            n_rows,
            n_present,
            cells,
            far,
        )

    @property
    def has_missing(self) -> bool:
        """Whether a cell is missing."""
        return self.n_present < self.n_rows

    @property
    def is_infinite(self) -> bool:
        """Whether a cell is infinite."""
        if not isinstance(self.cells, NumberSurvey) or not self.n_present:
            return False
        return math.isinf(self.cells.lower) or math.isinf(self.cells.upper)

    def merge(self, other: "ColumnSurvey") -> "ColumnSurvey":
        """Return what is known of the rows of both, the own ones first."""
        n_rows, n_present = (
            self.n_rows + other.n_rows,
            self.n_present + other.n_present,
        )
        dtype, storage = join_dtypes(self, other)
        far: FarCells | None = None
        if type(self.cells) is not type(other.cells) or self._counts_otherwise(other):
            told = self if self.n_present else other
            if self.n_present and other.n_present:
                message = (
                    f"Column {self.name!r} is {self.dtype} in one part of the table "
                    f"and {other.dtype} in another. Write all parts alike."
                )
                raise SchemaError(message)
            cells, far = told.cells, told.far
            if far is not None and told is other:
                far = replace(far, rows=far.rows + self.n_rows)
        else:
            cells = self.cells.merge(other.cells)  # type: ignore[arg-type]
            if self.far is not None and other.far is not None:
                far = self.far.merge(other.far, self.n_rows)
        # Few whole numbers may be levels; few floats are not, unless the user says so.
        has_levels = self.said is not None and self.said.kind in _NAMES
        of_floats = storage is not Storage.integer and not has_levels
        if of_floats and isinstance(cells, NumberSurvey) and cells.values:
            cells = replace(cells, values=None)
        return replace(
            self,
            dtype=dtype,
            storage=storage,
            n_rows=n_rows,
            n_present=n_present,
            cells=cells,
            far=far,
        )

    def _counts_otherwise(self, other: "ColumnSurvey") -> bool:
        one, two = self.cells, other.cells
        if not isinstance(one, TickSurvey) or not isinstance(two, TickSurvey):
            return False
        return (one.unit, one.zone) != (two.unit, two.zone)
