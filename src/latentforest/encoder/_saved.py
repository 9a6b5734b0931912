"""Encoders in model files."""

from dataclasses import replace

import numpy as np

from latentforest._base._room import Demand
from latentforest._base._section import NewSection, Section
from latentforest._base._values import damaged
from latentforest.encoder._encoder import Encoder
from latentforest.encoder._fit import fit_encoder
from latentforest.encoder._plain import PlainMap
from latentforest.encoder._saved_map import put_map, shortened, take_map
from latentforest.encoder._training import Taught
from latentforest.forest import ForestArrays, GrownForest, TreeFacts
from latentforest.placing import (
    bags_demand,
    check_mass,
    leaf_table_demand,
    refined_demand,
    rows_demand,
    take_draws,
    take_kernel,
)
from latentforest.refine import RefinedRows
from latentforest.table import EncodedTable, TableSchema


def put_encoder(
    encoder: Encoder, new: NewSection, *, drop_training: bool, compact: bool
) -> None:
    """Write an encoder to a model file, with or without its training part."""
    training, refined = encoder.training, encoder.refined
    drop_training = drop_training or training is None
    kernel = new.section("kernel")
    kernel.put("kind", encoder.kind)
    kernel.put("landmarks", encoder.landmarks)
    kernel.put("n_jobs", encoder.n_jobs)
    if encoder.tree_weights is not None:
        kernel.array("tree_weights", encoder.tree_weights)
    put_map(
        encoder.plain,
        new.section("map"),
        asked=encoder.asks_map,
        with_rows=not drop_training,
        with_table=drop_training or encoder.taught is not None,
        compact=compact,
    )
    if training is not None and not drop_training:
        size = training.table.n_rows, encoder.landmarks, encoder.n_components
        new.need(rows_demand(encoder.forest, *size))
        new.need(_table_demand(encoder))
        new.array("training/codes", np.asfortranarray(training.table.values))
        if training.in_bag is not None:
            new.need(bags_demand(encoder.forest, training.table.n_rows))
            new.array("training/in_bag", np.asfortranarray(training.in_bag))
        if encoder.landmarks is not None:
            new.array("training/landmarks", training.landmarks.astype(np.int64))
        if encoder.taught is not None:
            coords, new_coords = encoder.taught.coords, encoder.taught.new_coords
            new.array("training/coords", shortened(coords, compact=compact))
            new.array("training/new_coords", shortened(new_coords, compact=compact))
    new.data["refined"] = None
    if refined is not None:
        new.need(refined_demand(encoder.forest, len(refined.codes)))
        refined.put(new.section("refined"), with_codes=drop_training)


def take_encoder(
    manifest: Section, schema: TableSchema, forest: ForestArrays, *, dropped: bool
) -> Encoder:
    """Rebuild an encoder; what follows from the rest is worked out again."""
    kernel = take_kernel(manifest.section("kernel"), forest)
    kind, n_jobs, landmarks, tree_weights = kernel
    stored = take_map(manifest.section("map"), forest, kernel, dropped=dropped)
    if dropped:
        plain = PlainMap(stored.diffusion, None, stored.leaf_table)
        encoder = Encoder(
            forest, plain, kind, landmarks, n_jobs, tree_weights=tree_weights
        )
    else:
        codes = schema.take_codes(manifest, "training/codes", None)
        table = EncodedTable(schema, codes)
        rows = None
        if landmarks is not None:
            rows = manifest.rows("training/landmarks", landmarks, table.n_rows)
        n_kernel = table.n_rows if rows is None else len(rows)
        if stored.is_known and len(stored.diffusion.embedding_) != n_kernel:
            raise damaged("the map and the kernel have different rows")
        if not stored.is_known and stored.diffusion.n_components >= n_kernel:
            raise damaged(f"{n_kernel} rows have no map of that many coordinates")
        size = table.n_rows, landmarks, stored.n_components
        manifest.need(rows_demand(forest, *size))
        facts = TreeFacts(take_draws(manifest, kernel, forest, table.n_rows))
        ids = forest.leaves(table.values, n_jobs=n_jobs)
        grown = GrownForest(forest, ids, facts)
        encoder = fit_encoder(
            table,
            grown,
            stored.diffusion,
            kind=kind,
            tree_weights=tree_weights,
            landmarks=rows,
            leaf_table=stored.leaf_table,
            n_jobs=n_jobs,
        )
        if manifest.holds("training/coords"):  # a distilled model
            shape = table.n_rows, stored.n_components
            coords = manifest.coords("training/coords", shape)
            new_coords = manifest.coords("training/new_coords", shape)
            encoder = replace(encoder, taught=Taught(coords, new_coords))
    if stored.leaf_table is not None:
        training = encoder.training
        known = None if training is None else training.kernel.mass
        check_mass(stored.leaf_table.mass, forest, kernel, known)
    encoder = replace(encoder, plain=encoder.plain.first(stored.n_components))
    if manifest.has("refined"):
        refined = RefinedRows.take(
            manifest.section("refined"),
            schema,
            None if encoder.training is None else encoder.training.table,
            encoder.n_components,
            n_jobs=n_jobs,
        )
        manifest.need(refined_demand(forest, len(refined.codes)))
        encoder = replace(encoder, refined=refined)
    if encoder.asks_map:
        if not stored.is_known:
            raise damaged("the map that places rows is not in the file")
        manifest.need(_table_demand(encoder))
        encoder.plain.worked_out()
    return encoder


def _table_demand(encoder: Encoder) -> Demand:
    """Tell what it takes to work the leaf table out, where it is not in the file."""
    if encoder.training is None or not encoder.asks_map:
        return Demand()
    n_rows = len(encoder.training.kernel.index.ids)
    return leaf_table_demand(encoder.forest, n_rows, encoder.n_components)
