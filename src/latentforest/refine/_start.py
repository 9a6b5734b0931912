"""Where rows begin before they are refined: the contract of starts."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from latentforest._base._section import NewSection, Section
from latentforest._base._types import Coords, Floats
from latentforest.refine._cells import Cells
from latentforest.refine._map import RefinedMap
from latentforest.refine._settings import Refinement


class RowMap(Protocol):
    """Rows that were refined together, at their coordinates."""

    settings: Refinement
    n_jobs: int | None
    coords_: Coords
    cells_: Cells
    objective_: list[float]  # what is lost per row; nothing if it was not measured

    @property
    def columns(self) -> tuple[NDArray[np.int64], ...] | None:
        """The columns that each coordinate carries; None if all matter to all."""

    def place(self, starts: Sequence[Coords], cells: Cells) -> Coords:
        """Move new rows from where they may start to where they decode best."""

    def put(self, new: NewSection) -> None:
        """Write to a model file."""


@dataclass(frozen=True, slots=True)
class Hints:
    """What the forest says of some rows, worked out when it is asked for."""

    coords: Callable[[], Coords]  # where its own map places them
    # So many refined rows that share most leaves with each, itself left out; −1: none.
    relatives: Callable[[int], NDArray[np.int64]]


class Near(NamedTuple):
    """The refined rows whose cells are nearest to those of new rows, nearest first."""

    rows: NDArray[np.int64]  # (n_new, n_near); −1 where there are no more
    squares: Floats  # (n_new, n_near) squared distances; infinite where there are none


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
    asks_map: ClassVar[bool] = False  # where the forest's own map places new rows

    @classmethod
    @abstractmethod
    def begin(cls, rows: RowsToRefine) -> tuple[Self, Coords]:
        """Learn from the rows that will be refined; return where they begin."""

    @abstractmethod
    def places(
        self, cells: Cells, hints: Hints, refined: RowMap, near: Near | None
    ) -> list[Coords]:
        """Where new rows may begin; the place that ends best is kept.

        Starts from which rows are moved are told which refined rows are ``near``.
        """

    @abstractmethod
    def begin_again(self, rows: RowsToRefine, coords: Coords, rounds: int) -> Coords:
        """Where rows begin on a map without others that shaped their ``coords``.

        A layout takes so many rounds to forget them.
        """

    def refine(
        self, settings: Refinement, begin: Coords, cells: Cells, *, n_jobs: int | None
    ) -> RowMap:
        """Move the rows from where they begin."""
        return RefinedMap(settings, n_jobs=n_jobs).fit(begin, cells)

    def put(self, new: NewSection) -> None:  # noqa: B027 (nothing is a way to write)
        """Write to a model file; most starts have nothing to write."""

    @classmethod
    def take(cls, section: Section, n_components: int, cells: Cells) -> Self:
        """Read from a model file."""
        return cls()

    def take_map(
        self, section: Section, coords: Coords, cells: Cells, *, n_jobs: int | None
    ) -> RowMap:
        """Rebuild the map of rows at known coordinates, with known cells."""
        return RefinedMap.take(section, coords, cells, n_jobs=n_jobs)
