"""Neighbours: their search, the plane through them, their blend and their spread."""

from latentforest.neighbours._blend import (
    LevelPriority,
    Weights,
    blend_rows,
    draw_priority,
)
from latentforest.neighbours._plane import plane_weights
from latentforest.neighbours._plane_loops import plane_as_slopes, regularise
from latentforest.neighbours._search import (
    LARGEST,
    Neighbours,
    NeighbourSearch,
    check_coords_size,
    inverse_distance_weights,
)
from latentforest.neighbours._spread import CellSpread, spread_of_rows

__all__ = [
    "LARGEST",
    "CellSpread",
    "LevelPriority",
    "NeighbourSearch",
    "Neighbours",
    "Weights",
    "blend_rows",
    "check_coords_size",
    "draw_priority",
    "inverse_distance_weights",
    "plane_as_slopes",
    "plane_weights",
    "regularise",
    "spread_of_rows",
]
