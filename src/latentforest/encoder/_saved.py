"""Encoders in model files."""

from dataclasses import replace

import numpy as np

from latentforest._base._checks import check_option
from latentforest._base._parallel import n_workers
from latentforest._base._room import Demand
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Floats
from latentforest._base._values import damaged
from latentforest.encoder._encoder import Encoder
from latentforest.encoder._fit import fit_encoder
from latentforest.encoder._plain import PlainMap
from latentforest.encoder._saved_map import put_map, take_map
from latentforest.forest import ForestArrays, GrownForest
from latentforest.kernel import KERNEL_KINDS
from latentforest.refine import RefinedRows
from latentforest.table import EncodedTable, TableSchema
from latentforest.trees import longest_ways


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
    put_map(
        encoder.plain,
        new.section("map"),
        asked=encoder.asks_map,
        drop_training=drop_training,
        compact=compact,
    )
    if training is not None and not drop_training:
        size = training.table.n_rows, encoder.landmarks, encoder.n_components
        new.need(_rows_demand(encoder.forest, *size))
        new.need(_table_demand(encoder))
        new.array("training/codes", np.asfortranarray(training.table.values))
        if encoder.landmarks is not None:
            new.array("training/landmarks", training.landmarks.astype(np.int64))
    new.data["refined"] = None
    if refined is not None:
        new.need(_refined_demand(encoder.forest, len(refined.codes)))
        refined.put(new.section("refined"), with_codes=drop_training)


def take_encoder(
    manifest: Section, schema: TableSchema, forest: ForestArrays, *, dropped: bool
) -> Encoder:
    """Rebuild an encoder; what follows from the rest is worked out again."""
    section = manifest.section("kernel")
    kind = check_option("kind", section.text("kind"), KERNEL_KINDS)
    n_jobs = section.value("n_jobs")
    n_workers(n_jobs)
    landmarks = None
    if section.has("landmarks"):
        landmarks = section.integer("landmarks", lowest=2)
    stored = take_map(manifest.section("map"), forest, kind, dropped=dropped)
    if dropped:
        plain = PlainMap(stored.diffusion, None, stored.leaf_table)
        encoder = Encoder(forest, plain, kind, landmarks, n_jobs)
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
        manifest.need(_rows_demand(forest, *size))
        grown = GrownForest(forest, forest.leaves(table.values, n_jobs=n_jobs))
        encoder = fit_encoder(
            table,
            grown,
            stored.diffusion,
            kind=kind,
            landmarks=rows,
            leaf_table=stored.leaf_table,
            n_jobs=n_jobs,
        )
    if stored.leaf_table is not None:
        _check_mass(stored.leaf_table.mass, encoder)
    encoder = replace(encoder, plain=encoder.plain.first(stored.n_components))
    if manifest.has("refined"):
        refined = RefinedRows.take(
            manifest.section("refined"),
            schema,
            None if encoder.training is None else encoder.training.table,
            encoder.n_components,
            n_jobs=n_jobs,
        )
        manifest.need(_refined_demand(forest, len(refined.codes)))
        encoder = replace(encoder, refined=refined)
    if encoder.asks_map:
        if not stored.is_known:
            raise damaged("the map that places rows is not in the file")
        manifest.need(_table_demand(encoder))
        encoder.plain.worked_out()
    return encoder


def _rows_demand(
    forest: ForestArrays, n_rows: int, landmarks: int | None, n_components: int
) -> Demand:
    """Tell what it takes to find the leaves of the training rows, and sum over them.

    Landmarks have a copy of theirs, and then the coordinates of all rows follow.
    """
    cells = n_rows * forest.n_trees
    n_bytes = 4 * cells + 100 * n_rows
    steps = n_rows * longest_ways(forest) + 4 * cells
    if landmarks is not None:
        n_bytes += 4 * landmarks * forest.n_trees + 16 * n_rows * n_components
        steps += cells * n_components
    return Demand(n_bytes, steps)


def _table_demand(encoder: Encoder) -> Demand:
    """Tell what it takes to work the leaf table out, where it is not in the file."""
    if encoder.training is None or not encoder.asks_map:
        return Demand()
    n_sums = encoder.forest.n_leaves * encoder.n_components
    n_added = encoder.training.kernel.index.ids.size * encoder.n_components
    return Demand(24 * n_sums, 4 * n_sums + 2 * n_added)


def _refined_demand(forest: ForestArrays, n_refined: int) -> Demand:
    """Tell what it takes to copy the leaves of refined rows for their decoder."""
    cells = n_refined * forest.n_trees
    return Demand(8 * cells, 4 * cells)


def _check_mass(mass: Floats, encoder: Encoder) -> None:
    if encoder.training is not None:
        legal = np.array_equal(mass, encoder.training.kernel.mass)
    else:
        legal = _same_in_every_tree(mass, encoder.forest)
    if not legal:
        raise damaged("map/leaf_mass does not count the rows of each leaf")


def _same_in_every_tree(mass: Floats, forest: ForestArrays) -> bool:
    """Whether the leaves of each tree hold all rows, as far as one can tell."""
    of_node = np.where(forest.leaf >= 0, mass[forest.leaf], 0)
    of_tree = np.add.reduceat(of_node, forest.start[:-1])
    legal = mass.min() >= 0 and of_tree[0] > 0 and (of_tree == of_tree[0]).all()
    return bool(legal)
