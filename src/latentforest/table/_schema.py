"""The records of this room: a column, a table's columns, a table as codes."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Codes, Floats, Ints
from latentforest.table._kinds import ColumnKind, Level, Storage
from latentforest.table._report import schema_report

Container: TypeAlias = Literal["pandas", "polars", "pyarrow", "numpy"]


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSpec:
    """All that is known of one column after fitting.

    Parameters
    ----------
    name : hashable
        The name in the table; arrays have ``x0``, ``x1``, ….
    kind : ColumnKind
        What the values mean.
    levels : tuple of str, int, float or bool, default=()
        The values in level order: code ``i`` stands for ``levels[i]``. Empty for
        numbers, ``(False, True)`` for booleans.
    decimals : int or None, default=None
        Decoded numbers are rounded to so many decimals; None leaves them alone.
    lower, upper : float, default=nan
        Smallest and largest code seen in fit; NaN if all cells were missing.
    has_missing : bool, default=False
        Whether fit saw a missing cell.
    dtype : str, default='float64'
        The dtype in the table's own library, as text, to restore it.
    storage : Storage, default=Storage.float
        How the library keeps the column.
    reason : str, default=''
        Why the column has this kind.
    """

    name: Hashable
    kind: ColumnKind
    levels: tuple[Level, ...] = ()
    decimals: int | None = None
    lower: float = math.nan
    upper: float = math.nan
    has_missing: bool = False
    dtype: str = "float64"
    storage: Storage = Storage.float
    reason: str = ""

    def __post_init__(self) -> None:
        if self.is_number and self.levels:
            message = f"column {self.name!r} is a number, so it has no levels"
            raise ValueError(message)
        if self.kind is ColumnKind.boolean and self.levels != (False, True):
            message = f"boolean column {self.name!r} needs the levels (False, True)"
            raise ValueError(message)
        if len(set(self.levels)) != len(self.levels):
            message = f"the levels of column {self.name!r} are not distinct"
            raise ValueError(message)

    @property
    def is_number(self) -> bool:
        """Whether the kind is continuous or integer."""
        return self.kind.is_number

    @property
    def n_levels(self) -> int:
        """How many levels there are; 0 for numbers."""
        return len(self.levels)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that JSON can hold; :meth:`from_dict` reads it back."""
        out = asdict(self)
        out.update(kind=str(self.kind), storage=str(self.storage))
        out.update(levels=list(self.levels))
        # JSON has no NaN.
        for bound in ("lower", "upper"):
            out[bound] = None if math.isnan(out[bound]) else out[bound]
        return out

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ColumnSpec":
        """Rebuild a column from :meth:`to_dict`."""
        name = data["name"]
        changed = {
            # JSON turns the tuples that name multi-level columns into lists.
            "name": tuple(name) if isinstance(name, list) else name,
            "kind": ColumnKind(data["kind"]),
            "storage": Storage(data["storage"]),
            "levels": tuple(data["levels"]),
            "lower": math.nan if data["lower"] is None else data["lower"],
            "upper": math.nan if data["upper"] is None else data["upper"],
        }
        return cls(**(data | changed))

    def _key(self) -> tuple[Hashable, ...]:
        # Tuples hold NaN equal only if it is the same object: compare None instead.
        # 1, 1.0 and True are equal levels to Python, but not to a dtype.
        types = tuple(type(level) for level in self.levels)
        out = self.to_dict()
        return (*(out[k] for k in out if k != "levels"), self.levels, types)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ColumnSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


@dataclass(frozen=True, slots=True)
class TableSchema:
    """The columns of a table in order, and the library it came from.

    Parameters
    ----------
    columns : tuple of ColumnSpec
        One record per column.
    container : {'pandas', 'polars', 'pyarrow', 'numpy'}, default='numpy'
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
        return tuple(column.name for column in self.columns)

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
        ordered = [column.kind is ColumnKind.ordered for column in self.columns]
        return np.where(ordered, 0, self.n_levels).astype(np.int32)

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
        """Smallest code seen per column; NaN where all cells were missing."""
        return np.array([column.lower for column in self.columns], dtype=np.float64)

    @property
    def upper(self) -> Floats:
        """Largest code seen per column; NaN where all cells were missing."""
        return np.array([column.upper for column in self.columns], dtype=np.float64)

    def report(self) -> str:
        """Tell, one line per column, what was found and why.

        A kind that is not what you mean can be set with ``TableCodec(kinds=…)``.
        """
        return schema_report(self.columns, self.container)

    def to_dict(self) -> dict[str, Any]:
        """Return a dict that JSON can hold; :meth:`from_dict` reads it back."""
        columns = [column.to_dict() for column in self.columns]
        return {"container": self.container, "columns": columns}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "TableSchema":
        """Rebuild a schema from :meth:`to_dict`."""
        columns = tuple(ColumnSpec.from_dict(column) for column in data["columns"])
        return cls(columns, data["container"])


@dataclass(frozen=True, slots=True, eq=False)
class EncodedTable:
    """A table as numbers.

    Parameters
    ----------
    schema : TableSchema
        What the columns of ``values`` mean.
    values : ndarray of float64, shape (n_rows, n_columns)
        Numbers as they are, level numbers for all other kinds; NaN is missing.
    """

    schema: TableSchema
    values: Codes

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

        Rows are copies if all cells are the same; missing equals missing.
        """
        # Adding 0 makes -0 and 0 the same bytes.
        rows = np.ascontiguousarray(self.values + 0.0)
        rows[np.isnan(rows)] = np.nan
        whole_row = np.dtype((np.void, rows.itemsize * self.schema.n_columns))
        _, number = np.unique(rows.view(whole_row)[:, 0], return_inverse=True)
        return number.astype(np.int32)

    def take(self, rows: Sequence[int] | NDArray[np.integer] | Bools) -> "EncodedTable":
        """Return the chosen rows, by position or by a mask, in the order given."""
        return EncodedTable(self.schema, np.ascontiguousarray(self.values[rows]))
