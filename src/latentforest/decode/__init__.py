"""Decoders: from coordinates back to rows."""

from latentforest.decode._context import DecoderContext, KernelSpectrum
from latentforest.decode._contract import Decoder
from latentforest.decode._knn import KNNDecoder
from latentforest.decode._resolve import resolve_decoder

__all__ = [
    "Decoder",
    "DecoderContext",
    "KNNDecoder",
    "KernelSpectrum",
    "resolve_decoder",
]
