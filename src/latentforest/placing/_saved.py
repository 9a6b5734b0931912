"""What places rows, read from a model file; where rows are dropped, all there is."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_option
from latentforest._base._parallel import n_workers
from latentforest._base._room import Demand
from latentforest._base._section import Section
from latentforest._base._types import Floats
from latentforest._base._values import damaged
from latentforest.kernel import (
    BAG_KINDS,
    KERNEL_KINDS,
    LeafIndex,
    LeafKernel,
    tree_factors,
)
from latentforest.placing._leaf_table import LeafTable, make_leaf_table
from latentforest.placing._placer import Placer
from latentforest.refine import RefinedRows
from latentforest.table import EncodedTable, TableSchema
from latentforest.trees import ForestArrays, longest_ways, take_routes


@dataclass(frozen=True, eq=False)
class StoredPlacer(Placer):
    """What places rows, and nothing else of a model."""

    forest: ForestArrays
    size: int  # coordinates
    known: LeafTable | None  # None where nobody asks
    refined: RefinedRows | None
    n_jobs: int | None

    @property
    def n_components(self) -> int:
        """Coordinates of a row."""
        return self.size

    @property
    def leaf_table(self) -> LeafTable:
        """What each leaf adds to the coordinates of a row."""
        assert self.known is not None, "kept where it is asked for"
        return self.known

    @classmethod
    def of(cls, placer: Placer) -> "StoredPlacer":
        """Return what places rows, apart from what it was trained on."""
        table = placer.leaf_table if placer.asks_map else None
        return cls(
            placer.forest, placer.n_components, table, placer.refined, placer.n_jobs
        )

    @classmethod
    def take(cls, manifest: Section, schema: TableSchema) -> "StoredPlacer":
        """Read what places rows from a model file, with or without training rows."""
        dropped = manifest.flag("drop_training")
        forest = take_routes(manifest.section("forest"), schema)
        stored = take_kernel(manifest.section("kernel"), forest)
        n_jobs = stored.n_jobs
        part = manifest.section("map")
        is_known = not part.has("generator")
        size = (
            len(take_eigenvalues(part))
            if is_known
            else part.integer("n_components", lowest=1)
        )
        rows = None
        if not dropped:
            codes = schema.take_codes(manifest, "training/codes", None)
            rows = EncodedTable(schema, codes)
        refined = None
        if manifest.has("refined"):
            refined = RefinedRows.take(
                manifest.section("refined"), schema, rows, size, n_jobs=n_jobs
            )
            manifest.need(refined_demand(forest, len(refined.codes)))
        placer = cls(forest, size, None, refined, n_jobs)
        if not placer.asks_map:
            return placer
        if not is_known:
            raise damaged("the map that places rows is not in the file")
        if rows is None or part.holds("leaf_values"):
            table = take_leaf_table(part, forest, stored, size)
            check_mass(table.mass, forest, stored)
        else:
            draws = take_draws(manifest, stored, forest, rows.n_rows)
            if stored.landmarks is not None:
                chosen = manifest.rows(
                    "training/landmarks", stored.landmarks, rows.n_rows
                )
                rows = rows.take(chosen)
                draws = None if draws is None else draws[chosen]
            manifest.need(rows_demand(forest, rows.n_rows, None, size))
            manifest.need(leaf_table_demand(forest, rows.n_rows, size))
            ids = forest.leaves(rows.values, n_jobs=n_jobs)
            kernel = LeafKernel(
                LeafIndex(ids, forest.n_leaves, forest.leaf_start),
                stored.kind,
                tree_weights=stored.tree_weights,
                in_bag=draws,
                n_jobs=n_jobs,
            )
            embedding = part.coords("embedding", (rows.n_rows, size))
            table = make_leaf_table(kernel, embedding, take_eigenvalues(part))
        return cls(forest, size, table, refined, n_jobs)


class StoredKernel(NamedTuple):
    """A kernel as a file has it."""

    kind: str
    n_jobs: int | None
    landmarks: int | None  # how many rows define it; None: all
    tree_weights: Floats | None  # None: all trees are alike


def take_kernel(section: Section, forest: ForestArrays) -> StoredKernel:
    """Read what a kernel is."""
    kind = check_option("kind", section.text("kind"), KERNEL_KINDS)
    n_jobs = section.value("n_jobs")
    n_workers(n_jobs)
    landmarks = None
    if section.has("landmarks"):
        landmarks = section.integer("landmarks", lowest=2)
    weights = None
    if section.holds("tree_weights"):
        weights = section.array("tree_weights", np.float64, (forest.n_trees,))
        tree_factors(weights, forest.n_trees)  # which refuses what are no weights
    return StoredKernel(kind, n_jobs, landmarks, weights)


def take_draws(
    manifest: Section, stored: StoredKernel, forest: ForestArrays, n_rows: int
) -> NDArray[np.uint16] | None:
    """Read which rows each tree was grown on, if the kernel asks."""
    if stored.kind not in BAG_KINDS:
        return None
    manifest.need(bags_demand(forest, n_rows))
    draws: NDArray[np.uint16] = manifest.array(
        "training/in_bag", np.uint16, (n_rows, forest.n_trees)
    )
    return draws


def take_eigenvalues(part: Section) -> Floats:
    """Read the eigenvalues of a map, one per coordinate."""
    eigenvalues = part.coords("eigenvalues", (None,))
    legal = len(eigenvalues) and eigenvalues.min() >= 0 and eigenvalues.max() <= 1
    if not legal:
        raise damaged("the eigenvalues are not between 0 and 1")
    return eigenvalues


def take_leaf_table(
    part: Section, forest: ForestArrays, stored: StoredKernel, size: int
) -> LeafTable:
    """Read a leaf table: of files without training rows, and of all of format 1."""
    values = part.coords("leaf_values", (forest.n_leaves, size))
    mass = part.array("leaf_mass", np.int32, (forest.n_leaves,)).astype(np.float64)
    factors = tree_factors(stored.tree_weights, forest.n_trees)
    if factors is not None:
        factors = np.repeat(factors, np.diff(forest.leaf_start))
    return LeafTable.of_leaves(
        values, mass, kind=stored.kind, n_trees=forest.n_trees, factors=factors
    )


def rows_demand(
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


def leaf_table_demand(forest: ForestArrays, n_rows: int, n_components: int) -> Demand:
    """Tell what it takes to work the leaf table out of the rows of the kernel."""
    n_sums = forest.n_leaves * n_components
    n_added = n_rows * forest.n_trees * n_components
    return Demand(24 * n_sums, 4 * n_sums + 2 * n_added)


def bags_demand(forest: ForestArrays, n_rows: int) -> Demand:
    """Tell what it takes to look at what is in bag, and to sum over leaves twice."""
    cells = n_rows * forest.n_trees
    return Demand(4 * cells, 8 * cells)


def refined_demand(forest: ForestArrays, n_refined: int) -> Demand:
    """Tell what it takes to copy the leaves of refined rows for their decoder."""
    cells = n_refined * forest.n_trees
    return Demand(8 * cells, 4 * cells)


def check_mass(
    mass: Floats,
    forest: ForestArrays,
    stored: StoredKernel,
    known: NDArray[np.floating] | None = None,
) -> None:
    """Refuse numbers of rows that the leaves do not have, as far as one can tell."""
    if known is not None:
        legal = np.array_equal(mass, known)
    else:
        of_node = np.where(forest.leaf >= 0, mass[forest.leaf], 0)
        of_tree = np.add.reduceat(of_node, forest.start[:-1])
        legal = bool(mass.min() >= 0 and of_tree.max() > 0)
        if stored.kind != "gap":  # trees may have drawn landmarks more or less often
            legal = legal and bool((of_tree == of_tree[0]).all())
    if not legal:
        raise damaged("map/leaf_mass does not count the rows of each leaf")
