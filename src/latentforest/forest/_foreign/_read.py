"""A table as another library's model reads it, and the model's trees for that table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats, Ints
from latentforest.forest._foreign._check import check_routes, trial_rows
from latentforest.forest._foreign._contract import ForeignForest
from latentforest.table import ColumnKind, EncodedTable, TableSchema, check_names
from latentforest.trees import ForestArrays

MOST_GIVEN = 500  # rows as they were given that are compared
BEYOND = 10_000  # a category that no model knows


def kinds_for(model: ForeignForest, schema: TableSchema) -> dict[Any, ColumnKind]:
    """Return the kinds that columns must have to mean what the model takes them for.

    Parameters
    ----------
    model : ForeignForest
        The model.
    schema : TableSchema
        The columns as they were inferred.

    Returns
    -------
    dict
        Kinds of columns that have to be read otherwise.
    """
    check_columns(model, schema)
    return {
        schema.columns[number].name: kind
        for number, kind in model.look_at(schema).items()
        if schema.columns[number].kind is not kind
    }


def check_columns(model: ForeignForest, schema: TableSchema) -> None:
    """Refuse a table that the model was not fitted on."""
    if schema.container != "numpy" and model.names is not None:
        check_names(tuple(model.as_named(str(n)) for n in schema.names), model.names)
    if schema.n_columns != model.n_columns:
        message = (
            f"the table has {schema.n_columns} columns, but the forest was fitted on "
            f"{model.n_columns}. Pass the table it was fitted on."
        )
        raise ValueError(message)


def check_kinds(model: ForeignForest, schema: TableSchema) -> None:
    """Refuse texts and dates where the model reads numbers."""
    wrong = [
        column.name
        for number, column in enumerate(schema.columns)
        if not model.accepts(number, column.kind)
    ]
    if wrong:
        message = (
            f"{model.title} reads numbers, but these columns are categories or dates: "
            f"{wrong}. Pass the table it was fitted on, without dates."
        )
        raise ValueError(message)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The trees of a model for a table, and how to ask the model about its rows."""

    model: ForeignForest
    forest: ForestArrays
    leaf_name: Ints  # the library's names of the leaves, by node
    codes_of: dict[int, NDArray[np.int64]]  # the library's numbers of the levels

    def features(self, values: Codes) -> Floats:
        """Return rows as the library reads them."""
        cells = np.array(values, np.float64)
        for number, codes in self.codes_of.items():
            level = cells[:, number]
            known = ~np.isnan(level)
            own = codes[level[known].astype(int)].astype(np.float64)
            own[own < 0] = np.nan if self.model.unknown_is_missing else BEYOND
            cells[known, number] = own
        return cells

    def check(self, rows: Codes) -> None:
        """Refuse the model where the library sends one of the rows elsewhere."""
        theirs = self.model.leaves(self.features(rows))
        check_routes(self.model.title, self.forest, self.leaf_name, rows, theirs)

    def check_given(self, table: EncodedTable) -> None:
        """Refuse the model where rows as the user gave them go elsewhere."""
        if self.model.sample is None or len(self.model.sample) != table.n_rows:
            return
        gaps = np.flatnonzero(np.isnan(table.values).any(axis=1))[:MOST_GIVEN]
        some = np.union1d(gaps, np.arange(min(MOST_GIVEN, table.n_rows)))
        theirs = self.model.leaves_of_sample(some)
        if theirs is not None:
            codes = table.values[some]
            check_routes(self.model.title, self.forest, self.leaf_name, codes, theirs)

    def check_stored(self, features: Floats, theirs: NDArray[np.integer[Any]]) -> None:
        """Refuse the model where rows that came with it went elsewhere."""
        rows = features.copy()
        for number, codes in self.codes_of.items():
            level = {float(code): place for place, code in enumerate(codes)}
            rows[:, number] = [level.get(c, np.nan) for c in features[:, number]]
        known = ~np.isnan(rows).any(axis=1)
        check_routes(
            self.model.title, self.forest, self.leaf_name, rows[known], theirs[known]
        )


def read_model(model: ForeignForest, table: EncodedTable) -> Reading:
    """Read the trees of a model for a table; nothing is compared yet."""
    model.settle(table)
    _check_gaps(model, table)
    codes_of = {
        number: model.codes_of(number, table.schema.columns[number].levels)
        for number in model.categories
    }
    trees = model.trees()
    forest = trees.with_levels(
        codes_of,
        np.asarray(table.schema.split_levels),
        unknown_is_missing=model.unknown_is_missing,
    )
    return Reading(model, forest, trees.leaf_name, codes_of)


def read_trees(model: ForeignForest, table: EncodedTable) -> ForestArrays:
    """Read the trees, and compare them with the library's own leaf call."""
    reading = read_model(model, table)
    stored = model.stored()
    if stored is None:
        rows = trial_rows(reading.forest, table.values, model.never_missing)
        reading.check(rows)
        reading.check_given(table)
    else:
        reading.check_stored(*stored)
    return reading.forest


def _check_gaps(model: ForeignForest, table: EncodedTable) -> None:
    names = [
        table.schema.names[number]
        for number in sorted(model.never_missing)
        if np.isnan(table.values[:, number]).any()
    ]
    if names:
        message = (
            f"{model.title} knows no missing cells, but these columns have some: "
            f"{names}. Fill them first."
        )
        raise ValueError(message)
