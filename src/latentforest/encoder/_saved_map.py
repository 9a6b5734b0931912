"""Diffusion maps in model files: as arrays, or as what they are worked out from."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_option
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Floats
from latentforest._base._values import damaged
from latentforest.encoder._plain import PlainMap
from latentforest.forest import ForestArrays
from latentforest.placing import (
    LeafTable,
    StoredKernel,
    take_eigenvalues,
    take_leaf_table,
)
from latentforest.spectral import DiffusionMap, Spectrum


class StoredMap(NamedTuple):
    """A map as a file has it."""

    diffusion: DiffusionMap  # fitted, unless it is to be worked out
    leaf_table: LeafTable | None
    n_components: int  # that are kept

    @property
    def is_known(self) -> bool:
        """Whether the map is in the file."""
        return hasattr(self.diffusion, "spectrum_")


SOLVERS = ("dense", "lanczos", "components", "given")


def put_map(
    plain: PlainMap,
    part: NewSection,
    *,
    asked: bool,
    with_rows: bool,
    with_table: bool,
    compact: bool,
) -> None:
    """Write a map; where nobody asks for it, only what it can be worked out from.

    Its leaf table follows from the training rows, if they are in the file, unless it
    was fitted to something else.
    """
    part.put("time", plain.time, "diffusion_time")
    if plain.seed is not None and not asked:
        part.put("n_components", plain.n_components)
        part.put("n_solved", plain.n_solved)
        part.generator("generator", plain.seed)
        return
    spectrum, table = plain.worked_out().spectrum, plain.leaf_table
    part.put("n_graph_components", int(spectrum.n_graph_components))
    part.put("solver", spectrum.solver)
    part.array("eigenvalues", spectrum.eigenvalues)
    if with_table:
        part.array("leaf_values", shortened(table.values, compact=compact))
        part.array("leaf_mass", table.mass.astype(np.int32))
    if with_rows:
        embedding = plain.diffusion.embedding_
        part.array("vectors", shortened(spectrum.vectors, compact=compact))
        part.array("embedding", shortened(embedding, compact=compact))


def shortened(numbers: Floats, *, compact: bool) -> NDArray[np.floating]:
    """Return numbers in single precision, if that is wanted and none is huge."""
    huge = np.finfo(np.float32).max / 2
    fits = compact and np.abs(numbers).max(initial=0) < huge
    return numbers.astype(np.float32) if fits else numbers


def take_map(
    part: Section, forest: ForestArrays, kernel: StoredKernel, *, dropped: bool
) -> StoredMap:
    """Read a map; without rows if they were dropped."""
    if part.number("time") < 0:
        raise damaged(f"time is {part.number('time')}")
    if part.has("generator"):
        n_solved = part.integer("n_solved", lowest=1)
        kept = part.integer("n_components", lowest=1, highest=n_solved)
        settings = DiffusionMap(
            n_solved,
            time=part.value("time"),
            random_state=part.generator("generator"),
        )
        return StoredMap(settings, None, kept)
    eigenvalues = take_eigenvalues(part)
    size = len(eigenvalues)
    diffusion = DiffusionMap(size, time=part.value("time"))
    vectors = np.empty((0, size))
    if not dropped:
        vectors = part.coords("vectors", (None, size))
        diffusion.embedding_ = part.coords("embedding", vectors.shape)
    diffusion.spectrum_ = Spectrum(
        eigenvalues,
        vectors,
        part.integer("n_graph_components", lowest=1),
        check_option("solver", part.text("solver"), SOLVERS),
    )
    if not (dropped or part.holds("leaf_values")):
        return StoredMap(diffusion, None, size)
    return StoredMap(diffusion, take_leaf_table(part, forest, kernel, size), size)
