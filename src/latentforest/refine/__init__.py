"""Refined coordinates: moved until the decoder loses least."""

from latentforest.refine._hints import Hints as Hints
from latentforest.refine._map import RefinedMap
from latentforest.refine._rows import RefinedRows, refine_rows
from latentforest.refine._settings import AutoRefinement, Refinement

__all__ = ["AutoRefinement", "RefinedMap", "RefinedRows", "Refinement", "refine_rows"]
