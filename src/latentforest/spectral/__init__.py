"""Eigenpairs of an operator and the coordinates made from them."""

from latentforest.spectral._diffusion import diffusion_coords
from latentforest.spectral._leading import leading_spectrum
from latentforest.spectral._map import DiffusionMap
from latentforest.spectral._map import check_fewer as check_fewer
from latentforest.spectral._spectrum import Spectrum, ordered_spectrum

__all__ = [
    "DiffusionMap",
    "Spectrum",
    "diffusion_coords",
    "leading_spectrum",
    "ordered_spectrum",
]
