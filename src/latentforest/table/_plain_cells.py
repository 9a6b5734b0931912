"""Cells as JSON has them, straight to codes: what most rows of a service hold."""

import math
from types import NoneType
from typing import Any

from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames import EXACT
from latentforest.table._kinds import Level

_NUMBERS, _LEVELS = {int, float}, {str, bool, int, float}


def plain_codes(
    cells: list[Any], spec: ColumnSpec, code_of: dict[Level, float]
) -> list[float] | None:
    """Codes of cells that are plain numbers, or levels of one type, or None.

    None where some cell is anything else: it must be looked at more closely.
    """
    kinds = set(map(type, cells))
    kinds.discard(NoneType)
    if spec.ticks is not None:
        return None
    if spec.is_number:
        # Infinite ones, and integers that floats cannot hold, may be refused.
        plain = kinds <= _NUMBERS and all(
            cell is None or -EXACT < cell < EXACT or cell != cell  # noqa: PLR0124 (NaN)
            for cell in cells
        )
        return [math.nan if x is None else float(x) for x in cells] if plain else None
    if len(kinds) > 1 or not kinds <= _LEVELS:
        return None
    codes = [math.nan if cell is None else code_of.get(cell) for cell in cells]
    return None if None in codes else codes  # type: ignore[return-value]
