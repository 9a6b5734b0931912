"""Arrays as text in the page: the smallest type that holds every cell exactly."""

from base64 import b64encode
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats

# Type code in the page, and the values it holds beside one that means missing.
WHOLE_TYPES = (("u1", 0, 254, 255), ("i2", -32_767, 32_767, -32_768))
LARGE_WHOLE = ("i4", -(2**31) + 1, 2**31 - 1, -(2**31))
LEVEL_TYPES = (("u1", 2**8), ("u2", 2**16), ("i4", 2**31))


@dataclass(frozen=True, slots=True)
class PackedArray:
    """Cells as the page keeps them: raw / scale, or missing."""

    raw: NDArray[Any]
    kind: str  # "u1", "u2", "i2", "i4", "f4" or "f8", all little-endian
    scale: float = 1.0
    missing: int | None = None  # the raw number that means missing

    def to_dict(self) -> dict[str, Any]:
        """Return what goes into the page."""
        data = np.ascontiguousarray(self.raw, dtype=f"<{self.kind}")
        return {
            "type": self.kind,
            "scale": self.scale,
            "missing": self.missing,
            "data": b64encode(data.tobytes()).decode("ascii"),
        }


def pack_numbers(values: Floats, decimals: int | None = None) -> PackedArray:
    """Pack floats so that ``raw / scale`` gives back the same bits; NaN is missing.

    Numbers with few decimals become whole numbers, others stay as they are.
    """
    missing = np.isnan(values)
    if decimals is not None and not missing.all():
        scale = 10.0**decimals
        with np.errstate(over="ignore"):
            scaled = np.rint(np.where(missing, 0.0, values * scale))
        low, high = scaled.min(), scaled.max()
        exact = bool(np.all((scaled / scale == values) | missing))
        for kind, lowest, highest, code in (*WHOLE_TYPES, LARGE_WHOLE):
            if exact and lowest <= low and high <= highest:
                raw = np.where(missing, code, scaled).astype(kind)
                return PackedArray(raw, kind, scale, code)
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    if np.array_equal(single.astype(np.float64), values, equal_nan=True):
        return PackedArray(single, "f4")
    return PackedArray(values, "f8")


def pack_levels(codes: Floats, n_levels: int) -> PackedArray:
    """Pack level numbers; missing is one more than the last level."""
    kind = next(kind for kind, room in LEVEL_TYPES if n_levels < room)
    raw = np.where(np.isnan(codes), n_levels, codes).astype(kind)
    return PackedArray(raw, kind, missing=n_levels)


@dataclass(slots=True)
class ArrayStore:
    """The arrays of a page; what is put in twice is kept once."""

    arrays: list[dict[str, Any]] = field(default_factory=list)
    _known: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def add(self, packed: PackedArray) -> int:
        """Return the number under which the page finds the array."""
        entry = packed.to_dict()
        number = self._known.setdefault(tuple(entry.values()), len(self.arrays))
        if number == len(self.arrays):
            self.arrays.append(entry)
        return number
