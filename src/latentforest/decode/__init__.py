"""Decoders: from coordinates back to rows."""

from latentforest.decode._auto import AutoDecoder
from latentforest.decode._context import DecoderContext, KernelSpectrum
from latentforest.decode._contract import Decoder
from latentforest.decode._knn import KNNDecoder
from latentforest.decode._local_linear import LocalLinearDecoder
from latentforest.decode._region import RegionDecoder
from latentforest.decode._relabel import RelabelDecoder
from latentforest.decode._resolve import resolve_decoder
from latentforest.decode._uncertainty import (
    Calibration,
    Uncertainty,
    calibrate,
    spreading,
    uncertainty_at,
)

__all__ = [
    "AutoDecoder",
    "Calibration",
    "Decoder",
    "DecoderContext",
    "KNNDecoder",
    "KernelSpectrum",
    "LocalLinearDecoder",
    "RegionDecoder",
    "RelabelDecoder",
    "Uncertainty",
    "calibrate",
    "resolve_decoder",
    "spreading",
    "uncertainty_at",
]
