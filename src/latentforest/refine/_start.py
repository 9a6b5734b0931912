"""Where rows begin before they are refined: the contract of starts."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from latentforest._base._section import NewSection, Section
from latentforest._base._types import Coords
from latentforest.refine._cells import Cells
from latentforest.refine._map import RefinedMap


@dataclass(frozen=True, slots=True)
class Hints:
    """What the forest says of some rows, worked out when it is asked for."""

    coords: Callable[[], Coords]  # where its own map places them
    # So many refined rows that share most leaves with each, itself left out; −1: none.
    relatives: Callable[[int], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class RowsToRefine:
    """What a start may learn from."""

    cells: Cells
    hints: Hints  # each row as if it were new
    n_components: int
    rng: np.random.Generator
    n_jobs: int | None


class Start(ABC):
    """Where rows begin before they are refined."""

    __slots__ = ()
    name: ClassVar[str]

    @classmethod
    @abstractmethod
    def begin(cls, rows: RowsToRefine) -> tuple[Self, Coords]:
        """Learn from the rows that will be refined; return where they begin."""

    @abstractmethod
    def places(self, cells: Cells, hints: Hints, refined: RefinedMap) -> list[Coords]:
        """Where new rows may begin; the place that ends best is kept."""

    def put(self, new: NewSection) -> None:  # noqa: B027 (nothing is a way to write)
        """Write to a model file; most starts have nothing to write."""

    @classmethod
    def take(cls, section: Section, n_components: int, n_cells: int) -> Self:
        """Read from a model file."""
        return cls()
