"""A small forest that learns where a large one places rows."""

from dataclasses import dataclass

import numpy as np

from latentforest._base._types import Bools, Coords, Floats, LeafIds
from latentforest.distill._merge import Merged, merge
from latentforest.distill._refit import refit_leaves
from latentforest.distill._rows import blended_rows
from latentforest.distill._teacher import Teacher
from latentforest.placing import LeafTable


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """Small trees, the leaves of rows in them, and where the rows shall lie."""

    teacher: Teacher
    merged: Merged
    ids: LeafIds | None  # None: nothing was left out, and there is nothing to learn
    targets: Coords
    predicted: Floats | None

    @classmethod
    def prepare(
        cls, teacher: Teacher, size: float, is_number: Bools, rng: np.random.Generator
    ) -> "Lesson":
        """Cut the forest down, and ask the large model about rows to learn from."""
        merged = merge(teacher, size)
        if merged.forest.n_leaves == teacher.forest.n_leaves:
            return cls(teacher, merged, None, np.empty((0, 0)), None)
        blended = blended_rows(teacher.codes, teacher.leaf_ids, is_number, rng)
        rows = np.concatenate([teacher.codes, blended])
        return cls(
            teacher,
            merged,
            merged.forest.leaves(rows, n_jobs=teacher.n_jobs),
            teacher.place(rows),
            None if teacher.predictions is None else teacher.predict(rows),
        )

    def learn(self, ridge: float) -> Merged:
        """Return the small trees with leaves fitted anew, so strongly held back."""
        if self.ids is None:
            return self.merged
        small, n_jobs = self.merged, self.teacher.n_jobs
        values = refit_leaves(
            self.ids,
            self.targets,
            small.table.values,
            small.table.degree,
            ridge=ridge,
            n_jobs=n_jobs,
        )
        table = LeafTable(values, small.table.mass, small.table.degree)
        if self.predicted is None or small.predictions is None:
            return Merged(small.forest, table, None)
        n_trees = small.forest.n_trees
        predictions = n_trees * refit_leaves(
            self.ids,
            self.predicted,
            small.predictions / n_trees,
            np.full(small.forest.n_leaves, 1 / n_trees),
            ridge=ridge,
            n_jobs=n_jobs,
        )
        return Merged(small.forest, table, self.teacher.as_predictions(predictions))
