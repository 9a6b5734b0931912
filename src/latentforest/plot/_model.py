"""What pictures read from a fitted model, with errors that say what is missing."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from latentforest._base._checks import listed
from latentforest._base._names import coordinate_names
from latentforest._base._types import Coords
from latentforest._odd_rows import ODDNESS, oddness_of
from latentforest.plot._values import (
    Numbers,
    Values,
    values_of_array,
    values_of_codes,
    values_of_column,
)
from latentforest.table import EncodedTable, TableSchema, one_nan, open_table


def training_rows(model: Any) -> EncodedTable:
    """Return the rows that the model was fitted on, as codes."""
    return model.encoder_.trained_on("this picture").table


def coordinates(model: Any, table: Any) -> Coords:
    """Coordinates of the rows of a table, or of the training rows for None."""
    if table is None:
        training_rows(model)
        return model.embedding_
    return np.asarray(model.transform(table))


def check_axes(model: Any, axes: Sequence[int]) -> tuple[int, ...]:
    """Return two or three numbers of coordinates that the model has."""
    n_fitted = model.encoder_.n_components
    chosen = tuple(axes)
    known = all(isinstance(a, int | np.integer) and 0 <= a < n_fitted for a in chosen)
    if len(chosen) not in (2, 3) or not known:
        message = (
            f"axes={axes!r} cannot be drawn: the model has {n_fitted} coordinates, "
            f"numbered from 0. Give two or three of these numbers"
        )
        more = ", or fit with more components." if n_fitted < 2 else "."
        raise ValueError(message + more)
    return tuple(int(a) for a in chosen)


def axis_label(model: Any, axis: int) -> str:
    """Name a coordinate, with its eigenvalue where the map is still the kernel's.

    A packed one says so, since nearness means little along it.
    """
    label = coordinate_names(axis + 1)[-1]
    if model.is_packed_:
        label += "  (packed)"
    if model.encoder_.refined is None:
        label += f"  (λ = {model.eigenvalues_[axis]:.2f})"
    return label


def values_for(model: Any, table: Any, color_by: Any, n_rows: int) -> Values | None:
    """Read what to colour rows by: a column of the rows, or given values.

    Checked before anything is drawn or placed.
    """
    if color_by is None:
        return None
    schema: TableSchema = model.schema_
    if (
        isinstance(color_by, str)
        and color_by == ODDNESS
        and color_by not in schema.names
    ):
        return Numbers(ODDNESS, oddness_of(model, table))
    position = _position(one_nan(color_by), schema)
    if position is None:
        return values_of_array(color_by, n_rows)
    spec = schema.columns[position]
    if table is None:
        return values_of_codes(training_rows(model).values[:, position], spec)
    raw = open_table(table)
    if spec.name in raw.names:
        position = raw.names.index(spec.name)
    return values_of_column(raw.column(position), title=spec.name, spec=spec)


def n_rows_of(model: Any, table: Any) -> int:
    """How many rows there are to draw."""
    return training_rows(model).n_rows if table is None else open_table(table).n_rows


def _position(color_by: Any, schema: TableSchema) -> int | None:
    """Where a column is; None if ``color_by`` is not a name."""
    if isinstance(color_by, Hashable) and color_by in schema.names:
        return schema.names.index(color_by)
    is_number = isinstance(color_by, int | np.integer) and not isinstance(
        color_by, bool
    )
    if schema.container == "numpy" and is_number and 0 <= color_by < schema.n_columns:
        return int(color_by)
    if isinstance(color_by, str | bytes) or np.ndim(color_by) == 0:
        message = (
            f"color_by={color_by!r} is not a column of the table. It has: "
            f"{listed(schema.names)}. Give one of these names, or one "
            "value per row."
        )
        raise ValueError(message)
    return None


def check_is_table(original: Any) -> None:
    """Refuse a model where the rows as they were are wanted."""
    if hasattr(original, "inverse_transform"):
        message = (
            f"original is a {type(original).__name__}, wanted a table. Give the rows "
            "as they were and as they came back: table, model.reconstruct(table)."
        )
        raise TypeError(message)
