"""One dtype for the pieces of a column, as the whole column would have it."""

import re
from typing import Any

import numpy as np

from latentforest._base._errors import SchemaError
from latentforest.table._kinds import Storage

_NUMBERS = re.compile(r"u?int\d+$|float\d+$")


def join_dtypes(one: Any, other: Any) -> tuple[str, Storage]:
    """Return dtype and storage of a column of which two pieces were looked at.

    pandas changes the dtype of integers and booleans where a cell is missing, and that
    of objects tells how they are. A piece without any cell says little. Numbers become
    as wide as the widest of them, and floats where some are.
    """
    if one.dtype == other.dtype and one.storage == other.storage:
        return one.dtype, one.storage
    for plain, nullable in ((one, other), (other, one)):
        # pandas writes nullable dtypes with capitals: Int64, UInt8; but boolean.
        same = plain.dtype == nullable.dtype.lower()
        if same or (plain.dtype, nullable.dtype) == ("bool", "boolean"):
            return nullable.dtype, nullable.storage
    if one.dtype.startswith("object:") and other.dtype.startswith("object:"):
        return _join_objects(one, other)
    if not one.n_present or not other.n_present:
        told = one if one.n_present else other
        return told.dtype, told.storage
    if _NUMBERS.match(one.dtype) and _NUMBERS.match(other.dtype):
        joined = np.result_type(one.dtype, other.dtype)
        return joined.name, Storage.float if joined.kind == "f" else Storage.integer
    message = (
        f"Column {one.name!r} is {one.dtype} in one part of the table and "
        f"{other.dtype} in another. Write all parts alike."
    )
    raise SchemaError(message)


def _join_objects(one: Any, other: Any) -> tuple[str, Storage]:
    told = one if one.n_present else other
    storage = told.storage
    if one.n_present and other.n_present and one.storage != other.storage:
        numbers = {Storage.integer, Storage.float}
        if {one.storage, other.storage} != numbers:
            message = (
                f"Column {one.name!r} holds {one.storage} cells in one part of the "
                f"table and {other.storage} cells in another. Make them all alike."
            )
            raise SchemaError(message)
        storage = Storage.float
    # The first missing cell says what missing cells are; without one nothing does.
    absent = (one if one.has_missing else other).dtype.split(":")[1]
    details = [piece.dtype.split(":")[2:] for piece in (one, other) if piece.n_present]
    longest = max(map(":".join, details), default="", key=lambda w: (len(w), w))
    return ":".join(["object", absent, *filter(None, [longest])]), storage
