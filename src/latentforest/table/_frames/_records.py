"""Rows as Python has them, one dict each: what a service reads from JSON."""

from collections.abc import Hashable, Mapping
from typing import Any, TypeGuard

import numpy as np

from latentforest._base._checks import listed
from latentforest._base._errors import SchemaError
from latentforest.table._frames._objects import read_objects
from latentforest.table._frames._raw import RawColumn, RawTable

Records = Mapping[Hashable, Any] | list[Mapping[Hashable, Any]]


def is_records(X: Any) -> TypeGuard[Records]:
    """Whether these are rows as dicts, or one of them."""
    if isinstance(X, Mapping):
        return True
    return isinstance(X, list) and len(X) > 0 and isinstance(X[0], Mapping)


def open_records(X: Records, names: tuple[Hashable, ...]) -> RawTable:
    """Check that every row has a cell for each column, in any order, and no other."""
    rows = X if isinstance(X, list) else [X]
    wanted = set(names)
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            message = f"Row {number} is a {type(row).__name__}. Give dicts only."
            raise TypeError(message)
        if row.keys() != wanted:
            lacks = [name for name in names if name not in row]
            more = [name for name in row if name not in wanted]
            message = (
                f"Row {number} lacks the columns: {listed(lacks) or 'none'}; it has "
                f"others than fit has seen: {listed(more) or 'none'}. Give each row "
                "all columns of the fitted table, None where a cell is missing, and "
                "no more."
            )
            raise SchemaError(message)

    def cells(j: int) -> list[Any]:
        return [row[names[j]] for row in rows]

    def read(j: int) -> RawColumn:
        found = np.empty(len(rows), object)
        found[:] = cells(j)
        return read_objects(names[j], found)

    return RawTable("pandas", names, len(rows), read, cells)
