"""Packed coordinates: each carries columns of its own, as places on a curve."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from latentforest._base._room import Demand
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Coords
from latentforest._base._values import damaged
from latentforest.refine._cells import Cells
from latentforest.refine._curve import BOX, Curve, places_on_curve
from latentforest.refine._deal import deal_columns
from latentforest.refine._map import FAR
from latentforest.refine._settings import Refinement
from latentforest.refine._start import Hints, Near, RowMap, RowsToRefine, Start


class PackedMap:
    """Rows on one curve per coordinate. Rounds and steps would gain nothing.

    Attributes
    ----------
    coords_ : ndarray of shape (n_rows, n_components)
        Coordinates of the training rows.
    columns : tuple of arrays of int
        The columns that each coordinate carries.
    """

    def __init__(
        self,
        settings: Refinement,
        columns: tuple[NDArray[np.int64], ...],
        coords: Coords,
        cells: Cells,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.settings, self.columns, self.n_jobs = settings, columns, n_jobs
        self.coords_, self.cells_ = np.ascontiguousarray(coords), cells
        self.objective_: list[float] = []
        self.curves_ = [
            Curve.of_places(cells, *of_curve)
            for of_curve in zip(columns, coords.T, strict=True)
        ]

    def nearest(self, cells: Cells) -> Coords:
        """Coordinates of new rows."""
        places = [
            curve.nearest(cells.values[:, curve.columns], n_jobs=self.n_jobs)
            for curve in self.curves_
        ]
        return np.column_stack(places)

    def leave_one_out(self) -> Coords:
        """Coordinates of the training rows, each as if it were new."""
        places = [
            curve.leave_one_out(own, n_jobs=self.n_jobs)
            for curve, own in zip(self.curves_, self.coords_.T, strict=True)
        ]
        return np.column_stack(places)

    def take(self, rows: NDArray[np.integer]) -> "PackedMap":
        """Return the map of some of the rows, on the same curves."""
        fewer = copy(self)
        fewer.coords_, fewer.cells_ = self.coords_[rows], self.cells_.take(rows)
        fewer.curves_ = [
            curve.keep(places)
            for curve, places in zip(self.curves_, fewer.coords_.T, strict=True)
        ]
        return fewer

    def place(self, starts: Sequence[Coords], cells: Cells) -> Coords:
        """Leave rows where they start."""
        return np.array(starts[0])

    def put(self, new: NewSection) -> None:
        """Write settings and coordinates to a model file."""
        new.section("settings").object(self.settings, (Refinement,), "the refinement")
        new.array("coords", self.coords_)
        new.need(_demand(self.coords_, self.cells_))


@dataclass(frozen=True, slots=True)
class PackedStart(Start):
    """Columns are dealt to coordinates, and stay apart: best for few lost cells.

    What lies near in such a map has little in common but the columns of a coordinate.
    """

    name: ClassVar[str] = "packed"

    columns: tuple[NDArray[np.int64], ...]  # of each coordinate

    @classmethod
    def begin(cls, rows: RowsToRefine) -> tuple[Self, Coords]:
        """Deal the columns, and lay a curve for each coordinate."""
        columns = deal_columns(rows.cells, rows.n_components, rows.rng)
        places = [places_on_curve(rows.cells, of_one) for of_one in columns]
        return cls(columns), np.column_stack(places)

    def begin_again(self, rows: RowsToRefine, coords: Coords, rounds: int) -> Coords:
        """Leave the rows at their places on the curves."""
        return coords

    def places(
        self, cells: Cells, hints: Hints, refined: RowMap, near: Near | None
    ) -> list[Coords]:
        """Take the places of the nearest points of each curve."""
        assert isinstance(refined, PackedMap), "made by `refine`"
        return [refined.nearest(cells)]

    def refine(
        self, settings: Refinement, begin: Coords, cells: Cells, *, n_jobs: int | None
    ) -> RowMap:
        """Index the curves."""
        return PackedMap(settings, self.columns, begin, cells, n_jobs=n_jobs)

    def put(self, new: NewSection) -> None:
        """Write which coordinate carries each column."""
        coordinate = np.empty(sum(map(len, self.columns)), np.int64)
        for number, of_one in enumerate(self.columns):
            coordinate[of_one] = number
        new.array("coordinate", coordinate)

    @classmethod
    def take(cls, section: Section, n_components: int, cells: Cells) -> Self:
        """Read which coordinate carries each column."""
        shape = (len(cells.is_number),)
        coordinate = section.array("coordinate", np.int64, shape)
        if coordinate.min() < 0 or coordinate.max() >= n_components:
            raise damaged(f"{section.path('coordinate')} names coordinates beyond")
        columns = [np.empty(0, np.int64)] * n_components
        order = np.argsort(coordinate, kind="stable")
        found, first = np.unique(coordinate[order], return_index=True)
        for number, of_one in zip(found, np.split(order, first[1:]), strict=True):
            columns[number] = of_one
        return cls(tuple(columns))

    def take_map(
        self, section: Section, coords: Coords, cells: Cells, *, n_jobs: int | None
    ) -> RowMap:
        """Rebuild the map of rows at known coordinates, with known cells."""
        settings = section.section("settings").object((Refinement,))
        if np.nanmax(np.abs(cells.values[:, cells.is_number]), initial=0) > FAR:
            mean, scale = section.path("mean"), section.path("scale")
            raise damaged(f"{mean} and {scale} do not fit the rows")
        section.need(_demand(coords, cells))
        return PackedMap(settings, self.columns, coords, cells, n_jobs=n_jobs)


def _demand(coords: Coords, cells: Cells) -> Demand:
    """Tell what it takes to index the curves, and place a few rows."""
    n_columns = len(cells.is_number)
    n_rows, n_curves = coords.shape
    # Sorting places takes most; a curve, however short, some objects.
    indexing = Demand(4_000 * n_curves, (32 * n_rows + 40_000) * n_curves)
    searching = Demand(32 * n_rows * (n_columns + 1), 8 * n_rows * n_columns * BOX)
    return indexing + searching
