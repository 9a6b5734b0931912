"""Between files and models: blocks as models want them, rows as files hold them."""

from collections.abc import Collection, Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa

from latentforest._base._errors import DataError
from latentforest._base._types import Coords
from latentforest.cli._check_cells import check_cells
from latentforest.reading import (
    Notation,
    Source,
    is_text,
    read_cells,
    read_coordinate,
    words_of,
)
from latentforest.table import (
    ColumnSpec,
    TableSchema,
)

MOST_ROWS, MOST_CELLS = 50_000, 2_000_000


def block_rows(wanted: int | None, n_columns: int) -> int:
    """Rows per block: what the user says, or as many as make a few megabytes."""
    return wanted or max(1, min(MOST_ROWS, MOST_CELLS // max(n_columns, 1)))


def columns_to_read(source: Source, schema: TableSchema) -> list[str]:
    """Columns of a file in the order of the model's; others are passed over.

    A model that was fitted on an array knows no names: a file with as many columns
    is then read in its own order.
    """
    wanted = [str(name) for name in schema.names]
    nameless = schema.container == "numpy" and not set(wanted) <= set(source.names)
    if nameless and len(source.data_names) == len(wanted):
        return list(source.data_names)
    if not any(name in source.names for name in wanted) and wanted[0] == "x0":
        message = (
            f"{source.label}: the columns of the model have no names but x0, x1, …. If "
            f"the file has none either, give {source.dialect.no_header}."
        )
        raise DataError(message)
    source.require(wanted, "columns of the model")
    return wanted


def model_table(
    source: Source, block: Any, columns: Sequence[str], schema: TableSchema, first: int
) -> Any:
    """Return a block of a file as a table that the model takes."""
    cells = [
        check_cells(
            source, name, _cells(source, spec, block.column(name), first), first
        )
        for name, spec in zip(columns, schema.columns, strict=True)
    ]
    names = [str(name) for name in schema.names]
    table = pa.table(dict(zip(names, cells, strict=True)))
    if all(isinstance(name, str) for name in schema.names):
        return table
    frame = table.to_pandas()
    frame.columns = import_module("pandas").Index(schema.names, tupleize_cols=False)
    return frame


def _cells(source: Source, spec: ColumnSpec, cells: Any, first: int) -> Any:
    named = any(isinstance(level, str) for level in spec.levels)
    if is_text(cells.type) and (source.is_text or spec.notation):
        return read_cells(spec, words_of(cells), source.dialect, first)
    # A workbook may hold numbers where the model has names that look like them.
    return words_of(cells) if source.is_text and named else cells


def notations_of(schema: TableSchema) -> dict[str, Any]:
    """Return how text tables write columns, where that is not the plain way."""
    found = {str(c.name): Notation.from_text(c.notation).cells for c in schema.columns}
    return {name: cells for name, cells in found.items() if cells is not None}


def coords_of(source: Source, block: Any, names: Sequence[str], first: int) -> Coords:
    """Coordinates from the columns z1, z2, … of a block."""
    coords = np.empty((block.num_rows, len(names)))
    for j, name in enumerate(names):
        cells = block.column(name)
        if source.is_text and is_text(cells.type):
            cells = read_coordinate(name, cells, source.missing, first)
        try:
            coords[:, j] = cells.cast(pa.float64()).to_numpy()
        except pa.ArrowInvalid as exc:
            message = f"Column {name!r} holds {cells.type}, not numbers."
            raise DataError(message) from exc
    bad = np.flatnonzero(~np.isfinite(coords).all(axis=1))
    if len(bad):
        message = (
            f"{source.label}: row {first + bad[0] + 1} has a missing or infinite "
            "coordinate. Every coordinate must be a finite number."
        )
        raise DataError(message)
    return coords


def kept_part(source: Source, block: Any, keep: Sequence[str]) -> Any:
    """Return the columns to carry along, of the same types in every block.

    Cells of text tables stay words: those of a workbook may be of another sort in the
    next block.
    """
    if not source.is_text:
        return block.select(keep)
    words = [words_of(block.column(name)) for name in keep]
    return pa.table(words, names=list(keep))


def check_keep(source: Source, keep: Collection[str], made: Iterable[str]) -> None:
    """Refuse columns to carry along that are not there or would be there twice."""
    source.require(keep, "columns to keep")
    twice = [name for name in made if name in keep]
    if twice:
        message = (
            f"--keep {twice[0]}: the result has a column of that name already. "
            "Leave it out, or rename it."
        )
        raise DataError(message)
    if len(set(keep)) < len(keep):
        message = "--keep names a column twice. Name each one once."
        raise DataError(message)
