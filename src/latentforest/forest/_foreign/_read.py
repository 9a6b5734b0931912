"""A table as another library's model reads it, and the model's trees for that table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest.forest._foreign._check import check_routes, trial_rows
from latentforest.forest._foreign._contract import ForeignForest
from latentforest.table import ColumnKind, EncodedTable, TableSchema, check_names
from latentforest.trees import ForestArrays

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
        check_names(schema.names, model.names)
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
        if number not in model.categories
        and column.kind
        not in (ColumnKind.continuous, ColumnKind.integer, ColumnKind.boolean)
    ]
    if wrong:
        message = (
            f"{model.title} reads numbers, but these columns are categories or dates: "
            f"{wrong}. Pass the table it was fitted on."
        )
        raise ValueError(message)


def read_trees(
    model: ForeignForest, table: EncodedTable, seed: int = 0
) -> ForestArrays:
    """Read the trees for a table, and compare them with the library's own leaf call."""
    _check_gaps(model, table)
    model.settle(table)
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

    def features(values: Codes) -> Floats:
        cells = np.array(values, np.float64)
        for number, codes in codes_of.items():
            level = cells[:, number]
            known = ~np.isnan(level)
            own = codes[level[known].astype(int)].astype(np.float64)
            own[own < 0] = np.nan if model.unknown_is_missing else BEYOND
            cells[known, number] = own
        return cells

    stored = model.stored()
    if stored is None:
        rows = trial_rows(forest, table.values, seed, model.never_missing)
        theirs = model.leaves(features(rows))
    else:
        rows = _as_table(stored[0], codes_of)
        known = ~np.isnan(rows).any(axis=1)
        rows, theirs = rows[known], stored[1][known]
    check_routes(model.title, forest, trees.leaf_name, rows, theirs)
    return forest


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


def _as_table(rows: Floats, codes_of: dict[int, NDArray[np.int64]]) -> Codes:
    """Turn the library's numbers of categories into levels of the table."""
    cells = rows.copy()
    for number, codes in codes_of.items():
        level = {float(code): place for place, code in enumerate(codes)}
        cells[:, number] = [level.get(code, np.nan) for code in rows[:, number]]
    return cells
