"""The smallest and the largest code of each column that a decoder may return."""

import numpy as np

from latentforest._base._types import Floats
from latentforest.table import TableSchema


def code_bounds(schema: TableSchema, margin: float) -> tuple[Floats, Floats]:
    """Return the training range of each column, widened for numbers.

    Parameters
    ----------
    schema : TableSchema
        The columns.
    margin : float
        How far numbers may leave their training range, in widths of it. Numbers that
        were never negative, or never positive, stay so.
    """
    lower, upper = schema.lower, schema.upper
    if margin == 0.0:
        return lower, upper
    largest = np.finfo(np.float64).max
    with np.errstate(over="ignore", invalid="ignore"):
        room = margin * upper - margin * lower
    room = np.where(np.isinf(margin), largest, room)
    room = np.where(schema.is_number, room, 0.0)
    with np.errstate(over="ignore"):
        lowest = np.maximum(lower - room, -largest)
        highest = np.minimum(upper + room, largest)
    return (
        np.where(lower >= 0, np.maximum(lowest, 0.0), lowest),
        np.where(upper <= 0, np.minimum(highest, 0.0), highest),
    )
