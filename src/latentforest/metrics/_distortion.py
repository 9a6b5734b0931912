"""How much of a table is lost on the way through the latent space."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
from latentforest.table import (
    ColumnKind,
    NumberColumn,
    RawColumn,
    RawTable,
    TableCodec,
    TableSchema,
    open_table,
)

_EQUAL = 1e-12  # relative; a constant column has no variance to compare with


@dataclass(frozen=True, slots=True)
class ColumnDistortion:
    """The distortion of one column: 0 is perfect, 1 is no better than guessing."""

    name: Hashable
    kind: ColumnKind
    distortion: float


@dataclass(frozen=True, slots=True, repr=False)
class Distortion:
    """The distortion of a table, and of each of its columns.

    ``float(…)`` gives the mean; printing shows all columns.
    """

    columns: tuple[ColumnDistortion, ...]

    @property
    def mean(self) -> float:
        """Mean over the columns; columns without a distortion (NaN) are left out."""
        known = [c.distortion for c in self.columns if not np.isnan(c.distortion)]
        return float(np.mean(known)) if known else float("nan")

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per column of the table."""
        import pandas as pd  # noqa: PLC0415 (only who asks for a frame pays for it)

        return pd.DataFrame(
            {
                "kind": [str(column.kind) for column in self.columns],
                "distortion": [column.distortion for column in self.columns],
            },
            index=pd.Index([column.name for column in self.columns], name="column"),
        )

    def __float__(self) -> float:
        return self.mean

    def __repr__(self) -> str:
        rows = [("column", "kind", "distortion")]
        rows += [
            (str(c.name), str(c.kind), f"{c.distortion:.4f}") for c in self.columns
        ]
        rows.append(("mean", "", f"{self.mean:.4f}"))
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = [
            f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {value:>{widths[2]}}"
            for name, kind, value in rows
        ]
        rule = "-" * len(lines[0])
        return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])


def distortion(
    original: Any,
    reconstructed: Any,
    *,
    kinds: Mapping[Any, ColumnKind | str] | TableSchema | None = None,
) -> Distortion:
    """Compare a table with its reconstruction, column by column.

    Parameters
    ----------
    original : table
        The rows as they were: data frame, pyarrow table or array.
    reconstructed : table
        The same columns and rows as they came back; it may be of another library.
    kinds : dict, TableSchema or None, default=None
        What the columns mean. A dict as in ``TableCodec`` sets some of them, the rest
        are inferred from ``original``; a schema, say of the training rows, sets all.

    Returns
    -------
    Distortion
        One value per column, and their mean.

    Notes
    -----
    For numbers the distortion is ``1 - max(R², 0)``, with R² against the mean of the
    original column; for all other kinds it is the share of rows that came back with
    another value. Both are 0 for a perfect column; 1 means no better than the mean of
    a number, or every row wrong.

    A constant number has no R²: its distortion is 0 if it came back the same in every
    row (up to a relative error of 1e-12), else 1.

    Missing cells: for categories, missing is a value of its own. For numbers, rows
    with a missing original are left out, and a missing reconstruction counts as the
    mean of the original column. A column with no original value at all has the
    distortion NaN and takes no part in the mean.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1.0, 2.0, 3.0], "colour": ["a", "b", "b"]})
    >>> back = pd.DataFrame({"size": [1.0, 2.0, 2.0], "colour": ["a", "b", "a"]})
    >>> distortion(table, back)
    column  kind        distortion
    ------------------------------
    size    continuous      0.5000
    colour  category        0.3333
    ------------------------------
    mean                    0.4167
    >>> distortion(table, back[["size"]])
    Traceback (most recent call last):
    ...
    latentforest._base._errors.SchemaError: The tables have different columns: ...
    """
    before, after = open_table(original), open_table(reconstructed)
    _check_same_columns(before, after.names, after.container, "The tables have")
    if before.n_rows != after.n_rows:
        message = (
            f"The tables have different numbers of rows: {before.n_rows} in original, "
            f"{after.n_rows} in reconstructed. Give the same rows in the same order."
        )
        raise ValueError(message)
    if isinstance(kinds, TableSchema):
        _check_same_columns(before, kinds.names, kinds.container, "The schema has")
        schema = kinds
    else:
        schema = TableCodec(kinds).fit(original).schema_
    return Distortion(
        tuple(
            ColumnDistortion(name, spec.kind, _of_column(before, after, j, spec.kind))
            for j, (name, spec) in enumerate(
                zip(before.names, schema.columns, strict=True)
            )
        )
    )


def _check_same_columns(
    table: RawTable, names: tuple[Hashable, ...], container: str, subject: str
) -> None:
    named = table.container != "numpy" and container != "numpy"
    same = table.names == names if named else table.n_columns == len(names)
    if same:
        return
    message = (
        f"{subject} different columns: original has "
        f"{', '.join(map(repr, table.names))}, the other has "
        f"{', '.join(map(repr, names))}. Give the same columns in the same order."
    )
    raise SchemaError(message)


def _of_column(before: RawTable, after: RawTable, j: int, kind: ColumnKind) -> float:
    original, reconstructed = before.column(j), after.column(j)
    if kind.is_number:
        return number_distortion(_numbers(original), _numbers(reconstructed))
    return label_distortion(original, reconstructed)


def _numbers(column: RawColumn) -> Floats:
    if isinstance(column, NumberColumn):
        if np.isinf(column.numbers).any():
            message = (
                f"Column {column.name!r} holds infinite values. "
                f"Replace them by finite numbers, or by NaN for missing."
            )
            raise SchemaError(message)
        return column.numbers
    if (column.index >= 0).any():
        message = (
            f"Column {column.name!r} is to be compared as a number and holds text. "
            f"Convert it, or set its kind with kinds."
        )
        raise SchemaError(message)
    return np.full(len(column.index), np.nan)


def number_distortion(original: Floats, reconstructed: Floats) -> float:
    """``1 - max(R², 0)`` over the rows with an original; NaN if there are none."""
    present = ~np.isnan(original)
    if not present.any():
        return float("nan")
    truth, guess = original[present], reconstructed[present]
    if truth.min() == truth.max():
        guess = np.where(np.isnan(guess), truth, guess)
        return float(np.any(np.abs(guess - truth) > _EQUAL * np.abs(truth)))
    mean = truth.mean()
    guess = np.where(np.isnan(guess), mean, guess)
    # Squares of tiny numbers vanish: measure in units of the spread.
    spread = truth.max() - truth.min()
    lost = np.sum(((truth - guess) / spread) ** 2)
    total = np.sum(((truth - mean) / spread) ** 2)
    return min(float(lost / total), 1.0)


def label_distortion(original: RawColumn, reconstructed: RawColumn) -> float:
    """Share of rows with another value; NaN if all originals are missing."""
    index, values = original.labels()
    other_index, other_values = reconstructed.labels()
    if not (index >= 0).any():
        return float("nan")
    # Values are compared, not codes: each side may have levels the other has not.
    number_of = {value: i for i, value in enumerate(values)}
    unknown = len(values)
    numbers = [number_of.get(value, unknown) for value in other_values]
    matched = np.array([*numbers, -1])[other_index]
    return float(np.mean(matched != index))
