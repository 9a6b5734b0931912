"""Decimal columns: floats inside, decimals of the same precision and scale out."""

import re
from collections.abc import Hashable
from decimal import Context, Decimal
from typing import Any

import numpy as np

from latentforest._base._optional import require
from latentforest._base._types import Floats
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._frames._raw import EXACT, NumberColumn, inexact, numbers_of
from latentforest.table._kinds import Storage

# decimal128(10, 2), Decimal(10, 2), and object:None:2, which has a scale only.
_SHAPE = re.compile(r"[dD]ecimal(\d*)\((\d+), (-?\d+)\)(?:\[pyarrow\])?")
_WIDE = Context(prec=100)
_LONGEST = 38  # digits of decimals whose dtype does not say


def decimal_column(
    name: Hashable, dtype: str, numbers: Floats, scale: int
) -> NumberColumn:
    """Make a column of what a library casts to floats."""
    largest = np.fmax.reduce(np.abs(numbers), initial=0.0)
    if scale <= 0 and largest >= EXACT:
        raise inexact(name)
    if 0 < scale <= 15 and largest * 10.0**scale < EXACT / 2:
        # The float nearest to the decimal, whoever cast it.
        numbers = np.rint(numbers * 10.0**scale) / 10.0**scale
    return NumberColumn(name, dtype, Storage.decimal, numbers)


def write_decimals(spec: ColumnSpec, codes: Floats) -> list[Decimal | None]:
    """Python's decimals with the scale of the column, within its precision."""
    precision, scale = shape_of(spec.dtype)
    step = Decimal(1).scaleb(-scale, _WIDE)
    most = _WIDE.subtract(Decimal(1).scaleb(precision - scale, _WIDE), step)
    numbers = numbers_of(spec, codes).tolist()
    return [
        None if x != x else _settled(x, step, most)  # noqa: PLR0124 (NaN)
        for x in numbers
    ]


def _settled(number: float, step: Decimal, most: Decimal) -> Decimal:
    # repr is the shortest text of a float: 0.15 is no longer than it was.
    cell = min(max(Decimal(repr(number)), -most), most)
    return cell.quantize(step, context=_WIDE)


def shape_of(dtype: str) -> tuple[int, int]:
    """Precision and scale of a decimal dtype of any library."""
    if found := _SHAPE.fullmatch(dtype):
        return int(found.group(2)), int(found.group(3))
    return _LONGEST, int(dtype.rpartition(":")[2])


def arrow_decimal_type(dtype: str) -> Any:
    """Return the arrow type for decimals of any library."""
    pa = require("pyarrow", extra="pyarrow")
    found = _SHAPE.fullmatch(dtype)
    bits = found.group(1) if found and found.group(1) else "128"
    return getattr(pa, f"decimal{bits}")(*shape_of(dtype))


def scale_of(cells: list[Decimal]) -> int:
    """Most decimals that a cell is written with."""
    exponents = [cell.as_tuple().exponent for cell in cells]
    return max((-e for e in exponents if isinstance(e, int)), default=0)
