"""Kernel, diffusion map and refinement: how rows get their coordinates."""

from typing import Any

import numpy as np

from latentforest._base._checks import check_option
from latentforest._base._errors import ModelFileError
from latentforest._base._parallel import n_workers
from latentforest._base._types import Floats, Ints
from latentforest._encoding import Encoding
from latentforest.files._checks import check_memory, check_rising, take_coords
from latentforest.files._dropped import DroppedKernel, DroppedMap
from latentforest.files._read import ModelArchive
from latentforest.files._refined import put_refined, take_refined
from latentforest.files._schema import check_codes
from latentforest.files._section import Section
from latentforest.files._values import damaged, encode_value
from latentforest.forest import BaseForest
from latentforest.kernel import ForestKernel, LeafIndex, LeafKernel, LeafTable
from latentforest.kernel._operator import KERNEL_KINDS
from latentforest.spectral import DiffusionMap, Spectrum
from latentforest.table import EncodedTable, TableCodec, TableSchema
from latentforest.trees import ForestArrays

SOLVERS = ("dense", "lanczos", "components", "given")


def put_encoding(
    encoding: Encoding, arrays: dict[str, Any], *, drop_training: bool
) -> dict[str, Any]:
    """Add the arrays of the encoder; return what the manifest says of it."""
    kernel, diffusion = encoding.kernel, encoding.diffusion
    spectrum, table = diffusion.spectrum_, diffusion.leaf_table_
    mass = leaf_mass(kernel)
    if not np.array_equal(degree_of(mass, kernel), table.degree):
        message = "the kernel and the map do not belong together. Fit the model again."
        raise ModelFileError(message)
    arrays["map/leaf_values"], arrays["map/leaf_mass"] = table.values, mass
    arrays["map/eigenvalues"] = spectrum.eigenvalues
    if not drop_training:
        arrays["map/vectors"] = spectrum.vectors
        arrays["map/embedding"] = diffusion.embedding_
        arrays["training/codes"] = kernel.table_.values
        if kernel.landmarks is not None:
            arrays["training/landmarks"] = kernel.landmarks_.astype(np.int64)
    return {
        "kernel": {
            "kind": kernel.kind,
            "landmarks": encode_value(kernel.landmarks, what="landmarks"),
            "unseen": kernel.codec_.unseen,
            "n_jobs": encode_value(kernel.n_jobs, what="n_jobs"),
            "verbose": bool(kernel.verbose),
        },
        "map": {
            "time": encode_value(diffusion.time, what="diffusion_time"),
            "n_graph_components": int(spectrum.n_graph_components),
            "solver": spectrum.solver,
        },
        "refined": put_refined(encoding, arrays, drop_training=drop_training),
    }


def leaf_mass(kernel: ForestKernel) -> Ints:
    """Rows that define the kernel in each leaf, also where they are gone."""
    if isinstance(kernel, DroppedKernel):
        kept: Ints = kernel.leaf_mass_
        return kept
    return kernel.leaf_kernel_.mass.astype(np.int32)


def degree_of(mass: Ints, kernel: ForestKernel) -> Floats:
    """Contribution of each leaf to the degree of a row; see `LeafTable`."""
    rows = mass.astype(np.float64)
    scale = np.ones(rows.shape)
    if kernel.kind == "rf":
        scale = np.divide(1.0, rows, out=np.zeros(rows.shape), where=rows > 0)
    return scale * rows / kernel.forest_.n_trees


def take_encoding(
    manifest: Section,
    archive: ModelArchive,
    schema: TableSchema,
    forest: ForestArrays,
    grower: BaseForest,
    *,
    dropped: bool,
) -> Encoding:
    """Rebuild the encoder; what follows from the rest is worked out again."""
    kernel = _take_kernel(
        manifest.section("kernel"), archive, schema, forest, grower, dropped=dropped
    )
    diffusion = _take_map(manifest.section("map"), archive, kernel, dropped=dropped)
    if not dropped and len(kernel.landmarks_) != len(diffusion.embedding_):
        raise damaged("the map and the kernel have different rows")
    refined = None
    if manifest.has("refined"):
        section = manifest.section("refined")
        n_components = diffusion.n_components
        refined = take_refined(section, archive, kernel, schema, n_components)
    return Encoding(kernel, diffusion, refined)


