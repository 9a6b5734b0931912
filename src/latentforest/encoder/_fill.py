"""Gaps that no map fills: what the rows most like a row have there."""

import numpy as np

from latentforest._base._types import Codes
from latentforest.neighbours import blend_rows, draw_priority
from latentforest.refine import CellSpace, nearest_by_cells
from latentforest.table import EncodedTable

MOST_ROWS = 2_000  # that are compared with a row, from all over the table
NEIGHBOURS = 5


def fill_from_rows(
    codes: Codes, filled: Codes, table: EncodedTable, *, n_jobs: int | None = None
) -> Codes:
    """Fill what is still missing from the nearest rows that have the cell.

    Rows are compared by the cells that ``codes`` has. A number becomes the mean of the
    five nearest, a level that of most of them. A column that no row has stays missing.
    """
    out, table = filled.copy(), table.at_edges()
    space = CellSpace.of_table(table, tell_gaps=False)
    priority = draw_priority(table.schema, np.random.default_rng(0))
    for column in np.flatnonzero(np.isnan(filled).any(axis=0)):
        known = np.flatnonzero(~np.isnan(table.values[:, column]))
        if not len(known):
            continue
        known = known[:: -(-len(known) // MOST_ROWS)]
        rows = np.flatnonzero(np.isnan(filled[:, column]))
        like = table.take(known)
        n_near = min(NEIGHBOURS, len(known))
        near, _ = nearest_by_cells(
            space.cells(like.values),
            space.cells(table.schema.at_edges(codes[rows])),
            np.broadcast_to(np.arange(len(known)), (len(rows), len(known))),
            n_near,
            n_jobs=n_jobs,
        )
        even = np.full(near.shape, 1 / n_near)
        mixed = blend_rows(near, even, like.values, priority, n_jobs=n_jobs)
        out[rows, column] = mixed[:, column]
    return out
