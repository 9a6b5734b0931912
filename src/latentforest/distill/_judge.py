"""How well a small model stands in for the large one, on rows that were held back."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Codes, Coords, Floats
from latentforest.choice import HoldOut, held_out_parts
from latentforest.decode import SpreadingDecoder
from latentforest.distill._merge import Merged
from latentforest.distill._report import NEIGHBOURS, Fidelity
from latentforest.distill._size import size_of
from latentforest.distill._student import Lesson
from latentforest.distill._teacher import Teacher, mean_of_leaves
from latentforest.encoder import Encoder
from latentforest.kernel import LeafKernel
from latentforest.metrics import Yardstick, code_distortions, mean_distortion
from latentforest.placing import make_leaf_table
from latentforest.refine import CellSpace
from latentforest.table import EncodedTable

ONE_FIFTH = HoldOut(n_parts=1, one_in=5, rows_per_part=1_000)
LEAST_ROWS = 25  # distinct ones: a fifth of them is judged
RIDGES = (10.0, 100.0)
ABOUT = 1.1  # times the least error is as good: of these the largest ridge is taken


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Rows that were held back, and a large model that does not know them."""

    teacher: Teacher
    held: EncodedTable
    measure: Yardstick
    decode: Callable[[Coords], Codes]
    distances: Floats  # (n_held, n_held) between the rows, by their cells
    is_number: Bools

    @classmethod
    def of(
        cls,
        encoder: Encoder,
        decoder: SpreadingDecoder,
        teacher: Teacher,
        rng: np.random.Generator,
    ) -> "Judge":
        """Hold rows back, and make the large model's leaf table without them."""
        table = encoder.trained_on("distill").table
        n_distinct = len(np.unique(table.distinct_rows()))
        if n_distinct < LEAST_ROWS:
            message = (
                f"the model was fitted on {n_distinct} distinct rows, too few to judge "
                f"a smaller one. Fit it on at least {LEAST_ROWS}, or use it as it is."
            )
            raise ValueError(message)
        part = next(held_out_parts(table, rng, ONE_FIFTH))
        held = table.take(part.held).at_edges()
        cells = CellSpace.of_table(table).cells(held.values)
        return cls(
            _without(teacher, encoder, part.known),
            held,
            Yardstick.of_table(table),
            decoder.keep(part.known).decode,
            _distances(cells.values, cells.is_number),
            table.schema.is_number,
        )

    def large(self) -> Fidelity:
        """Judge the large model."""
        whole = Merged(
            self.teacher.forest, self.teacher.table, self.teacher.predictions
        )
        return self._fidelity(whole, 1.0)

    def small(self, size: float, rng: np.random.Generator) -> tuple[Fidelity, float]:
        """Judge the small model of a size, with the best ridge; return that too."""
        lesson = Lesson.prepare(self.teacher, size, self.is_number, rng)
        students = {ridge: lesson.learn(ridge) for ridge in RIDGES}
        goal = self.teacher.place(self.held.values)
        errors = {
            ridge: float(((self._place(student) - goal) ** 2).sum())
            for ridge, student in students.items()
        }
        least = min(errors.values())
        best = max(ridge for ridge in errors if errors[ridge] <= ABOUT * least)
        return self._fidelity(students[best], size), best

    def _place(self, student: Merged) -> Coords:
        return student.table.place(
            student.forest, self.held.values, n_jobs=self.teacher.n_jobs
        )

    def _fidelity(self, student: Merged, size: float) -> Fidelity:
        from sklearn.manifold import trustworthiness  # noqa: PLC0415 (slow to load)

        coords, goal = self._place(student), self.teacher.place(self.held.values)
        before, after = self.held.values, self.decode(coords)
        lost = code_distortions(self.measure, before, after)
        n_near = min(NEIGHBOURS, (len(coords) - 1) // 2)
        return Fidelity(
            size,
            size_of(student.forest, coords.shape[1]),
            student.forest.n_trees,
            student.forest.n_leaves,
            _share_explained(goal, coords),
            float(
                trustworthiness(
                    self.distances, coords, n_neighbors=n_near, metric="precomputed"
                )
            ),
            mean_distortion(lost),
            self._same_predictions(student),
        )

    def _same_predictions(self, student: Merged) -> float | None:
        if student.predictions is None:
            return None
        codes, n_jobs = self.held.values, self.teacher.n_jobs
        old = self.teacher.predict(codes)
        new = mean_of_leaves(student.forest, student.predictions, codes, n_jobs=n_jobs)
        if self.teacher.shares:
            return float((old.argmax(axis=1) == new.argmax(axis=1)).mean())
        return _share_explained(old, new)


def _without(teacher: Teacher, encoder: Encoder, known: NDArray[np.int64]) -> Teacher:
    """Return the teacher that knows some of the rows only."""
    training = encoder.trained_on("distill")
    in_kernel = np.isin(training.landmarks, known)
    if not in_kernel.any():
        message = (
            f"all {len(in_kernel)} landmarks were held back to judge a smaller model. "
            "Fit with more landmarks, or give another random_state."
        )
        raise ValueError(message)
    index = training.kernel.index.take(in_kernel)
    kernel = LeafKernel(index, encoder.kind, n_jobs=encoder.n_jobs)
    embedding = encoder.plain.diffusion.embedding_[in_kernel]
    return replace(
        teacher,
        table=make_leaf_table(kernel, embedding, teacher.eigenvalues),
        codes=teacher.codes[known],
        leaf_ids=np.asfortranarray(teacher.leaf_ids[known]),
    )


def _share_explained(truth: Floats, guess: Floats) -> float:
    """R² over all columns together; 1 where both are constant and the same."""
    lost = ((truth - guess) ** 2).sum()
    whole = ((truth - truth.mean(axis=0)) ** 2).sum()
    return float(1.0 - lost / whole) if whole > 0 else float(lost == 0)


def _distances(cells: Floats, is_number: Bools) -> Floats:
    """Distances between rows by their cells, (n_rows, n_rows), of few rows only."""
    squares = np.zeros((len(cells), len(cells)))
    for column, numeric in zip(cells.T, is_number, strict=True):
        gap = column[:, None] - column
        # Two levels are √2 apart; whether cells are missing is a column of its own.
        apart = gap**2 if numeric else 2.0 * (gap != 0)
        squares += np.where(np.isnan(gap), 0.0, apart)
    return np.sqrt(squares)
