"""Cells for tests of the refinement."""

import numpy as np

from latentforest.refine._cells import Cells
from latentforest.refine._steps_loops import step_rows


def of_numbers(cells):
    """Return rows whose columns are all numbers, in units that fit."""
    n_columns = cells.shape[1]
    values = np.ascontiguousarray(cells, np.float64)
    return Cells(
        values, np.ones(n_columns, bool), np.arange(n_columns + 1), np.zeros(n_columns)
    )


def filled(cells):
    """Fill the gaps of each cell with its mean, or 0."""
    known = ~np.isnan(cells)
    total = np.where(known, cells, 0.0).sum(axis=0)
    return np.where(known, cells, total / np.maximum(known.sum(axis=0), 1))


def steps_of(points, cells, queries, wanted, found, ridge):
    """Call the compiled loop on all queries."""
    loss, move = np.empty(len(queries)), np.empty_like(queries)
    step_rows(
        points,
        np.empty((0, 0)),
        cells.values,
        cells.mean(),
        cells.is_number,
        cells.start,
        queries,
        wanted.values,
        *found,
        ridge,
        loss,
        move,
    )
    return loss, move
