"""What is asked for, checked before any work."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from latentforest._base._checks import check_integer, listed
from latentforest._base._complete import check_target
from latentforest._latent import check_model
from latentforest.table import ColumnSpec, RawTable, TableSchema, one_nan, open_table

MOST_ROWS = 200_000


@dataclass(frozen=True, slots=True)
class Request:
    """The checked arguments of `write_page`."""

    path: Path
    columns: tuple[Hashable, ...]  # fitted columns that are shown and decoded
    extra: tuple[Hashable, ...]  # other columns of the table, only shown
    with_labels: bool  # whether index labels of rows may be in the page
    color_name: Hashable | None  # the column that colours at first
    color_cells: Any  # cells of the caller's own, or None
    sample: int | None
    image_shape: tuple[int, int] | None
    title: str


def check_request(
    model: Any,
    table: Any,
    path: str | PathLike[str],
    *,
    color_by: Any,
    columns: Sequence[Any] | None,
    sample: int | None,
    image_shape: tuple[int, int] | None,
    title: str | None,
) -> Request:
    """Check all arguments, or say which one is wrong and what to give instead."""
    check_model(model, "decoder_")
    target = check_target(path)
    raw = None if table is None else open_table(table)
    n_rows = model.kernel_.table_.n_rows if raw is None else raw.n_rows
    if sample is not None:
        check_integer("sample", sample, minimum=1)
    if title is not None and not isinstance(title, str):
        message = f"title={title!r} is a {type(title).__name__}. Give text, or None."
        raise TypeError(message)
    fitted = model.schema_.names
    more = () if raw is None else extra_names(raw, model.schema_)
    chosen = _check_columns(columns, fitted, more)
    name, cells = _check_color(color_by, chosen, fitted, more, n_rows)
    if name in more and name not in chosen:
        chosen = (*chosen, name)
    shown = tuple(column for column in fitted if column in chosen)
    if not shown:
        message = (
            f"None of columns={columns!r} was fitted, so there is nothing to decode. "
            f"Name at least one of {listed(fitted)}."
        )
        raise ValueError(message)
    specs = [spec for spec in model.schema_.columns if spec.name in shown]
    shape = _check_image(image_shape, specs)
    _check_size(n_rows, sample, "The table")
    refined = model.encoder_.refined
    n_known = model.kernel_.table_.n_rows if refined is None else len(refined.rows)
    _check_size(n_known, sample, "The model's decoder")
    return Request(
        target,
        shown,
        tuple(column for column in more if column in chosen),
        columns is None,  # who names the columns says what may be in the file
        name,
        cells,
        sample,
        shape,
        title or "Latent space",
    )


def extra_names(raw: RawTable, schema: TableSchema) -> tuple[Hashable, ...]:
    """Return the columns of a data frame that were not fitted."""
    if "numpy" in (raw.container, schema.container):
        return ()
    return tuple(name for name in raw.names if name not in schema.names)


def _check_columns(
    columns: Sequence[Any] | None,
    fitted: tuple[Hashable, ...],
    more: tuple[Hashable, ...],
) -> tuple[Hashable, ...]:
    if columns is None:
        return fitted
    if isinstance(columns, str | bytes) or not hasattr(columns, "__iter__"):
        message = (
            f"columns={columns!r} is a {type(columns).__name__}. "
            "Give a list of column names, or None for all."
        )
        raise TypeError(message)
    chosen = tuple(map(one_nan, columns))
    unknown = [name for name in chosen if name not in (*fitted, *more)]
    if unknown:
        message = (
            f"There are no columns {listed(unknown)}. "
            f"Choose among {listed((*fitted, *more))}."
        )
        raise ValueError(message)
    return chosen


def _check_color(
    color_by: Any,
    chosen: tuple[Hashable, ...],
    fitted: tuple[Hashable, ...],
    more: tuple[Hashable, ...],
    n_rows: int,
) -> tuple[Hashable | None, Any]:
    """Return the name of a column, or cells of the caller's own."""
    known = (*fitted, *more)
    if color_by is None:
        return None, None
    color_by = one_nan(color_by)
    is_name = isinstance(color_by, Hashable) and color_by in known
    if is_name or isinstance(color_by, str) or np.ndim(color_by) == 0:
        if color_by not in known:
            message = (
                f"color_by={color_by!r} is not a column. Choose one of "
                f"{listed(known)}, or give an array with one cell per row."
            )
            raise ValueError(message)
        if color_by in fitted and color_by not in chosen:
            message = (
                f"The points are coloured by {color_by!r}, which is not among the "
                "columns to put into the file. Add it to them, or colour by another."
            )
            raise ValueError(message)
        return color_by, None
    if np.ndim(color_by) != 1 or len(color_by) != n_rows:
        message = (
            f"color_by has the shape {np.shape(color_by)}, but there are {n_rows} "
            "rows. Give one cell per row, or the name of a column."
        )
        raise ValueError(message)
    return None, color_by


def _check_image(
    image_shape: tuple[int, int] | None, specs: Sequence[ColumnSpec]
) -> tuple[int, int] | None:
    if image_shape is None:
        return None
    if np.shape(image_shape) != (2,):
        message = f"image_shape={image_shape!r} is not a pair. Give (height, width)."
        raise ValueError(message)
    height, width = (
        check_integer("image_shape", side, minimum=1) for side in image_shape
    )
    if height * width != len(specs):
        message = (
            f"An image of {height} x {width} has {height * width} pixels, but there "
            f"are {len(specs)} columns. Give a height and width with that product."
        )
        raise ValueError(message)
    text = [
        spec.name
        for spec in specs
        if spec.ticks or any(isinstance(level, str) for level in spec.levels)
    ]
    if text:
        message = (
            "Pixels must be numbers, but these columns hold text or dates: "
            f"{listed(text)}. "
            "Leave them out, or show the rows without an image shape."
        )
        raise ValueError(message)
    return height, width


def _check_size(n_rows: int, sample: int | None, what: str) -> None:
    n_embedded = n_rows if sample is None else min(sample, n_rows)
    if n_embedded > MOST_ROWS:
        message = (
            f"{what} has {n_rows:,} rows, but a page holds at most {MOST_ROWS:,}. "
            "Give the size of a sample, to draw so many at random."
        )
        raise ValueError(message)
