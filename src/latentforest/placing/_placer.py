"""What it takes to place rows: trees, a leaf table, refined rows."""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of
from latentforest._base._types import Codes, Coords, LeafIds
from latentforest.kernel import LeafRows
from latentforest.placing._leaf_table import LeafTable
from latentforest.placing._relatives import relatives_of
from latentforest.refine import Hints, RefinedRows
from latentforest.table import RowSet
from latentforest.trees import ForestArrays

ENCODE_BLOCK = 2**16  # rows whose leaves are held at once


class Placer(ABC):
    """Rows to coordinates.

    New rows go down the trees, and the leaf table says what each leaf adds to their
    coordinates; a refined map then moves them among its refined rows.
    """

    forest: ForestArrays
    refined: RefinedRows | None
    n_jobs: int | None

    @property
    @abstractmethod
    def n_components(self) -> int:
        """Coordinates of a row."""

    @property
    @abstractmethod
    def leaf_table(self) -> LeafTable:
        """What each leaf adds to the coordinates of a row; not all maps ask."""

    @property
    def asks_map(self) -> bool:
        """Whether the forest's own map has a part in placing rows."""
        return self.refined is None or self.refined.start.asks_map

    def locate(self, codes: Codes) -> Coords:
        """Coordinates of rows, known or new.

        Refined rows, and copies of them, lie where they were moved to together. A row
        alone would not end there. All other rows, and all rows of a plain map, are
        placed.
        """
        if self.refined is None:
            return self.place(codes)
        at = self._refined_set.find(codes)
        is_new = at < 0
        coords = self.refined.map.coords_[at]
        if is_new.any():
            coords[is_new] = self.place(np.ascontiguousarray(codes[is_new]))
        return coords

    def place(self, codes: Codes, *, fill: bool = False) -> Coords:
        """Coordinates of rows: by the Nyström formula, then refined if wanted.

        A refined map can place rows whose gaps shall be filled by their other cells.
        """
        coords = np.empty((len(codes), self.n_components))
        for begin, end in blocks_of(len(codes), ENCODE_BLOCK):
            part, hints = codes[begin:end], self._hints(codes[begin:end], fill=fill)
            coords[begin:end] = (
                hints.coords()
                if self.refined is None
                else self.refined.place(part, hints, fill=fill)
            )
        return coords

    def _hints(self, codes: Codes, *, fill: bool = False) -> Hints:
        """Ask the forest about new rows."""

        def relatives(n_rows: int) -> NDArray[np.int64]:
            ids = self.forest.leaves(codes, n_jobs=self.n_jobs)
            others = len(self.refined.codes) if fill and self.refined is not None else 0
            return relatives_of(
                self._refined_leaves, ids, n_rows, others_of=others, n_jobs=self.n_jobs
            )

        return Hints(
            lambda: self.leaf_table.place(self.forest, codes, n_jobs=self.n_jobs),
            relatives,
        )

    @cached_property
    def _refined_set(self) -> RowSet:
        assert self.refined is not None, "asked where there are refined rows"
        return RowSet(self.refined.codes)

    @cached_property
    def _refined_leaves(self) -> LeafRows:
        ids = self._refined_ids()
        return LeafRows.of_ids(ids, self.forest.n_leaves, n_jobs=self.n_jobs)

    def _refined_ids(self) -> LeafIds:
        assert self.refined is not None, "asked where there are refined rows"
        return self.forest.leaves(self.refined.codes, n_jobs=self.n_jobs)
