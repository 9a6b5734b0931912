"""A part of the manifest, read with the type that is wanted."""

import math
from typing import Any, TypeVar

from latentforest.files._values import damaged, decode_value

Wanted = TypeVar("Wanted")


class Section:
    """A JSON object of which nothing is believed."""

    def __init__(self, data: Any, where: str) -> None:
        if not isinstance(data, dict):
            raise damaged(f"{where} is no object")
        self.data: dict[str, Any] = data
        self.where = where

    def _get(self, key: str, kind: type[Wanted]) -> Wanted:
        if key not in self.data:
            raise damaged(f"{self.where} has no {key}")
        value = self.data[key]
        # Python counts booleans as integers.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise damaged(f"{key} of {self.where} is no {kind.__name__}")
        return value

    def text(self, key: str) -> str:
        """Return a text."""
        return self._get(key, str)

    def flag(self, key: str) -> bool:
        """Return True or False."""
        return self._get(key, bool)

    def integer(self, key: str, *, lowest: int, highest: int = 2**63 - 1) -> int:
        """Return a whole number in a range."""
        value = self._get(key, int)
        if not lowest <= value <= highest:
            raise damaged(f"{key} of {self.where} is {value}")
        return value

    def number(self, key: str) -> float:
        """Return a finite number."""
        value = self.value(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise damaged(f"{key} of {self.where} is no number")
        if not math.isfinite(value):
            raise damaged(f"{key} of {self.where} is {value}")
        return float(value)

    def value(self, key: str) -> Any:
        """Return any plain value."""
        if key not in self.data:
            raise damaged(f"{self.where} has no {key}")
        return decode_value(self.data[key], what=f"{key} of {self.where}")

    def values(self, key: str) -> list[Any]:
        """Return a list of plain values."""
        what = f"{key} of {self.where}"
        return [decode_value(value, what=what) for value in self._get(key, list)]

    def has(self, key: str) -> bool:
        """Whether there is something other than null."""
        return self.data.get(key) is not None

    def section(self, key: str) -> "Section":
        """Return a part that is an object too."""
        return Section(self._get(key, dict), f"{key} of {self.where}")

    def sections(self, key: str) -> list["Section"]:
        """Return a list of objects."""
        parts = self._get(key, list)
        return [
            Section(part, f"{key} {number} of {self.where}")
            for number, part in enumerate(parts)
        ]
