"""Cells that no model takes, refused in the words of the command line."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._errors import DataError
from latentforest._base._in_words import row_of_file
from latentforest.reading import Source, nested_error


def check_cells(source: Source, name: str, cells: Any, first: int = 0) -> Any:
    """Return the cells of a column, or say which one is no number, text or date.

    ``first`` is the number of rows before them.
    """
    kind = cells.type
    if pa.types.is_nested(kind) or _is_bytes(kind):
        row = first + max(pc.index(cells.is_valid(), True).as_py(), 0)
        raise nested_error(source.label, name, row, source.dialect)
    if pa.types.is_floating(kind):
        row = pc.index(pc.is_inf(cells.cast(pa.float64())), True).as_py()
        if row >= 0:
            message = (
                f"{source.label}: column {name!r} holds an infinite number in "
                f"{row_of_file(first + row)}. Write a finite number there, or nothing."
            )
            raise DataError(message)
    return cells


def _is_bytes(kind: Any) -> bool:
    tests = (
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_fixed_size_binary,
    )
    return any(test(kind) for test in tests)
