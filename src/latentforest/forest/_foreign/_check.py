"""Does every row go where the library sends it? Asked each time a model is read."""

from collections.abc import Callable

import numpy as np

from latentforest._base._types import Codes, Floats, Ints
from latentforest.forest._foreign._contract import ForeignForest
from latentforest.table import EncodedTable
from latentforest.trees import ForestArrays

MOST_ROWS = 1_000
MOST_CHECKS = 500_000  # rows × trees


def check_routes(
    model: ForeignForest,
    forest: ForestArrays,
    leaf_name: Ints,
    table: EncodedTable,
    features: Callable[[Codes], Floats],
    seed: int = 0,
) -> None:
    """Send rows down our trees and the library's; refuse the model where they differ.

    Rows are rows of the table, in each of which one cell was moved: to the threshold of
    a split on its way, to the next number above or below in double or in single
    precision, to another level, or it was made missing.

    Parameters
    ----------
    model : ForeignForest
        The model.
    forest : ForestArrays
        Its trees as read.
    leaf_name : array of int, shape (n_nodes,)
        The library's names of the leaves.
    table : EncodedTable
        Rows of the table.
    features : callable
        From codes to what the library reads.
    seed : int, default=0
        What decides which rows are tried.
    """
    rng = np.random.default_rng(seed)
    rows = trial_rows(forest, table.values, rng)
    ours = forest.route(rows)
    theirs = model.leaves(features(rows))
    if theirs.shape != ours.shape:
        message = (
            f"{model.title} has {theirs.shape[1]} trees by its own leaf call, but "
            f"{ours.shape[1]} were read. Its layout is not known; please report it."
        )
        raise ValueError(message)
    names = leaf_name[forest.start[:-1] + ours]
    wrong = np.argwhere(names != theirs)
    if len(wrong):
        row, tree = wrong[0]
        message = (
            f"{model.title} was not read exactly: in tree {tree} a row goes to leaf "
            f"{theirs[row, tree]} by the library and to {names[row, tree]} (node "
            f"{ours[row, tree]}) by the trees that were read ({len(wrong)} of "
            f"{names.size} ways differ). It is not used; please report the model."
        )
        raise ValueError(message)


def trial_rows(forest: ForestArrays, values: Codes, rng: np.random.Generator) -> Codes:
    """Return rows of a table, each with a cell where a split decides."""
    n_rows = int(np.clip(MOST_CHECKS // forest.n_trees, 20, MOST_ROWS))
    rows: Codes = values[rng.integers(len(values), size=n_rows)].copy()
    ids = forest.leaves(rows)
    parent, _ = forest.parents()
    node_of_leaf = np.empty(forest.n_leaves, np.int64)
    is_leaf = forest.left < 0
    node_of_leaf[forest.leaf[is_leaf]] = np.flatnonzero(is_leaf)
    node = node_of_leaf[
        ids[np.arange(n_rows), rng.integers(forest.n_trees, size=n_rows)]
    ]
    for _ in range(3):
        up = parent[node]
        climb = (up >= 0) & ((forest.left[node] < 0) | (rng.random(n_rows) < 0.6))
        node = np.where(climb, up, node)
    for row in np.flatnonzero(forest.left[node] >= 0):
        column, cut = forest.feature[node[row]], forest.threshold[node[row]]
        n_levels = forest.split_levels[column]
        near = [
            cut,
            np.nextafter(cut, np.inf),
            np.nextafter(cut, -np.inf),
            np.float64(np.nextafter(np.float32(cut), np.float32(np.inf))),
            np.float64(np.nextafter(np.float32(cut), np.float32(-np.inf))),
            np.nan,
        ]
        if n_levels:
            near = [float(rng.integers(n_levels)), np.nan]
        rows[row, column] = near[rng.integers(len(near))]
    return rows
