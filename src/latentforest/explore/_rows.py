"""The rows that are shown, and the rows that the page decodes from."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Coords
from latentforest._latent import LatentModel
from latentforest._odd_rows import ODDNESS, JudgingModel, oddness_of
from latentforest.explore._request import Request, extra_names
from latentforest.table import (
    ColumnSpec,
    EncodedTable,
    TableCodec,
    index_of,
    labels_of,
    open_table,
)


@dataclass(frozen=True, slots=True)
class ShownRows:
    """Rows as points: where they lie and what is in them."""

    rows: NDArray[np.int64]  # (n_rows,) which of the rows that could be shown
    n_given: int  # how many these are
    of_training: bool
    numbers: NDArray[np.int64]  # (n_rows,) their numbers in the caller's table, from 0
    labels: NDArray[Any] | None  # (n_rows,) their index labels, where they have any
    coords: Coords
    specs: tuple[ColumnSpec, ...]  # fitted columns first, in their order
    codes: Codes  # (n_rows, n_specs)
    n_fitted: int  # how many of the columns can be decoded
    color: int | None  # the column that colours at first


def draw_rows(
    n_rows: int, sample: int | None, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return at most ``sample`` row numbers, in order."""
    if sample is None or sample >= n_rows:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, sample, replace=False))


def shown_rows(
    model: LatentModel, table: Any, request: Request, rng: np.random.Generator
) -> ShownRows:
    """Place and read the rows of the caller's table, or the training rows."""
    schema = model.schema_
    if table is None:
        n_given = model.kernel_.table_.n_rows
        rows = draw_rows(n_given, request.sample, rng)
        all_codes, coords = model.kernel_.table_.values, model.embedding_[rows]
        numbers, labels = model.rows_[rows], model.row_labels_
        labels = None if labels is None else labels[rows]
    else:
        fitted = _fitted_part(table, model)
        codec = model.codec_
        all_codes = codec.encode(fitted, caller=type(model).__name__).values
        n_given = len(all_codes)
        rows = draw_rows(n_given, request.sample, rng)
        coords = model.encoder_.locate(np.ascontiguousarray(all_codes[rows]))
        numbers, labels = rows, labels_of(index_of(table), rows)
    chosen = [j for j, name in enumerate(schema.names) if name in request.columns]
    specs = [schema.columns[j] for j in chosen]
    parts = [all_codes[rows][:, chosen]]
    for read in _unknown_columns(table, request):
        specs.extend(read.schema.columns)
        parts.append(read.values[rows])
    color = None
    if request.color_cells is not None:
        color = len(specs) - 1
        named = getattr(request.color_cells, "name", None)
        name = "colour" if named is None else named
        specs[color] = replace(specs[color], name=name)
    elif request.color_name is not None:
        color = [spec.name for spec in specs].index(request.color_name)
    return ShownRows(
        rows,
        n_given,
        table is None,
        numbers,
        labels if request.with_labels else None,
        coords,
        tuple(specs),
        np.hstack(parts),
        len(chosen),
        color,
    )


def means_oddness(color_by: Any, model: LatentModel, table: Any) -> bool:
    """Tell whether a colour is how odd rows are, and no column of that name."""
    if not isinstance(color_by, str) or color_by != ODDNESS:
        return False
    names = () if table is None else open_table(table).names
    return ODDNESS not in (*model.schema_.names, *names)


def oddness_colour(model: JudgingModel, table: Any) -> Any:
    """Return minus the scores of rows, to colour them by."""
    from pandas import Series  # noqa: PLC0415 (only who asks for it pays for it)

    rows = None if table is None else _fitted_part(table, model)
    return Series(np.round(oddness_of(model, rows), 3), name=ODDNESS)


def decoder_rows(
    model: LatentModel,
    shown: ShownRows,
    n_known: int,
    *,
    of_training: bool,
    sample: int | None,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Return which of a decoder's rows may be in the page.

    All of them, or as many as the caller allows. If the training rows are shown, these
    are the rows that are shown, or copies of them, and no others.
    """
    everything = of_training and len(shown.rows) == shown.n_given
    if sample is None or everything:
        return np.arange(n_known)
    if not of_training:
        return draw_rows(n_known, sample, rng)
    training = model.kernel_.table_
    if n_known == training.n_rows:
        return shown.rows
    refined = model.encoder_.refined
    if refined is None:
        return draw_rows(n_known, sample, rng)
    number = training.distinct_rows()
    return np.flatnonzero(np.isin(number[refined.rows], number[shown.rows]))


def _fitted_part(table: Any, model: LatentModel) -> Any:
    """Leave out columns that the model does not know."""
    raw, schema = open_table(table), model.schema_
    if not extra_names(raw, schema):
        return table
    return _columns_of(table, [name for name in raw.names if name in schema.names])


def _columns_of(table: Any, names: list[Any]) -> Any:
    """Take some columns of a data frame of any library."""
    return table.select(names) if hasattr(table, "select") else table[names]


def _unknown_columns(table: Any, request: Request) -> Iterator[EncodedTable]:
    """Read what the model does not know: more columns, and the caller's own cells."""
    if request.extra:
        yield TableCodec().fit_encode(_columns_of(table, list(request.extra)))
    cells = request.color_cells
    if cells is not None:
        framed = hasattr(cells, "to_frame")
        column = cells.to_frame() if framed else np.asarray(cells).reshape(-1, 1)
        yield TableCodec().fit_encode(column)
