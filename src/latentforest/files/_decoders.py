"""Fitted decoders: those that blend neighbours, and the choice among them."""

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import n_workers
from latentforest.decode import AutoDecoder, Decoder, DecoderContext, KNNDecoder
from latentforest.decode._auto import Trial
from latentforest.decode._leaves._leaf_decoder import LeafDecoder
from latentforest.decode._neighbour_decoder import NeighbourDecoder
from latentforest.files._checks import take_coords
from latentforest.files._leaf_decoders import put_leaf_decoder, take_leaf_decoder
from latentforest.files._read import ModelArchive
from latentforest.files._schema import check_codes
from latentforest.files._section import Section
from latentforest.files._settings import (
    DECODERS,
    NEIGHBOUR_DECODERS,
    decode_object,
    encode_object,
)
from latentforest.files._values import (
    damaged,
    decode_generator,
    encode_generator,
    encode_value,
)
from latentforest.neighbours import LevelPriority, NeighbourSearch
from latentforest.table import TableCodec, TableSchema


def put_decoder(
    decoder: Decoder, context: DecoderContext, arrays: dict[str, Any]
) -> dict[str, Any]:
    """Add the arrays of a fitted decoder; return what the manifest says of it."""
    return _put(decoder, context, arrays, "decoder")


def _put(
    decoder: Decoder, context: DecoderContext, arrays: dict[str, Any], prefix: str
) -> dict[str, Any]:
    data = encode_object(decoder, "decoder_")
    data["generator"] = encode_generator(decoder.rng_)
    if isinstance(decoder, NeighbourDecoder):
        data |= _put_neighbours(decoder, context, arrays, prefix)
    elif isinstance(decoder, LeafDecoder):
        data["seed"] = decoder.seed_
        put_leaf_decoder(decoder, arrays, prefix)
    elif isinstance(decoder, AutoDecoder):
        data["seed"] = decoder.seed_
        data["sorts"] = [
            _put(sort, context, arrays, f"{prefix}/{number}")
            for number, sort in enumerate(decoder.sorts_)
        ]
        data["tried"] = [_encode_trial(trial, decoder) for trial in decoder.tried_]
    return data


def _put_neighbours(
    decoder: NeighbourDecoder,
    context: DecoderContext,
    arrays: dict[str, Any],
    prefix: str,
) -> dict[str, Any]:
    """Keep points and prototypes, unless they are the rows themselves."""
    points, prototypes = decoder.search_.points, decoder.prototypes_
    own_points = not _same_bits(points, context.coords)
    own_prototypes = not _same_bits(prototypes, context.table.values)
    arrays[f"{prefix}/rank"] = decoder.priority_.rank
    if own_points:
        arrays[f"{prefix}/points"] = points
    if own_prototypes:
        arrays[f"{prefix}/prototypes"] = prototypes
    return {
        "own_points": own_points,
        "own_prototypes": own_prototypes,
        "margin": decoder.margin_,
    }


