"""Between files and models: blocks as models want them, rows as files hold them."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from latentforest._base._errors import DataError
from latentforest._base._in_words import row_of_file
from latentforest._base._types import Coords
from latentforest.cli._check_cells import check_cells
from latentforest.reading import (
    Notation,
    Source,
    is_text,
    read_coordinate,
    table_for,
    words_of,
)
from latentforest.table import (
    TableSchema,
)

MOST_ROWS, MOST_CELLS = 50_000, 2_000_000


def block_rows(wanted: int | None, n_columns: int) -> int:
    """Rows per block: what the user says, or as many as make a few megabytes."""
    return wanted or max(1, min(MOST_ROWS, MOST_CELLS // max(n_columns, 1)))


def model_table(
    source: Source, block: Any, columns: Sequence[str], schema: TableSchema, first: int
) -> Any:
    """Return a block of a file as a table that the model takes."""
    return table_for(source, block, columns, schema, first, check=check_cells)


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
            f"{source.label}: {row_of_file(first + int(bad[0]))} has a missing or "
            "infinite coordinate. Every coordinate must be a finite number."
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
