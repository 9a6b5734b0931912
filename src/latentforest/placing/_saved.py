"""What places rows, read from a model file; where rows are dropped, all there is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_option
from latentforest._base._parallel import n_workers
from latentforest._base._room import Demand
from latentforest._base._section import Section
from latentforest._base._types import Floats
from latentforest._base._values import damaged
from latentforest.kernel import KERNEL_KINDS, LeafIndex, LeafKernel
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
        kind, n_jobs, n_landmarks = take_kernel(manifest.section("kernel"))
        forest = take_routes(manifest.section("forest"), schema)
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
            table = take_leaf_table(part, forest, kind, size)
            check_mass(table.mass, forest)
        else:
            if n_landmarks is not None:
                chosen = manifest.rows("training/landmarks", n_landmarks, rows.n_rows)
                rows = rows.take(chosen)
            manifest.need(rows_demand(forest, rows.n_rows, None, size))
            manifest.need(leaf_table_demand(forest, rows.n_rows, size))
            ids = forest.leaves(rows.values, n_jobs=n_jobs)
            kernel = LeafKernel(LeafIndex(ids, forest.n_leaves), kind, n_jobs=n_jobs)
            embedding = part.coords("embedding", (rows.n_rows, size))
            table = make_leaf_table(kernel, embedding, take_eigenvalues(part))
        return cls(forest, size, table, refined, n_jobs)


def take_kernel(section: Section) -> tuple[str, int | None, int | None]:
    """Read the kind of the kernel, the threads, and how many rows define it."""
    kind = check_option("kind", section.text("kind"), KERNEL_KINDS)
    n_jobs = section.value("n_jobs")
    n_workers(n_jobs)
    landmarks = None
    if section.has("landmarks"):
        landmarks = section.integer("landmarks", lowest=2)
    return kind, n_jobs, landmarks


def take_eigenvalues(part: Section) -> Floats:
    """Read the eigenvalues of a map, one per coordinate."""
    eigenvalues = part.coords("eigenvalues", (None,))
    legal = len(eigenvalues) and eigenvalues.min() >= 0 and eigenvalues.max() <= 1
    if not legal:
        raise damaged("the eigenvalues are not between 0 and 1")
    return eigenvalues


def take_leaf_table(
    part: Section, forest: ForestArrays, kind: str, size: int
) -> LeafTable:
    """Read a leaf table: of files without training rows, and of all of format 1."""
    values = part.coords("leaf_values", (forest.n_leaves, size))
    mass = part.array("leaf_mass", np.int32, (forest.n_leaves,)).astype(np.float64)
    return LeafTable.of_leaves(values, mass, kind=kind, n_trees=forest.n_trees)


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


def refined_demand(forest: ForestArrays, n_refined: int) -> Demand:
    """Tell what it takes to copy the leaves of refined rows for their decoder."""
    cells = n_refined * forest.n_trees
    return Demand(8 * cells, 4 * cells)


def check_mass(
    mass: Floats, forest: ForestArrays, known: NDArray[np.floating] | None = None
) -> None:
    """Refuse numbers of rows that the leaves do not have, as far as one can tell."""
    if known is not None:
        legal = np.array_equal(mass, known)
    else:
        of_node = np.where(forest.leaf >= 0, mass[forest.leaf], 0)
        of_tree = np.add.reduceat(of_node, forest.start[:-1])
        same = mass.min() >= 0 and of_tree[0] > 0 and (of_tree == of_tree[0]).all()
        legal = bool(same)
    if not legal:
        raise damaged("map/leaf_mass does not count the rows of each leaf")
