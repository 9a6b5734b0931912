"""Fitted decoders that infer leaves."""

from dataclasses import replace
from typing import Any

import numpy as np

from latentforest._base._types import Floats
from latentforest.decode import (
    DecoderContext,
    ILPDecoder,
    LassoDecoder,
    RelabelDecoder,
)
from latentforest.decode._leaves._exact_search import group_kernel_rows
from latentforest.decode._leaves._greedy import LeafOrder
from latentforest.decode._leaves._lasso_search import LassoSearch
from latentforest.decode._leaves._leaf_decoder import LeafDecoder
from latentforest.decode._leaves._relabel_splits import StandIns
from latentforest.files._checks import take_coords
from latentforest.files._read import ModelArchive
from latentforest.files._values import damaged
from latentforest.regions import (
    ColumnFacts,
    LeafBoxes,
    column_facts,
    leaf_boxes,
    observed_region,
)


def put_leaf_decoder(decoder: LeafDecoder, arrays: dict[str, Any], prefix: str) -> None:
    """Add the arrays of a decoder that infers leaves."""
    arrays[f"{prefix}/centre"] = decoder.facts_.centre
    if isinstance(decoder, RelabelDecoder):
        arrays[f"{prefix}/weights"] = decoder.stand_ins_.weights
        arrays[f"{prefix}/offset"] = decoder.stand_ins_.offset
        arrays[f"{prefix}/agreement"] = decoder.stand_ins_.agreement
    if isinstance(decoder, LassoDecoder | ILPDecoder):
        arrays[f"{prefix}/kernel_weights"] = decoder.weights_
        arrays[f"{prefix}/leaf_order"] = decoder.search_.order.ranked.astype(np.int64)


def take_leaf_decoder(
    decoder: LeafDecoder, archive: ModelArchive, context: DecoderContext, prefix: str
) -> None:
    """Fill in what a decoder that infers leaves has learned."""
    assert context.grown is not None, "needs() was checked"
    forest, schema = context.grown.forest, context.table.schema
    n_trees = forest.n_trees if decoder.n_trees is None else decoder.n_trees
    if n_trees > forest.n_trees:
        raise damaged(f"the decoder uses {n_trees} of {forest.n_trees} trees")
    decoder.forest_ = forest.first_trees(n_trees)
    facts = column_facts(context.table.values, forest.split_levels, schema.is_whole)
    centre = archive.take(f"{prefix}/centre", np.float64, facts.centre.shape)
    _check_centre(centre, facts, schema.is_number)
    decoder.facts_ = replace(facts, centre=centre)
    if isinstance(decoder, RelabelDecoder):
        _take_stand_ins(decoder, archive, context, prefix)
    elif isinstance(decoder, LassoDecoder | ILPDecoder):
        _take_lasso(decoder, archive, context, prefix)


def _check_centre(centre: Floats, facts: ColumnFacts, is_number: Any) -> None:
    """Refuse centres out of range; those of levels are known exactly."""
    inside = (centre >= facts.lower) & (centre <= facts.upper)
    whole = ~facts.whole | (centre == np.rint(centre))
    legal = np.where(is_number, inside & whole, centre == facts.centre)
    if not (legal | (np.isnan(centre) & np.isnan(facts.centre))).all():
        raise damaged("the centre of a column is none of its cells")


def _take_stand_ins(
    decoder: RelabelDecoder, archive: ModelArchive, context: DecoderContext, prefix: str
) -> None:
    forest = decoder.forest_
    shape = (len(forest.left), context.coords.shape[1])
    weights = take_coords(archive, f"{prefix}/weights", shape)
    offset = archive.take(f"{prefix}/offset", np.float64, shape[:1])
    agreement = archive.take(f"{prefix}/agreement", np.float64, shape[:1])
    if np.isnan(offset[forest.left >= 0]).any():
        raise damaged(f"{prefix}/offset has no number for a split")
    decoder.stand_ins_ = StandIns(np.ascontiguousarray(weights), offset, agreement)
    decoder.boxes_ = leaf_boxes(forest, decoder.facts_.whole)
    decoder.observed_ = observed_region(decoder.facts_, forest.split_levels)


def _take_lasso(
    decoder: LassoDecoder | ILPDecoder,
    archive: ModelArchive,
    context: DecoderContext,
    prefix: str,
) -> None:
    assert context.spectrum is not None, "needs() was checked"
    leaf_ids, n_trees = context.spectrum.leaf_ids, decoder.forest_.n_trees
    shape = (context.coords.shape[1], len(leaf_ids))
    weights = take_coords(archive, f"{prefix}/kernel_weights", shape)
    decoder.weights_ = np.ascontiguousarray(weights)
    settings: dict[str, Any] = {}
    if isinstance(decoder, LassoDecoder):
        if not np.isfinite(decoder.penalty):
            raise damaged("the penalty of the decoder is not finite")
        settings = {"sparsity": decoder.sparsity, "penalty": decoder.penalty}
    decoder.search_ = LassoSearch(
        decoder.forest_,
        decoder.facts_,
        leaf_ids[:, :n_trees],
        np.random.default_rng(0),
        **settings,
    )
    # The order that was drawn then takes the place of the one drawn here.
    decoder.search_.order = _take_order(archive, prefix, decoder.search_.boxes)
    if isinstance(decoder, ILPDecoder):
        scale = decoder.search_.leaf_scale
        decoder.groups_ = group_kernel_rows(leaf_ids, n_trees, scale)


def _take_order(archive: ModelArchive, prefix: str, boxes: LeafBoxes) -> LeafOrder:
    ranked = archive.take(f"{prefix}/leaf_order", np.int64, (boxes.n_leaves,))
    tree = np.repeat(np.arange(boxes.n_trees), np.diff(boxes.tree_start))
    # Within each tree, its leaves in any order.
    inside = (ranked >= 0) & (ranked < boxes.n_leaves)
    if not inside.all() or (tree[ranked] != tree).any():
        raise damaged(f"{prefix}/leaf_order mixes the leaves of trees")
    if len(np.unique(ranked)) < len(ranked):
        raise damaged(f"{prefix}/leaf_order names a leaf twice")
    return LeafOrder(ranked, np.argsort(ranked))
