"""The graph of packed coordinates: cells to distances, distances to places.

Each coordinate is the place of the nearest point on its curve. A graph has no tree to
search in, so it measures the distance to all points, in the order of additions that
compiled loops have: the same bits, for so many numbers per row as there are points.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from latentforest._base._types import Floats
from latentforest.refine import FAR, Curve, PackedMap
from latentforest.serving._builder import GraphBuilder
from latentforest.serving._graph import add_codes
from latentforest.serving._limits import LARGEST
from latentforest.serving._ports import OUTPUT, Port
from latentforest.table import WILD_GAP

_DOUBLE = 11  # as TensorProto counts types


def build_packed(
    ports: Sequence[Port], packed: PackedMap, mean: Floats, scale: Floats
) -> Any:
    """Build the model; cells are numbers less their mean, in units of their scale."""
    n_bytes = sum(curve.values.nbytes for curve in packed.curves_)
    if n_bytes > LARGEST:
        message = (
            f"The graph would hold {n_bytes / 1e9:.1f} GB of points, more than the 2 "
            "GB that ONNX allows. Fit with a lower max_rows in Refinement, or serve "
            "the model with save() and load()."
        )
        raise ValueError(message)
    graph = _PackedGraph()
    cells = [graph.add_cell(j, port, mean[j], scale[j]) for j, port in enumerate(ports)]
    places = [
        graph.add_curve(number, curve, cells)
        for number, curve in enumerate(packed.curves_)
    ]
    graph.add("Concat", places, OUTPUT, axis=1)
    return graph.model(ports, len(places))


class _PackedGraph(GraphBuilder):
    """Cells are (n_rows, 1), points lie along the other axis."""

    def __init__(self) -> None:
        super().__init__()
        self.zero, self.one = (self.number(x, x) for x in (0.0, 1.0))

    def number(self, name: Any, value: float) -> str:
        """Put a number into the graph."""
        return self.constant(f"number_{name}", np.array([[value]]))

    def add_cell(self, j: int, port: Port, mean: float, scale: float) -> str:
        """Take a level's number, or a number in units of the column."""
        if not port.spec.is_number:
            levels = np.arange(port.spec.n_levels, dtype=np.float64)
            return add_codes(self, j, port, levels)
        number = self._add_edges(j, port)
        mean_name, scale_name = self.number(f"mean_{j}", mean), self.number(j, scale)
        centred = self.add("Sub", [number, mean_name], f"centred_{j}")
        return self.add("Div", [centred, scale_name], f"cell_{j}")

    def _add_edges(self, j: int, port: Port) -> str:
        """Take a number, a wild one as the nearer end of the range of its column."""
        lower, upper = port.spec.lower, port.spec.upper
        room = WILD_GAP * (upper - lower)
        if not (0 < room < np.inf):
            return port.name
        at = self.number(f"room_{j}", room)
        low, high = self.number(f"lower_{j}", lower), self.number(f"upper_{j}", upper)
        above = self.add("Sub", [port.name, high], f"above_{j}")
        below = self.add("Sub", [low, port.name], f"below_{j}")
        is_high = self.add("Greater", [above, at], f"is_high_{j}")
        is_low = self.add("Greater", [below, at], f"is_low_{j}")
        part = self.add("Where", [is_high, high, port.name], f"not_high_{j}")
        return self.add("Where", [is_low, low, part], f"at_edge_{j}")

    def add_curve(self, number: int, curve: Curve, cells: list[str]) -> str:
        """Place rows on one curve."""
        own = [cells[j] for j in curve.columns]
        if curve.straight:
            return self._add_straight(number, own[0])
        squares = self._add_zeros(number, cells[0])
        for k, cell in enumerate(own):
            square = self._add_square(f"{number}_{k}", curve, k, cell)
            squares = self.add("Add", [squares, square], f"squares_{number}_{k}")
        nearest = self.add(
            "ArgMin",
            [squares],
            f"nearest_{number}",
            axis=1,
            keepdims=1,
            select_last_index=0,
        )
        places = self.constant(f"places_{number}", curve.places)
        return self.add("Gather", [places, nearest], f"place_{number}", axis=0)

    def _add_zeros(self, number: int, cell: str) -> str:
        """Begin each row at 0, also where a coordinate carries no column."""
        missing = self.add("IsNaN", [cell], f"rows_{number}")
        counted = self.add("Cast", [missing], f"counted_{number}", to=_DOUBLE)
        return self.add("Mul", [counted, self.zero], f"zeros_{number}")

    def _add_straight(self, number: int, cell: str) -> str:
        """Take the number itself; 0, which is the mean, for a gap."""
        largest = float(np.finfo(np.float64).max)
        missing = self.add("IsNaN", [cell], f"gap_{number}")
        known = self.add("Where", [missing, self.zero, cell], f"known_{number}")
        return self._add_clip(f"straight_{number}", known, largest)

    def _add_clip(self, name: str, cell: str, largest: float) -> str:
        low = self.constant(f"low_{name}", np.array(-largest))
        high = self.constant(f"high_{name}", np.array(largest))
        return self.add("Clip", [cell, low, high], name)

    def _add_square(self, name: str, curve: Curve, k: int, cell: str) -> str:
        """Square of the distance in one column; 1 for another level, or one gap."""
        values = curve.values[:, k]
        points = self.constant(f"points_{name}", np.nan_to_num(values)[None])
        if curve.is_number[k]:
            near = self._add_clip(f"near_{name}", cell, FAR)
            apart = self.add("Sub", [near, points], f"apart_{name}")
            square = self.add("Mul", [apart, apart], f"square_{name}")
        else:
            same = self.add("Equal", [cell, points], f"same_{name}")
            square = self.add("Where", [same, self.zero, self.one], f"square_{name}")
        gaps = np.isnan(values)[None]
        if gaps.any():
            at_gaps = self.constant(f"gaps_{name}", gaps)
            square = self.add("Where", [at_gaps, self.one, square], f"filled_{name}")
        missing = self.add("IsNaN", [cell], f"no_{name}")
        without = self.constant(f"without_{name}", np.where(gaps, 0.0, 1.0))
        return self.add("Where", [missing, without, square], f"lost_{name}")