def _same_bits(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    bits = [np.ascontiguousarray(array).view(np.uint64) for array in (one, other)]
    return np.array_equal(bits[0], bits[1])


def _encode_trial(trial: Trial, decoder: AutoDecoder) -> dict[str, Any]:
    sort = next(
        number
        for number, sort in enumerate(decoder.sorts_)
        if type(sort) is type(trial.decoder) and _blends(sort) == _blends(trial.decoder)
    )
    return {
        "sort": sort,
        "n_neighbors": int(trial.decoder.n_neighbors),
        "ridge": encode_value(getattr(trial.decoder, "ridge", None), what="ridge"),
        "distortion": encode_value(trial.distortion, what="a distortion"),
    }


def _blends(decoder: NeighbourDecoder) -> str | None:
    return decoder.prototypes if isinstance(decoder, KNNDecoder) else None


def take_decoder(
    section: Section, archive: ModelArchive, context: DecoderContext
) -> Decoder:
    """Rebuild a fitted decoder; what follows from the rows is worked out again."""
    return _take(section, archive, context, "decoder", DECODERS)


def _take(
    section: Section,
    archive: ModelArchive,
    context: DecoderContext,
    prefix: str,
    allowed: tuple[type, ...],
) -> Decoder:
    decoder: Decoder = decode_object(section, allowed)
    n_workers(decoder.n_jobs)
    for need in sorted(decoder.needs()):
        if not context.has(need):
            raise damaged(f"the decoder needs a {need}, which the model does not have")
    decoder.n_components_ = context.coords.shape[1]
    decoder.codec_ = TableCodec.from_schema(context.table.schema)
    decoder.rng_ = decode_generator(section.section("generator").data)
    if isinstance(decoder, NeighbourDecoder):
        _take_neighbours(decoder, section, archive, context, prefix)
    elif isinstance(decoder, LeafDecoder):
        decoder.seed_ = section.integer("seed", lowest=0)
        take_leaf_decoder(decoder, archive, context, prefix)
    elif isinstance(decoder, AutoDecoder):
        decoder.seed_ = section.integer("seed", lowest=0)
        _take_choice(decoder, section, archive, context, prefix)
    return decoder


def _take_neighbours(
    decoder: NeighbourDecoder,
    section: Section,
    archive: ModelArchive,
    context: DecoderContext,
    prefix: str,
) -> None:
    schema, values = context.table.schema, context.table.values
    if not np.isfinite(getattr(decoder, "ridge", 0.0)):
        raise damaged("the ridge of the decoder is not finite")
    points = context.coords
    if section.flag("own_points"):
        points = take_coords(archive, f"{prefix}/points", points.shape)
    decoder.search_ = NeighbourSearch(points)
    decoder.prototypes_ = values
    if section.flag("own_prototypes"):
        made = archive.take(f"{prefix}/prototypes", np.float64, values.shape)
        check_codes(schema, made, f"{prefix}/prototypes")
        decoder.prototypes_ = np.ascontiguousarray(made)
    decoder.priority_ = _take_priority(archive, f"{prefix}/rank", schema)
    # Files that say nothing are older than numbers beyond the observed range.
    margin = section.number("margin") if section.has("margin") else 0.0
    if not 0 <= margin <= 1:
        raise damaged(f"the margin of the decoder is {margin}")
    decoder.bound(schema, margin)


def _take_priority(
    archive: ModelArchive, name: str, schema: TableSchema
) -> LevelPriority:
    n_codes = np.where(schema.is_number, 0, schema.n_levels + 1)
    rank = take_coords(archive, name, (int(n_codes.sum()) + 1,))
    return LevelPriority(
        rank,
        np.cumsum(n_codes, dtype=np.int64) - n_codes,
        np.where(schema.is_number, 0, schema.n_levels).astype(np.int32),
        schema.is_number,
    )


def _take_choice(
    decoder: AutoDecoder,
    section: Section,
    archive: ModelArchive,
    context: DecoderContext,
    prefix: str,
) -> None:
    parts = section.sections("sorts")
    if not 1 <= len(parts) <= 9:
        raise damaged(f"a choice among {len(parts)} decoders")
    sorts: list[Any] = [
        _take(part, archive, context, f"{prefix}/{number}", NEIGHBOUR_DECODERS)
        for number, part in enumerate(parts)
    ]
    decoder.sorts_ = sorts
    decoder.tried_ = [_decode_trial(part, sorts) for part in section.sections("tried")]
    decoder.chosen_ = decoder.tried_[0].decoder if decoder.tried_ else sorts[0]


def _decode_trial(section: Section, sorts: list[Any]) -> Trial:
    sort = copy(sorts[section.integer("sort", lowest=0, highest=len(sorts) - 1)])
    sort.n_neighbors = section.integer("n_neighbors", lowest=1)
    if hasattr(sort, "ridge"):
        sort.ridge = section.value("ridge")
        section.number("ridge")
    sort.check()
    return Trial(sort, section.value("distortion"))
