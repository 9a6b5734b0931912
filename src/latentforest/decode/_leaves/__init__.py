"""Decoders that infer the leaves of a row and make it where they meet."""

from latentforest.decode._leaves._ilp import ILPDecoder, ILPWarning, LeafAssignment
from latentforest.decode._leaves._lasso import LassoDecoder
from latentforest.decode._leaves._region import RegionDecoder
from latentforest.decode._leaves._relabel import RelabelDecoder

__all__ = [
    "ILPDecoder",
    "ILPWarning",
    "LassoDecoder",
    "LeafAssignment",
    "RegionDecoder",
    "RelabelDecoder",
]
