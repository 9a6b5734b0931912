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
from latentforest.encoder._leaf_table import LeafTable
from latentforest.encoder._plain import PlainMap
from latentforest.forest import ForestArrays, GrownForest
from latentforest.kernel import KERNEL_KINDS
from latentforest.refine import RefinedRows
from latentforest.spectral import DiffusionMap, Spectrum
from latentforest.table import EncodedTable, TableSchema
from latentforest.trees import longest_ways

SOLVERS = ("dense", "lanczos", "components", "given")


def put_encoder(encoder: Encoder, new: NewSection, *, drop_training: bool) -> None:
    """Write an encoder to a model file, with or without its training part."""
    training, plain = encoder.training, encoder.plain.worked_out()
    spectrum, table = plain.spectrum, plain.leaf_table
    kernel = new.section("kernel")
    kernel.put("kind", encoder.kind)
    kernel.put("landmarks", encoder.landmarks)
    kernel.put("n_jobs", encoder.n_jobs)
    part = new.section("map")
    part.put("time", plain.time, "diffusion_time")
    part.put("n_graph_components", int(spectrum.n_graph_components))
    part.put("solver", spectrum.solver)
    part.array("leaf_values", table.values)
    part.array("leaf_mass", table.mass.astype(np.int32))
    part.array("eigenvalues", spectrum.eigenvalues)
    drop_training = drop_training or training is None
    if training is not None and not drop_training:
        n_components = table.values.shape[1]
        size = training.table.n_rows, encoder.landmarks, n_components
        new.need(_rows_demand(encoder.forest, *size))
        part.array("vectors", spectrum.vectors)
        part.array("embedding", plain.diffusion.embedding_)
        new.array("training/codes", training.table.values)
        if encoder.landmarks is not None:
            new.array("training/landmarks", training.landmarks.astype(np.int64))
    new.data["refined"] = None
    if encoder.refined is not None:
        new.need(_refined_demand(encoder.forest, len(encoder.refined.codes)))
        encoder.refined.put(new.section("refined"), with_codes=drop_training)


def take_encoder(
    manifest: Section, schema: TableSchema, forest: ForestArrays, *, dropped: bool
) -> Encoder:
    """Rebuild an encoder; what follows from the rest is worked out again."""
    section, part = manifest.section("kernel"), manifest.section("map")
    kind = check_option("kind", section.text("kind"), KERNEL_KINDS)
    n_jobs = section.value("n_jobs")
    n_workers(n_jobs)
    landmarks = None
    if section.has("landmarks"):
        landmarks = section.integer("landmarks", lowest=2)
    values = part.coords("leaf_values", (forest.n_leaves, None))
    mass = part.array("leaf_mass", np.int32, (forest.n_leaves,)).astype(np.float64)
    leaves = LeafTable.of_leaves(values, mass, kind=kind, n_trees=forest.n_trees)
    diffusion = _take_map(part, values.shape[1], dropped=dropped)
    if dropped:
        encoder = Encoder(
            forest,
            PlainMap(diffusion, None, leaves),
            kind,
            landmarks,
            n_jobs,
        )
        legal = _same_in_every_tree(mass, forest)
    else:
        codes = schema.take_codes(manifest, "training/codes", None)
        table = EncodedTable(schema, codes)
        rows = None
        if landmarks is not None:
            rows = manifest.rows("training/landmarks", landmarks, table.n_rows)
        if len(diffusion.embedding_) != (table.n_rows if rows is None else len(rows)):
            raise damaged("the map and the kernel have different rows")
        size = table.n_rows, landmarks, values.shape[1]
        manifest.need(_rows_demand(forest, *size))
        grown = GrownForest(forest, forest.leaves(table.values, n_jobs=n_jobs))
        encoder = fit_encoder(
            table,
            grown,
            diffusion,
            kind=kind,
            landmarks=rows,
            leaf_table=leaves,
            n_jobs=n_jobs,
        )
        legal = np.array_equal(mass, encoder.trained_on("mass").kernel.mass)
    if not legal:
        raise damaged("map/leaf_mass does not count the rows of each leaf")
    if not manifest.has("refined"):
        return encoder
    refined = RefinedRows.take(
        manifest.section("refined"),
        schema,
        None if encoder.training is None else encoder.training.table,
        values.shape[1],
        n_jobs=n_jobs,
    )
    manifest.need(_refined_demand(forest, len(refined.codes)))
    return replace(encoder, refined=refined)


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


def _refined_demand(forest: ForestArrays, n_refined: int) -> Demand:
    """Tell what it takes to copy the leaves of refined rows for their decoder."""
    cells = n_refined * forest.n_trees
    return Demand(8 * cells, 4 * cells)


def _take_map(section: Section, n_components: int, *, dropped: bool) -> DiffusionMap:
    eigenvalues = section.coords("eigenvalues", (n_components,))
    if n_components < 1 or eigenvalues.min() < 0 or eigenvalues.max() > 1:
        raise damaged("the eigenvalues are not between 0 and 1")
    if section.number("time") < 0:
        raise damaged(f"time is {section.number('time')}")
    diffusion = DiffusionMap(n_components, time=section.value("time"))
    vectors = np.empty((0, n_components))
    if not dropped:
        vectors = section.coords("vectors", (None, n_components))
        diffusion.embedding_ = section.coords("embedding", vectors.shape)
    diffusion.spectrum_ = Spectrum(
        eigenvalues,
        vectors,
        section.integer("n_graph_components", lowest=1),
        check_option("solver", section.text("solver"), SOLVERS),
    )
    return diffusion


def _same_in_every_tree(mass: Floats, forest: ForestArrays) -> bool:
    """Whether the leaves of each tree hold all rows, as far as one can tell."""
    of_node = np.where(forest.leaf >= 0, mass[forest.leaf], 0)
    of_tree = np.add.reduceat(of_node, forest.start[:-1])
    legal = mass.min() >= 0 and of_tree[0] > 0 and (of_tree == of_tree[0]).all()
    return bool(legal)
