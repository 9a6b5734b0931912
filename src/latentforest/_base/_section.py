"""A part of a model file: what a class puts there, and how it is read back.

A class that is saved has two methods: ``put`` writes to a `NewSection`, ``take`` reads
from a `Section`. Plain values go into JSON, arrays into the section's folder.
"""

import inspect
import math
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import ModelFileError
from latentforest._base._room import Demand
from latentforest._base._types import Coords
from latentforest._base._values import (
    damaged,
    decode_generator,
    decode_value,
    encode_generator,
    encode_seed,
    encode_value,
)

Wanted = TypeVar("Wanted")

LARGEST = 1e100  # coordinates; their squares must be finite


class NewSection:
    """A JSON object and arrays on their way into a file."""

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]] | None = None,
        folder: str = "",
        demands: list[Demand] | None = None,
    ) -> None:
        self.data: dict[str, Any] = {}
        self.arrays = {} if arrays is None else arrays
        self.folder = folder
        self.demands = [] if demands is None else demands

    def put(self, key: str, value: Any, what: str | None = None) -> None:
        """Add a plain value; an error calls it ``what``, or by its key."""
        self.data[key] = encode_value(value, what=what or key)

    def array(self, name: str, array: NDArray[Any]) -> None:
        """Add an array."""
        self.arrays[_path(self.folder, name)] = array

    def need(self, demand: Demand) -> None:
        """Say what it will take to rebuild a part, as `Section.need` does."""
        self.demands.append(demand)

    def generator(self, key: str, rng: np.random.Generator) -> None:
        """Add the state of a generator."""
        self.data[key] = encode_generator(rng)

    def section(self, key: str, folder: str | None = None) -> "NewSection":
        """Add a part with a folder of its own, named by its key unless given."""
        inner = self.beside(_path(self.folder, key) if folder is None else folder)
        self.data[key] = inner.data
        return inner

    def sections(self, key: str, size: int) -> list["NewSection"]:
        """Add a list of parts; their folders are numbered."""
        parts = [self.beside(_path(self.folder, str(n))) for n in range(size)]
        self.data[key] = [part.data for part in parts]
        return parts

    def beside(self, folder: str = "") -> "NewSection":
        """Return a part that belongs to no key yet."""
        return NewSection(self.arrays, folder, self.demands)

    def object(self, thing: Any, classes: Iterable[type], what: str) -> None:
        """Add the class and the parameters of an object of ours."""
        if type(thing) not in classes:
            message = (
                f"{what} is a {type(thing).__name__}, which is not part of "
                "latentforest, so a model file cannot hold it. Keep the model with "
                "pickle instead."
            )
            raise ModelFileError(message)
        self.put("class", type(thing).__name__)
        self.data["parameters"] = {
            key: encode_seed(value)
            if key == "random_state"
            else encode_value(value, what=f"{key} of {what}")
            for key, value in thing.get_params(deep=False).items()
        }


class Arrays(Protocol):
    """Where the arrays of a file are read."""

    def take(
        self, name: str, dtype: Any, shape: tuple[int | None, ...]
    ) -> NDArray[Any]:
        """Read an array of this dtype, or one of these, and shape; None is any size."""

    def need(self, demand: Demand) -> None:
        """Refuse a file that asks for more than it may, all its parts together."""

    def holds(self, name: str) -> bool:
        """Whether there is such an array."""


class Section:
    """A JSON object and arrays of which nothing is believed."""

    def __init__(
        self, data: Any, where: str, arrays: Arrays | None = None, folder: str = ""
    ) -> None:
        if not isinstance(data, dict):
            raise damaged(f"{where} is not an object")
        self.data: dict[str, Any] = data
        self.where, self.folder, self._arrays = where, folder, arrays

    def _get(self, key: str, kind: type[Wanted]) -> Wanted:
        if key not in self.data:
            raise damaged(f"{self.where} has no {key}")
        value = self.data[key]
        # Python counts booleans as integers.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise damaged(f"{key} of {self.where} is not a {kind.__name__}")
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
            raise damaged(f"{key} of {self.where} is not a number")
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

    def generator(self, key: str) -> np.random.Generator:
        """Return a generator in the state that was kept."""
        return decode_generator(self._get(key, dict))

    def section(self, key: str, folder: str | None = None) -> "Section":
        """Return a part that is an object too; see `NewSection.section`."""
        inner = _path(self.folder, key) if folder is None else folder
        where = f"{key} of {self.where}"
        return Section(self._get(key, dict), where, self._arrays, inner)

    def sections(self, key: str) -> list["Section"]:
        """Return a list of objects."""
        return [
            Section(
                part,
                f"{key} {number} of {self.where}",
                self._arrays,
                _path(self.folder, str(number)),
            )
            for number, part in enumerate(self._get(key, list))
        ]

    def array(self, name: str, dtype: Any, shape: tuple[int | None, ...]) -> Any:
        """Read an array of this dtype, or one of these, and shape; None is any size."""
        if self._arrays is None:
            raise damaged(f"{self.path(name)} is missing")
        return self._arrays.take(self.path(name), dtype, shape)

    def need(self, demand: Demand) -> None:
        """Say what it takes to rebuild a part, before anything is allocated for it."""
        if self._arrays is not None:
            self._arrays.need(demand)

    def holds(self, name: str) -> bool:
        """Whether there is such an array; some are younger than some files."""
        return self._arrays is not None and self._arrays.holds(self.path(name))

    def path(self, name: str) -> str:
        """Return the name of an array in the file."""
        return _path(self.folder, name)

    def coords(self, name: str, shape: tuple[int | None, ...]) -> Coords:
        """Read an array of finite numbers that are not too large to compute with.

        Compact files have some of them in single precision.
        """
        coords: Coords = self.array(name, (np.float64, np.float32), shape)
        if not (np.abs(coords) < LARGEST).all():  # NaN compares false
            raise damaged(
                f"{self.path(name)} holds numbers that are too large, or none"
            )
        return coords.astype(np.float64, copy=False)

    def rows(self, name: str, size: int, n_rows: int) -> NDArray[np.int64]:
        """Read numbers of rows of the table, in rising order, at least one."""
        rows: NDArray[np.int64] = self.array(name, np.int64, (size,))
        inside = len(rows) > 0 and rows[0] >= 0 and rows[-1] < n_rows
        if not inside or (np.diff(rows) <= 0).any():
            raise damaged(
                f"{self.path(name)} are not rows of the table in rising order"
            )
        return rows

    def object(self, classes: Iterable[type]) -> Any:
        """Build an object of one of these classes.

        A parameter that the file does not have is younger than the file, and gets its
        default.
        """
        by_name: dict[str, Any] = {cls.__name__: cls for cls in classes}
        name = self.text("class")
        if name not in by_name:
            raise damaged(f"{name[:40]!r} is not a class we know here")
        thing = by_name[name](**self.section("parameters").parameters(by_name[name]))
        if hasattr(thing, "check"):
            thing.check()
        return thing

    def parameters(self, cls: type) -> dict[str, Any]:
        """Return plain parameters of a class; switches must be True or False."""
        known = inspect.signature(cls).parameters
        for key in self.data:
            if key not in known:
                raise damaged(f"{cls.__name__} has no parameter {key[:40]!r}")
        return {
            key: self.flag(key)
            if isinstance(known[key].default, bool)
            else self.value(key)
            for key in self.data
        }


def _path(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
