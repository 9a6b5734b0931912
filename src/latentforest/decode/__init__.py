"""Decoders: from coordinates back to rows."""

from latentforest.decode._auto import AutoDecoder
from latentforest.decode._context import DecoderContext, KernelEigenpairs
from latentforest.decode._contract import Decoder, SpreadingDecoder
from latentforest.decode._knn import KNNDecoder
from latentforest.decode._leaves import (
    ILPDecoder,
    ILPWarning,
    LassoDecoder,
    LeafAssignment,
    RegionDecoder,
    RelabelDecoder,
)
from latentforest.decode._local_linear import LocalLinearDecoder
from latentforest.decode._packed import PackedDecoder
from latentforest.decode._resolve import DECODERS as DECODERS
from latentforest.decode._resolve import put_decoder as put_decoder
from latentforest.decode._resolve import resolve_decoder
from latentforest.decode._resolve import take_decoder as take_decoder
from latentforest.decode._uncertainty import ONE_SIGMA as ONE_SIGMA
from latentforest.decode._uncertainty import (
    Calibration,
    Uncertainty,
    calibrate,
    spreading,
)
from latentforest.decode._uncertainty import decode_held_back as decode_held_back

__all__ = [
    "AutoDecoder",
    "Calibration",
    "Decoder",
    "DecoderContext",
    "ILPDecoder",
    "ILPWarning",
    "KNNDecoder",
    "KernelEigenpairs",
    "LassoDecoder",
    "LeafAssignment",
    "LocalLinearDecoder",
    "PackedDecoder",
    "RegionDecoder",
    "RelabelDecoder",
    "SpreadingDecoder",
    "Uncertainty",
    "calibrate",
    "resolve_decoder",
    "spreading",
]
