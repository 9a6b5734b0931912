"""Refined coordinates: moved until the decoder loses least."""

from latentforest.refine._cells import CellSpace as CellSpace
from latentforest.refine._cells_loops import MANY_LEVELS as MANY_LEVELS
from latentforest.refine._curve import Curve as Curve
from latentforest.refine._linear_start import MANY_CELLS as MANY_CELLS
from latentforest.refine._map import FAR as FAR
from latentforest.refine._map import MOST_CELLS as MOST_CELLS
from latentforest.refine._map import RefinedMap
from latentforest.refine._packed import PackedMap as PackedMap
from latentforest.refine._rows import RefinedRows, refine_rows
from latentforest.refine._settings import AutoRefinement, Refinement
from latentforest.refine._start import Hints as Hints
from latentforest.refine._starts import nearest_by_cells as nearest_by_cells

__all__ = ["AutoRefinement", "RefinedMap", "RefinedRows", "Refinement", "refine_rows"]