def _take_map(
    section: Section, archive: ModelArchive, kernel: ForestKernel, *, dropped: bool
) -> DiffusionMap:
    n_leaves = kernel.forest_.n_leaves
    values = take_coords(archive, "map/leaf_values", (n_leaves, None))
    mass = archive.take("map/leaf_mass", np.int32, (n_leaves,))
    _check_mass(mass, kernel)
    n_components = values.shape[1]
    eigenvalues = take_coords(archive, "map/eigenvalues", (n_components,))
    if n_components < 1 or eigenvalues.min() < 0 or eigenvalues.max() > 1:
        raise damaged("the eigenvalues are not between 0 and 1")
    time = section.number("time")
    if time < 0:
        raise damaged(f"time is {time}")
    vectors = np.empty((0, n_components))
    diffusion = (DroppedMap if dropped else DiffusionMap)(
        n_components, time=section.value("time")
    )
    if not dropped:
        vectors = take_coords(archive, "map/vectors", (None, n_components))
        diffusion.embedding_ = take_coords(archive, "map/embedding", vectors.shape)
    diffusion.spectrum_ = Spectrum(
        eigenvalues,
        vectors,
        section.integer("n_graph_components", lowest=1),
        check_option("solver", section.text("solver"), SOLVERS),
    )
    diffusion.leaf_table_ = LeafTable(values, degree_of(mass, kernel))
    return diffusion


def _check_mass(mass: Ints, kernel: ForestKernel) -> None:
    """Refuse anything but the rows in each leaf; every tree has all rows."""
    if isinstance(kernel, DroppedKernel):
        forest = kernel.forest_
        of_node = np.where(forest.leaf >= 0, mass[forest.leaf], 0).astype(np.int64)
        of_tree = np.add.reduceat(of_node, forest.start[:-1])
        legal = mass.min() >= 0 and of_tree[0] > 0 and (of_tree == of_tree[0]).all()
        kernel.leaf_mass_ = mass
    else:
        legal = np.array_equal(mass, kernel.leaf_kernel_.mass)
    if not legal:
        raise damaged("map/leaf_mass does not count the rows of each leaf")


def _take_kernel(
    section: Section,
    archive: ModelArchive,
    schema: TableSchema,
    forest: ForestArrays,
    grower: BaseForest,
    *,
    dropped: bool,
) -> ForestKernel:
    unseen = check_option("unseen", section.text("unseen"), ("error", "nearest"))
    n_jobs = section.value("n_jobs")
    n_workers(n_jobs)
    kernel = (DroppedKernel if dropped else ForestKernel)(
        kind=check_option("kind", section.text("kind"), KERNEL_KINDS),
        unseen=unseen,
        n_jobs=n_jobs,
        verbose=section.flag("verbose"),
    )
    if section.has("landmarks"):
        kernel.landmarks = section.integer("landmarks", lowest=2)
    kernel.codec_ = TableCodec.from_schema(schema, unseen=unseen)
    kernel.forest_, kernel.grower_ = forest, grower
    if dropped:
        return kernel
    codes = archive.take("training/codes", np.float64, (None, schema.n_columns))
    check_codes(schema, codes, "training/codes")
    check_memory(len(codes) * forest.n_trees * 4)
    kernel.table_ = EncodedTable(schema, np.ascontiguousarray(codes))
    kernel.leaf_ids_ = forest.leaves(kernel.table_.values, n_jobs=n_jobs)
    index = LeafIndex(kernel.leaf_ids_, forest.n_leaves)
    kernel.landmarks_ = np.arange(len(codes))
    if kernel.landmarks is not None:
        wanted = (kernel.landmarks,)
        kernel.landmarks_ = archive.take("training/landmarks", np.int64, wanted)
        check_rising(kernel.landmarks_, len(codes), "training/landmarks")
        index = index.take(kernel.landmarks_)
    kernel.leaf_kernel_ = LeafKernel(index, kernel.kind, n_jobs=n_jobs)
    return kernel
