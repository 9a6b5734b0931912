"""From what a user calls a decoder to one that can be fitted."""

from typing import Any

from sklearn.base import clone

from latentforest._base._checks import check_option
from latentforest._base._section import NewSection, Section
from latentforest.decode._auto import AutoDecoder
from latentforest.decode._context import DecoderContext
from latentforest.decode._contract import Decoder
from latentforest.decode._knn import KNNDecoder
from latentforest.decode._leaves import ILPDecoder, LassoDecoder, RelabelDecoder
from latentforest.decode._local_linear import LocalLinearDecoder
from latentforest.decode._packed import PackedDecoder

DECODERS: dict[str, type[Decoder]] = {
    "auto": AutoDecoder,
    "knn": KNNDecoder,
    "local_linear": LocalLinearDecoder,
    "packed": PackedDecoder,
    "relabel": RelabelDecoder,
    "lasso": LassoDecoder,
    "ilp": ILPDecoder,
}


def resolve_decoder(decoder: Any, *, n_jobs: int | None) -> Decoder:
    """Read a ``decoder`` parameter: a name, or a decoder object, which is copied."""
    if isinstance(decoder, str):
        resolved = DECODERS[check_option("decoder", decoder, DECODERS)]()
    elif isinstance(decoder, Decoder):
        resolved = clone(decoder)
    else:
        names = ", ".join(repr(name) for name in DECODERS)
        message = f"decoder={decoder!r} is not a decoder. Give {names} or a Decoder."
        raise TypeError(message)
    if resolved.n_jobs is None:
        resolved.n_jobs = n_jobs
    resolved.check()
    return resolved


def put_decoder(decoder: Decoder, new: NewSection, context: DecoderContext) -> None:
    """Write a fitted decoder to a model file."""
    new.object(decoder, DECODERS.values(), "decoder_")
    decoder.put(new, context)


def take_decoder(section: Section, context: DecoderContext) -> Decoder:
    """Rebuild a fitted decoder from a model file."""
    decoder: Decoder = section.object(DECODERS.values())
    decoder.take(section, context)
    return decoder
