"""How much of a table is lost on the way through the latent space."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import listed
from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
from latentforest.metrics._codes import Loss, losses_by
from latentforest.metrics._losses import NumberLoss
from latentforest.metrics._report import ColumnDistortion, Distortion
from latentforest.metrics._yardstick import Yardstick
from latentforest.table import (
    ColumnKind,
    ColumnSpec,
    Level,
    NumberColumn,
    RawColumn,
    RawTable,
    TableCodec,
    TableSchema,
    TimeColumn,
    encode_column,
    open_table,
)


def distortion(
    original: Any,
    reconstructed: Any,
    *,
    kinds: Mapping[Any, ColumnKind | str] | TableSchema | None = None,
    training: Any = None,
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
    training : table, EncodedTable, Yardstick or None, default=None
        Rows whose means, variances and commonest levels are the measure: the training
        rows, or ``model.yardstick_``, which holds what is needed of them. Then the
        result is that of ``model.distortion``. None takes ``original`` itself, as in
        the paper, and the printed report says so; a few rows that are alike then have
        no variance, and lose all of it.

    Returns
    -------
    Distortion
        One value per column, and their mean.

    Notes
    -----
    For numbers the distortion is ``1 - max(R², 0)``, with R² against the mean of the
    original column; for all other kinds it is the share of rows that came back with
    another value. Both are 0 for a perfect column. At 1 a number is no better than its
    mean, but any other column is wrong in every row: guessing its commonest value does
    better than that. What guessing loses stands beside each column, and, as
    ``relative``, how much of it was lost.

    With ``training`` R² is ``1 - Σ(x - x̂)² / (n s²)`` over n rows, s being the standard
    deviation of the training rows. Cells that stand apart from all training rows, by
    more than twice the width of their range, would rule the sum: they are left out of
    it, as wild cells of the training rows are left out of mean and s, and counted
    beside it.

    Dates and times are numbers: ticks of the resolution that ``original`` has.

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
    column  kind        distortion  guessing  relative
    --------------------------------------------------
    size    continuous      0.5000    1.0000      0.50
    colour  category        0.3333    0.3333      1.00
    --------------------------------------------------
    mean                    0.4167    0.6667      0.62
    Numbers are measured by the variance of these rows, as in the paper.
    >>> distortion(table, back[["size"]])
    Traceback (most recent call last):
    ...
    latentforest._base._errors.SchemaError: The tables have different columns: ...
    """
    before, after = _open_both(original, reconstructed)
    measure = None if training is None else Yardstick.of(training, kinds)
    if measure is not None:
        schema = measure.schema
        before, after = _as_fitted(before, after, schema)
    elif isinstance(kinds, TableSchema):
        schema = kinds
        before, after = _as_fitted(before, after, schema)
    else:
        schema = TableCodec(kinds).fit(original).schema_
    losses = losses_by(schema, measure, units=False)
    _add(losses, schema, before, after, leave_out=measure is not None)
    return _summed(before.names, schema, losses, by_own_rows=measure is None)


class RunningDistortion:
    """`distortion` of rows that come in blocks, of a table of any length.

    Parameters
    ----------
    schema : TableSchema
        What the columns mean, say of the training rows.
    training : table, EncodedTable or None, default=None
        Rows that losses are measured by, as in `distortion`.

    Examples
    --------
    >>> import pandas as pd
    >>> from latentforest.table import TableCodec
    >>> table = pd.DataFrame({"size": [1.0, 2.0, 3.0], "colour": ["a", "b", "b"]})
    >>> back = pd.DataFrame({"size": [1.0, 2.0, 2.0], "colour": ["a", "b", "a"]})
    >>> running = RunningDistortion(TableCodec().fit(table).schema_)
    >>> running.add(table[:2], back[:2])
    >>> running.add(table[2:], back[2:])
    >>> float(running.result()) == float(distortion(table, back))
    True
    """

    def __init__(self, schema: TableSchema, training: Any = None) -> None:
        self._schema = schema
        measure = None if training is None else Yardstick.of(training, schema)
        self._by_own_rows = measure is None
        self._losses = losses_by(schema, measure, units=True)

    def add(self, original: Any, reconstructed: Any) -> None:
        """Take in the same rows before and after."""
        before, after = _open_both(original, reconstructed)
        before, after = _as_fitted(before, after, self._schema)
        _add(self._losses, self._schema, before, after, leave_out=not self._by_own_rows)

    def result(self) -> Distortion:
        """Return the distortion of all rows so far."""
        names, own = self._schema.names, self._by_own_rows
        return _summed(names, self._schema, self._losses, by_own_rows=own)


