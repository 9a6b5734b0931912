"""What a model is going to do with a table, and how large that is."""

import math
from dataclasses import dataclass
from typing import Any

from latentforest._base._parallel import n_workers
from latentforest._settings import resolve_refinement
from latentforest._trials import forests_to_try
from latentforest.forest import FORESTS, resolve_forest
from latentforest.kernel import BAG_KINDS
from latentforest.refine import AutoRefinement, Refinement
from latentforest.table import TableSchema

TABLE_CELL = 10.0  # bytes of a cell of a table that is in memory
TRIALS = 4  # of an automatic choice, which stops after 3 or goes on to a dozen


@dataclass(frozen=True, slots=True)
class Growing:
    """What one sort of forest costs."""

    seconds: float  # of a processor, per row, tree and doubling of rows
    columns: float  # power of their number that the seconds grow with
    leaves: float  # per row and tree, with leaves of the usual size
    usual: int  # that size
    sets: float  # splits of categories while trees grow, beside those at random
    kept_sets: float  # and at the end


# The adversarial forest grows about four forests in its rounds.
GROWING = {
    "adversarial": Growing(1.6e-8, 0.8, 0.11, 2, 2.0, 0.1),
    "completely_random": Growing(3e-8, 0.0, 0.155, 5, 1.0, 1.0),
    "shi_horvath": Growing(1.4e-8, 0.5, 0.065, 5, 0.1, 0.1),
    "supervised": Growing(2e-8, 0.5, 0.16, 1, 0.02, 0.02),
}
UNMEASURED = GROWING["adversarial"]  # a forest without figures counts as the dearest


@dataclass(frozen=True, slots=True)
class Size:
    """How large a table is."""

    rows: int
    columns: int
    levels: tuple[int, ...] = ()  # of each column that is a category
    in_memory: bool = True  # or read in pieces

    @classmethod
    def of(cls, schema: TableSchema, n_rows: int, *, in_memory: bool = True) -> "Size":
        """Return the size of a table that was looked at."""
        levels = tuple(int(n) for n in schema.n_levels[~schema.is_number])
        return cls(n_rows, schema.n_columns, levels, in_memory)

    @property
    def table_bytes(self) -> float:
        """Bytes of the table itself."""
        return TABLE_CELL * self.rows * self.columns if self.in_memory else 0.0

    @property
    def cells(self) -> int:
        """Cells of a row where every level is one."""
        return self.columns - len(self.levels) + sum(self.levels)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a model is going to do with a table."""

    n_components: int
    forest: str  # its name
    n_trees: int
    growing: Growing | None  # None: it is grown already
    leaf_size: int
    deepest: float  # leaves of a tree at most
    refinement: Refinement | None
    trials: int  # settings that are tried before
    time_budget: float | None
    landmarks: int | None
    max_samples: int | None
    n_threads: int
    bags: bool = False  # whether the kernel asks which rows trees were grown on

    @classmethod
    def of(cls, model: Any) -> "Plan":
        """Read the parameters of a model."""
        refinement, trials, budget = resolve_refinement(model), 0, None
        if isinstance(refinement, AutoRefinement):
            trials, budget = TRIALS, refinement.time_budget
            refinement = Refinement()
        given = resolve_forest(forests_to_try(model)[0])
        names = {kind: name for name, kind in FORESTS.items()}
        forest: Any = given.grower if given.fitted is None else given.fitted
        name = names.get(type(forest), type(forest).__name__)
        growing = GROWING.get(name, UNMEASURED)
        depth = getattr(forest, "max_depth", None)
        return cls(
            model.n_components,
            name,
            getattr(forest, "n_estimators", None) or 1,  # a single tree has none
            None if given.grower is None else growing,
            getattr(forest, "min_samples_leaf", growing.usual),
            math.inf if depth is None else 2.0 ** min(depth, 60),
            refinement,
            trials,
            budget,
            model.landmarks,
            model.max_samples,
            n_workers(model.n_jobs),
            model.kernel in BAG_KINDS,
        )

    def kept(self, n_rows: int) -> int:
        """Return how many rows of a table are kept."""
        return n_rows if self.max_samples is None else min(n_rows, self.max_samples)
