"""One coordinate that carries several columns: places on a curve through the rows."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Bools, Floats
from latentforest.refine._cells import Cells
from latentforest.refine._curve_loops import (
    boxes_of,
    curve_through,
    nearest_on_curve,
)
from latentforest.refine._map import FAR
from latentforest.table import number_rows

BOX = 32  # neighbours on the curve that are searched together
GROUP = 32  # boxes that are bounded together
QUERY_BLOCK = 256

# Lowest and highest value, and whether there are gaps; (n_boxes, n_columns) each.
Boxes: TypeAlias = tuple[Floats, Floats, NDArray[np.int64]]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Points on a line that stand for what rows have in some columns.

    A new row is placed where the nearest point lies: squared distance is what it would
    lose there, 1 for a wrong level or gap. A number alone, without gaps, needs no
    curve: its place is its value.
    """

    columns: NDArray[np.int64]
    is_number: Bools  # (n_columns,) of these columns
    values: Floats  # (n_points, n_columns) from one end to the other
    places: Floats  # (n_points,) ascending
    straight: bool  # one number, without gaps
    boxes: Boxes  # of runs of points
    groups: Boxes  # of runs of boxes

    @classmethod
    def of_places(
        cls, cells: Cells, columns: NDArray[np.int64], places: Floats
    ) -> "Curve":
        """Rebuild the curve from the places of all rows."""
        found, first = np.unique(places, return_index=True)
        return cls._of_points(
            columns,
            cells.is_number[columns],
            cells.values[np.ix_(first, columns)],
            found,
            straight=is_straight(cells, columns),
        )

    @classmethod
    def _of_points(
        cls,
        columns: NDArray[np.int64],
        is_number: Bools,
        values: Floats,
        places: Floats,
        *,
        straight: bool,
    ) -> "Curve":
        values = np.ascontiguousarray(values)
        boxes, groups = _boxes(values, BOX), _boxes(values, BOX * GROUP)
        return cls(columns, is_number, values, places, straight, boxes, groups)

    def keep(self, places: Floats) -> "Curve":
        """Return the curve with the points at given places only.

        It stays straight, or not, whatever its points have left.
        """
        kept = np.isin(self.places, places)
        return self._of_points(
            self.columns,
            self.is_number,
            self.values[kept],
            self.places[kept],
            straight=self.straight,
        )

    def nearest(
        self,
        values: Floats,
        own: NDArray[np.int64] | None = None,
        *,
        n_jobs: int | None,
    ) -> Floats:
        """Places of rows that have certain values in these columns.

        The points that are their ``own``, where that is not −1, do not count, unless
        there is no other.
        """
        if self.straight:
            # The mean for a gap, and a number that is one beyond the largest.
            return np.nan_to_num(values[:, 0])
        # The square of more would drown those of other columns, or be no number.
        near = np.where(self.is_number, np.clip(values, -FAR, FAR), values)
        wanted = np.ascontiguousarray(near)
        if len(self.places) == 1:
            return np.full(len(wanted), self.places[0])
        found = np.empty(len(wanted), np.int64)
        own = np.full(len(wanted), -1) if own is None else own

        def work(block: tuple[int, int]) -> None:
            nearest_on_curve(
                self.values,
                self.is_number,
                BOX,
                self.boxes,
                GROUP,
                self.groups,
                wanted,
                own,
                *block,
                found,
            )

        run_blocks(work, list(blocks_of(len(wanted), QUERY_BLOCK)), n_jobs=n_jobs)
        return self.places[found]

    def leave_one_out(self, places: Floats, *, n_jobs: int | None) -> Floats:
        """Where the rows at given places would lie if each were new."""
        point = np.searchsorted(self.places, places)
        alone = np.bincount(point)[point] == 1
        own = np.where(alone, point, -1)
        return self.nearest(self.values[point], own, n_jobs=n_jobs)


def _boxes(values: Floats, size: int) -> Boxes:
    """Ranges and gaps of runs of points."""
    n_boxes = -(-len(values) // size)
    lows, highs = np.empty((2, n_boxes, values.shape[1]))
    gaps = np.empty(lows.shape, np.int64)
    boxes_of(values, size, lows, highs, gaps)
    return lows, highs, gaps


def is_straight(cells: Cells, columns: NDArray[np.int64]) -> bool:
    """Whether the columns are a single number that every row has."""
    if len(columns) != 1 or not cells.is_number[columns[0]]:
        return False
    return not np.isnan(cells.values[:, columns[0]]).any()


def places_on_curve(cells: Cells, columns: NDArray[np.int64]) -> Floats:
    """Lay a curve through what rows have in some columns; say where each row lies.

    Steps along the curve are as long as the points are apart, in units of the standard
    deviation of the rows' places.
    """
    values = np.ascontiguousarray(cells.values[:, columns])
    if is_straight(cells, columns):
        return values[:, 0]
    if not len(columns):
        return np.zeros(len(values))
    number = number_rows(values)
    _, first, counts = np.unique(number, return_index=True, return_counts=True)
    points, is_number = values[first], cells.is_number[columns]
    order, steps = curve_through(points, counts.astype(np.float64), is_number)
    places = np.empty(len(points))
    places[order] = np.cumsum(steps)
    places = places[number]
    return (places - places.mean()) / (places.std() or 1.0)
