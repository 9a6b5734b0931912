"""The rows that an encoder has learned from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Coords, LeafIds
from latentforest.forest import ForestArrays, GrownForest, TreeFacts
from latentforest.kernel import LeafKernel
from latentforest.table import EncodedTable


@dataclass(frozen=True, slots=True, eq=False)
class Taught:
    """Where training rows lie, as a larger forest said that is gone."""

    coords: Coords
    new_coords: Coords  # each as if it were new

    def first(self, n_components: int) -> "Taught":
        """Return the first coordinates only."""
        return Taught(self.coords[:, :n_components], self.new_coords[:, :n_components])


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What an encoder was trained on. Placing new rows needs none of it."""

    table: EncodedTable
    leaf_ids: LeafIds  # (n_rows, n_trees) leaves of the rows
    landmarks: NDArray[np.int64]  # the rows that define the kernel
    kernel: LeafKernel  # between them
    in_bag: NDArray[np.uint16] | None = (
        None  # (n_rows, n_trees) draws, if the kernel asks
    )

    def grown(self, forest: ForestArrays, rows: NDArray[np.integer]) -> GrownForest:
        """Return the forest, with all that is known of some of the rows in it."""
        draws = None if self.in_bag is None else self.in_bag[rows]
        ids = np.asfortranarray(self.leaf_ids[rows])
        return GrownForest(forest, ids, TreeFacts(draws))
