"""The records of this room: a table's columns, a table as codes."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import WildCellsWarning
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Bools, Codes, Floats, Ints
from latentforest._base._values import damaged
from latentforest._base._warn import warn
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._kept import Kept
from latentforest.table._kinds import ColumnKind
from latentforest.table._labels import labels_of
from latentforest.table._names import one_nan
from latentforest.table._report import schema_report, wild_report
from latentforest.table._wild import WildCell, stands_apart

Container: TypeAlias = Literal["pandas", "polars", "pyarrow", "anndata", "numpy"]


@dataclass(frozen=True, slots=True)
class TableSchema:
    """The columns of a table in order, and the library it came from.

    Parameters
    ----------
    columns : tuple of ColumnSpec
        One record per column.
    container : {'pandas', 'polars', 'pyarrow', 'anndata', 'numpy'}, default='numpy'
        The library of the table that was fitted, and of the tables to build.
    """

    columns: tuple[ColumnSpec, ...]
    container: Container = "numpy"

    def __post_init__(self) -> None:
        if self.container not in get_args(Container):
            message = (
                f"container={self.container!r} is not known. "
                f"Choose one of {', '.join(map(repr, get_args(Container)))}."
            )
            raise ValueError(message)
        if len(set(self.names)) != self.n_columns:
            message = "column names must be distinct"
            raise ValueError(message)

    @property
    def names(self) -> tuple[Hashable, ...]:
        """Column names in table order."""
        return tuple(one_nan(column.name) for column in self.columns)

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.columns)

    @property
    def n_levels(self) -> Ints:
        """Levels per column; 0 for numbers."""
        return np.array([column.n_levels for column in self.columns], dtype=np.int32)

    @property
    def split_levels(self) -> Ints:
        """Levels per column where a split sends sets of levels left and right.

        0 for numbers and for ordered categories: these are cut by a threshold.
        """
        return np.where(self.is_ordered, 0, self.n_levels).astype(np.int32)

    @property
    def is_ordered(self) -> Bools:
        """Per column: whether it is a category whose levels have an order."""
        ordered = [column.kind is ColumnKind.ordered for column in self.columns]
        return np.array(ordered, dtype=np.bool_)

    @property
    def is_number(self) -> Bools:
        """Per column: whether it is continuous or integer."""
        return np.array([column.is_number for column in self.columns], dtype=np.bool_)

    @property
    def is_whole(self) -> Bools:
        """Per column: whether all codes are whole numbers."""
        whole = [not c.is_number or c.decimals == 0 for c in self.columns]
        return np.array(whole, dtype=np.bool_)

    @property
    def lower(self) -> Floats:
        """Smallest code seen per column, but for wild ones; NaN if all are missing."""
        return np.array([column.lower for column in self.columns], dtype=np.float64)

    @property
    def upper(self) -> Floats:
        """Largest code seen per column, but for wild ones; NaN if all are missing."""
        return np.array([column.upper for column in self.columns], dtype=np.float64)

    def is_wild(self, codes: Codes) -> Bools:
        """Tell which cells are numbers that stand apart from the range of the others.

        By more than twice the width of that range. One of the fitted table is wild if
        it is one of few, and any other by the same measure.
        """
        apart: Bools = stands_apart(codes, self.lower, self.upper) & self.is_number
        return apart

    def at_edges(self, codes: Codes) -> Codes:
        """Return the codes, wild cells as the nearer end of the range."""
        wild = self.is_wild(codes)
        if not wild.any():
            return codes
        return np.where(wild, np.clip(codes, self.lower, self.upper), codes)

    def labelled(self, index: Any) -> "TableSchema":
        """Return it with the labels that the table's index has for wild cells."""

        def change(wild: tuple[WildCell, ...]) -> tuple[WildCell, ...]:
            labels = labels_of(index, np.array([cell.row for cell in wild]))
            if labels is None:
                return wild
            pairs = zip(wild, labels.tolist(), strict=True)
            return tuple(cell._replace(label=label) for cell, label in pairs)

        return self._with_wild(change)

    def renumbered(
        self, numbers: Callable[[NDArray[np.int64]], NDArray[np.int64]]
    ) -> "TableSchema":
        """Return it with other numbers for rows, where some rows were left out."""

        def change(wild: tuple[WildCell, ...]) -> tuple[WildCell, ...]:
            rows = numbers(np.array([cell.row for cell in wild])).tolist()
            pairs = zip(rows, wild, strict=True)
            return tuple(WildCell(row, cell.value) for row, cell in pairs)

        return self._with_wild(change)

    def _with_wild(
        self, change: Callable[[tuple[WildCell, ...]], tuple[WildCell, ...]]
    ) -> "TableSchema":
        if not any(column.wild for column in self.columns):
            return self
        columns = tuple(
            replace(column, wild=change(column.wild)) if column.wild else column
            for column in self.columns
        )
        return TableSchema(columns, self.container)

    def report(self) -> str:
        """Tell, one line per column, what was found and why.

        A kind that is not what you mean can be set with ``TableCodec(kinds=…)``.
        """
        return schema_report(self.columns, self.container)

    def warned(self) -> Self:
        """Name the wild cells of the fitted table, if any, in a warning."""
        told = wild_report(self.columns)
        if told:
            warn(told, WildCellsWarning)
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that JSON can hold."""
        columns = [column.to_dict() for column in self.columns]
        return {"container": self.container, "columns": columns}

    def put(self, new: NewSection) -> None:
        """Write the columns to a model file."""
        new.put("container", self.container)
        parts = new.sections("columns", self.n_columns)
        for column, part in zip(self.columns, parts, strict=True):
            column.put(part)

    @classmethod
    def take(cls, section: Section) -> "TableSchema":
        """Rebuild the columns from a model file, or say which one is wrong."""
        container = section.text("container")
        if container not in get_args(Container):
            raise damaged(f"{container[:40]!r} is not a library of tables")
        parts = section.sections("columns")
        if not parts:
            raise damaged("the table has no columns")
        columns = tuple(ColumnSpec.take(part, container) for part in parts)
        kinds = {column.dtype.partition(":")[0] for column in columns}
        if container in {"anndata", "numpy"} and len(kinds) > 1:
            raise damaged("the columns of an array have several dtypes")
        return cls(columns, container)  # type: ignore[arg-type]

    def take_codes(self, section: Section, name: str, n_rows: int | None) -> Codes:
        """Read rows from a model file; refuse codes that no row can have."""
        codes = section.array(name, np.float64, (n_rows, self.n_columns))
        for column, spec in enumerate(self.columns):
            if not spec.can_hold(codes[:, column]):
                raise damaged(
                    f"{section.path(name)} holds cells that column {spec.name!r} "
                    "cannot have"
                )
        return np.ascontiguousarray(codes)


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """A table as numbers.

    Parameters
    ----------
    schema : TableSchema
        What the columns of ``values`` mean.
    values : ndarray of float64, shape (n_rows, n_columns)
        Numbers as they are, level numbers for all other kinds; NaN is missing.
    kept : Kept or None, default=None
        Which rows of a longer table these are; None: all there are.
    """

    schema: TableSchema
    values: Codes
    kept: Kept | None = None

    def __post_init__(self) -> None:
        wanted = f"(n_rows, {self.schema.n_columns})"
        if self.values.ndim != 2 or self.values.shape[1] != self.schema.n_columns:
            message = f"values have shape {self.values.shape}, wanted {wanted}"
            raise ValueError(message)
        if self.values.dtype != np.float64 or not self.values.flags.c_contiguous:
            message = "values must be float64 in C order"
            raise ValueError(message)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.values)

    def distinct_rows(self) -> Ints:
        """Return, for every row, the number of the distinct row that it is a copy of.

        Rows are copies if all cells are the same; missing equals missing. Worked out
        when first asked for.
        """
        return self._distinct

    def share_of_copies(self) -> float:
        """Estimate how many new rows are copies of these: those that have one here."""
        n_copies = np.bincount(self.distinct_rows())
        return 1.0 - float((n_copies == 1).sum()) / self.n_rows

    @cached_property
    def _distinct(self) -> Ints:
        return number_rows(self.values)

    def at_edges(self) -> "EncodedTable":
        """Return the table with wild cells as the nearer end of their range."""
        values = self.schema.at_edges(self.values)
        return self if values is self.values else replace(self, values=values)

    def take(self, rows: Sequence[int] | NDArray[np.integer] | Bools) -> "EncodedTable":
        """Return the chosen rows, by position or by a mask, in the order given."""
        return EncodedTable(self.schema, np.ascontiguousarray(self.values[rows]))


def number_rows(values: Floats) -> Ints:
    """Give rows that hold the same values the same number; NaN equals NaN."""
    _, number = np.unique(row_keys(values), return_inverse=True)
    return number.astype(np.int32)


def row_keys(values: Floats) -> NDArray[np.void]:
    """Return the bytes of each row; rows that hold the same values have the same."""
    # Adding 0 makes -0 and 0 the same bytes.
    rows = np.ascontiguousarray(values + 0.0)
    rows[np.isnan(rows)] = np.nan
    whole_row = np.dtype((np.void, rows.itemsize * rows.shape[1]))
    keys: NDArray[np.void] = rows.view(whole_row)[:, 0]
    return keys
