"""Smaller models: fewer trees, merged leaves, and leaf vectors fitted anew."""

from latentforest.distill._distil import distil as distil
from latentforest.distill._report import Distillation, Fidelity

__all__ = ["Distillation", "Fidelity"]
