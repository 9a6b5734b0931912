"""Decoders: from coordinates back to rows."""

from latentforest.decode._contract import Decoder, DecoderContext
from latentforest.decode._knn import KNNDecoder
from latentforest.decode._resolve import resolve_decoder

__all__ = ["Decoder", "DecoderContext", "KNNDecoder", "resolve_decoder"]
