"""Pieces of arrays on disk, and of what a function gives."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from latentforest._base._errors import SchemaError
from latentforest._base._parallel import blocks_of
from latentforest.table import Batches

T = TypeVar("T")
PIECE = 2**16  # rows


@dataclass(eq=False)
class ArrayBatches(Batches):
    """A long array of which only pieces are brought to memory."""

    array: Any
    label = "the array"

    def map(
        self, work: Callable[..., T], *arguments: Sequence[Any], what: str = ""
    ) -> Iterator[T]:
        """Work on slices."""
        for number, (begin, end) in enumerate(blocks_of(len(self.array), PIECE)):
            piece = self.array[begin:end]
            yield work(piece, *(values[number] for values in arguments))


@dataclass(eq=False)
class GivenBatches(Batches):
    """What a function gives: each call begins with the first piece again."""

    give: Callable[[], Iterable[Any]]
    label = "the table that the function gives"

    def map(
        self, work: Callable[..., T], *arguments: Sequence[Any], what: str = ""
    ) -> Iterator[T]:
        """Work on the pieces as they come."""
        number = -1
        for number, piece in enumerate(self._pieces()):
            if arguments and number >= len(arguments[0]):
                raise _changed(number + 1, len(arguments[0]))
            yield work(piece, *(values[number] for values in arguments))
        if arguments and number + 1 < len(arguments[0]):
            raise _changed(number + 1, len(arguments[0]))

    def _pieces(self) -> Iterable[Any]:
        given = self.give()
        if hasattr(given, "columns") or isinstance(given, np.ndarray):
            message = (
                f"The function gave one {type(given).__name__}. Give the table itself, "
                "or a function that returns an iterator over pieces of it."
            )
            raise TypeError(message)
        return given


def _changed(now: int, before: int) -> SchemaError:
    return SchemaError(
        f"The function gave {before} parts of the table at first, and another number "
        f"({now} or more) now. It must give the same parts whenever it is called."
    )
