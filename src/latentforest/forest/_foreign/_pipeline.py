"""Pipelines: what stands before a forest becomes part of its splits.

A split asks whether f(x) <= t, where f is what the steps before the forest make of a
column. Where f keeps the order of numbers, that is x <= s for one s, which is searched
for; where a column has levels, it is a set of levels. So the trees read the table
itself, and everything goes on as if the forest had been fitted on it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Codes, Floats
from latentforest.forest._facts import TreeFacts
from latentforest.forest._foreign._contract import ForeignForest, refuse
from latentforest.forest._foreign._step_table import StepTable
from latentforest.forest._foreign._steps import Step, find_passages, find_steps
from latentforest.forest._foreign._trees import CodeSet, ForeignTrees
from latentforest.table import ColumnKind, EncodedTable, TableSchema


class PipelineForest(ForeignForest):
    """A fitted ``Pipeline`` whose last step is a forest that can be read."""

    def __init__(
        self, pipeline: Any, open_model: Callable[[Any], ForeignForest]
    ) -> None:
        self.title = f"this pipeline with a {type(pipeline.steps[-1][1]).__name__}"
        # Samplers only take part in fitting.
        self._before = [
            step
            for _, step in pipeline.steps[:-1]
            if hasattr(step, "transform") and not hasattr(step, "fit_resample")
        ]
        self._inner = open_model(pipeline.steps[-1][1])
        self.n_columns = int(pipeline.n_features_in_)
        names = getattr(pipeline, "feature_names_in_", None)
        self.names = None if names is None else tuple(map(str, names))
        self.categories = {}

    def look_at(self, schema: TableSchema) -> dict[int, ColumnKind]:
        """Take columns with levels for sets, and integers whose order is lost."""
        if schema.container not in ("pandas", "polars", "numpy"):
            raise refuse(
                self.title,
                f"steps of scikit-learn take no {schema.container} table",
                "Give the table to it and to RFAE as a data frame.",
            )
        if any(not self.accepts(n, c.kind) for n, c in enumerate(schema.columns)):
            return {}
        words = {
            number: ColumnKind.category
            for number, column in enumerate(schema.columns)
            if column.kind is ColumnKind.ordered and not column.is_scale
        }
        table = StepTable.of_schema(schema, self._transform, self.sample)
        whole = {
            number: ColumnKind.integer
            if table.keeps_order(number, table.whole_numbers(number))
            else ColumnKind.category
            for number, column in enumerate(schema.columns)
            if column.kind is ColumnKind.integer or column.is_scale
        }
        return words | whole

    def accepts(self, number: int, kind: ColumnKind) -> bool:
        """Whether a column may be of a kind: all but dates."""
        del number
        return kind is not ColumnKind.datetime

    def settle(self, table: EncodedTable) -> None:
        """Find out what the steps make of each column."""
        self.categories = {
            number: column.levels
            for number, column in enumerate(table.schema.columns)
            if column.levels
        }
        self._table = StepTable(
            table.schema, table.values, self._transform, self.sample
        )
        self._steps = find_steps(self._table, self.title)
        self.never_missing = self._table.never_missing

    def _transform(self, frame: Any) -> Floats:
        made = frame
        for step in self._before:
            made = step.transform(made)
        made = made.toarray() if hasattr(made, "toarray") else np.asarray(made)
        return np.ascontiguousarray(made, np.float64)

    def codes_of(self, column: int, levels: tuple[Any, ...]) -> NDArray[np.int64]:
        """Return the numbers that the table gives its levels."""
        del column
        return np.arange(len(levels))

    def leaves(self, features: Floats) -> NDArray[np.integer[Any]]:
        """Send rows through the steps, then through the library's own leaf call."""
        return self._inner.leaves(self._coded(self._table.make(features)))

    def _coded(self, made: Floats) -> Floats:
        for number in self._inner.categories:
            made[:, number] = self._inner_codes(number, made[:, number])
        return made

    def _inner_codes(self, number: int, values: Floats) -> Floats:
        known = ~np.isnan(values)
        codes = values.copy()
        codes[known] = self._inner.codes_of(number, tuple(values[known].tolist()))
        return codes

    def leaves_of_sample(self, rows: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        """Send rows of the table, as they are, through the pipeline."""
        given = self.sample
        some = given.iloc[rows] if hasattr(given, "iloc") else given[rows]
        return self._inner.leaves(self._coded(self._transform(some)))

    def facts(self) -> TreeFacts:
        """Return what the forest knows of its trees."""
        return self._inner.facts()

    def trees(self) -> ForeignTrees:
        """Turn each split of what the steps made into one of a column."""
        made = self._inner.trees()
        feature, threshold = made.feature.copy(), made.threshold.copy()
        missing_left, set_of = made.missing_left.copy(), made.set_of.copy()
        flips = np.zeros(len(feature), bool)
        sets: list[CodeSet] = []
        wanted: list[tuple[Step, Floats]] = []
        at: list[NDArray[np.int64]] = []
        for number, step in enumerate(self._steps):
            nodes = np.flatnonzero((made.feature == number) & (made.left >= 0))
            if not len(nodes):
                continue
            feature[nodes] = step.column
            missing_left[nodes] = self._goes_left(
                made, nodes, np.array([step.at_missing])
            )
            if step.at_levels is not None:
                for node in nodes:
                    left = self._goes_left(made, node, step.at_levels)
                    set_of[node] = len(sets)
                    sets.append(CodeSet(np.flatnonzero(left), go_left=True))
                    threshold[node] = np.nan
                continue
            if (made.set_of[nodes] >= 0).any():
                raise refuse(
                    self.title,
                    f"a number, column {step.column}, is made a category",
                    "Make it one before the pipeline is fitted.",
                )
            wanted.append((step, made.threshold[nodes]))
            at.append(nodes)
        for nodes, passage in zip(at, find_passages(wanted, self._table), strict=True):
            threshold[nodes], flips[nodes] = passage.found(), passage.falls
            set_of[nodes] = -1
        # Where the order is reversed, what goes left is what lies above.
        return ForeignTrees(
            made.start,
            np.where(flips, made.right, made.left),
            np.where(flips, made.left, made.right),
            feature,
            threshold,
            missing_left ^ flips,
            set_of,
            sets,
            made.leaf_name,
        )

    def _goes_left(self, trees: ForeignTrees, node: Any, values: Codes) -> Bools:
        """Whether nodes send values, of what the steps made, to the left."""
        numbers = np.atleast_1d(node)
        by_set = trees.set_of[numbers] >= 0
        left: Bools = np.where(
            np.isnan(values),
            trees.missing_left[numbers],
            values <= trees.threshold[numbers],
        )
        if by_set.any():
            left = np.array(
                [self._in_set(trees, n, v) for n, v in np.broadcast(numbers, values)]
            )
        return left

    def _in_set(self, trees: ForeignTrees, node: int, value: float) -> bool:
        if np.isnan(value):
            return bool(trees.missing_left[node])
        own = self._inner.codes_of(int(trees.feature[node]), (value,))
        if own[0] < 0 and self._inner.unknown_is_missing:
            return bool(trees.missing_left[node])
        codes, go_left = trees.sets[trees.set_of[node]]
        return bool(np.isin(own[0], codes)) == go_left