def _open_both(original: Any, reconstructed: Any) -> tuple[RawTable, RawTable]:
    before, after = open_table(original), open_table(reconstructed)
    after = _ordered(after, before.names, before.container, "The tables have")
    if before.n_rows != after.n_rows:
        message = (
            f"The tables have different numbers of rows: {before.n_rows} in original, "
            f"{after.n_rows} in reconstructed. Give the same rows in the same order."
        )
        raise ValueError(message)
    return before, after


def _as_fitted(
    before: RawTable, after: RawTable, schema: TableSchema
) -> tuple[RawTable, RawTable]:
    wanted, subject = (schema.names, schema.container), "The schema has"
    before = _ordered(before, *wanted, subject)
    return before, _ordered(after, *wanted, subject)


def _ordered(
    table: RawTable, names: tuple[Hashable, ...], container: str, subject: str
) -> RawTable:
    """Return the table with its columns in the order of the names, if it has any."""
    # Most libraries know only text as names.
    place = {str(name): j for j, name in enumerate(table.names)}
    named = table.container != "numpy" and container != "numpy"
    same = not named or place.keys() == {*map(str, names)}
    if not same or table.n_columns != len(names):
        message = (
            f"{subject} different columns: one side has {listed(table.names)}, the "
            f"other has {listed(names)}. Give the same columns."
        )
        raise SchemaError(message)
    if not named:
        return table
    order = [place[str(name)] for name in names]
    return replace(
        table,
        names=tuple(table.names[j] for j in order),
        column=lambda j: table.column(order[j]),
    )


def _add(
    losses: Sequence[Loss],
    schema: TableSchema,
    before: RawTable,
    after: RawTable,
    *,
    leave_out: bool,
) -> None:
    """Take in rows; wild cells are counted and left out, if they shall be."""
    for j, (loss, spec) in enumerate(zip(losses, schema.columns, strict=True)):
        original, reconstructed = before.column(j), after.column(j)
        if isinstance(loss, NumberLoss):
            truth = _numbers(original, spec)
            if leave_out:
                truth = loss.without_wild(truth, spec)
            loss.add(truth, _numbers(reconstructed, spec))
        else:
            loss.add(*_labels(original, reconstructed))


def _summed(
    names: Iterable[Hashable],
    schema: TableSchema,
    losses: Sequence[Loss],
    *,
    by_own_rows: bool,
) -> Distortion:
    columns = zip(names, schema.columns, losses, strict=True)
    return Distortion(
        tuple(
            ColumnDistortion(name, c.kind, loss.value(), loss.guess(), loss.n_wild)
            for name, c, loss in columns
        ),
        by_own_rows,
    )


def _numbers(column: RawColumn, spec: ColumnSpec) -> Floats:
    if isinstance(column, TimeColumn) or spec.ticks is not None:
        return encode_column(column, spec, unseen="error")
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
            f"Column {column.name!r} is compared as a number, but holds text. "
            f"Convert it, or set its kind to category."
        )
        raise SchemaError(message)
    return np.full(len(column.index), np.nan)


def _labels(
    original: RawColumn, reconstructed: RawColumn
) -> tuple[NDArray[Any], NDArray[Any], tuple[Level, ...]]:
    index, values = original.labels()
    other, other_values = reconstructed.labels()
    # Values are compared, not codes: each side may have levels the other has not.
    number_of = {value: i for i, value in enumerate(values)}
    numbers = [number_of.get(value, len(values)) for value in other_values]
    return index, np.array([*numbers, -1])[other], values
