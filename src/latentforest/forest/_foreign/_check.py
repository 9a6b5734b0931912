"""Does every row go where the library sends it? Asked each time a model is read."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Ints
from latentforest.trees import ForestArrays

MOST_ROWS = 1_000
MOST_CHECKS = 500_000  # rows × trees


def check_routes(
    title: str,
    forest: ForestArrays,
    leaf_name: Ints,
    rows: Codes,
    theirs: NDArray[np.integer[Any]],
) -> None:
    """Send rows down our trees; refuse the model where the library says otherwise.

    Parameters
    ----------
    title : str
        What messages call the model.
    forest : ForestArrays
        Its trees as read.
    leaf_name : array of int, shape (n_nodes,)
        The library's names of the leaves.
    rows : array of float, shape (n_rows, n_columns)
        Codes of rows.
    theirs : array of int, shape (n_rows, n_trees)
        Leaves of these rows by the library.
    """
    ours = forest.route(rows)
    if theirs.shape != ours.shape:
        message = (
            f"{title} has leaves of shape {theirs.shape} by its own call, but of "
            f"shape {ours.shape} by the trees that were read. Its layout is not known; "
            "please report it."
        )
        raise ValueError(message)
    names = leaf_name[forest.start[:-1] + ours]
    wrong = np.argwhere(names != theirs)
    if len(wrong):
        row, tree = wrong[0]
        message = (
            f"{title} was not read exactly: in tree {tree} a row goes to leaf "
            f"{theirs[row, tree]} by the library and to {names[row, tree]} (node "
            f"{ours[row, tree]}) by the trees that were read ({len(wrong)} of "
            f"{names.size} ways differ). It is not used; please report the model."
        )
        raise ValueError(message)


def trial_rows(
    forest: ForestArrays,
    values: Codes,
    never_missing: frozenset[int] = frozenset(),
    *,
    n_rows: int | None = None,
    seed: int = 0,
) -> Codes:
    """Return rows of a table, in each of which a cell lies where a split decides.

    The cell of a split on the row's way is moved to the threshold, to the next number
    above or below it in double or in single precision, to another level, or it is made
    missing.

    Parameters
    ----------
    forest : ForestArrays
        The trees.
    values : array of float, shape (n_rows, n_columns)
        Codes of the table.
    never_missing : frozenset of int, default=frozenset()
        Columns whose cells may not be missing.
    n_rows : int or None, default=None
        How many; None takes up to 1,000, fewer for many trees.
    seed : int, default=0
        What decides which rows are tried.

    Returns
    -------
    array of float, shape (n_trials, n_columns)
    """
    rng = np.random.default_rng(seed)
    if n_rows is None:
        n_rows = int(np.clip(MOST_CHECKS // forest.n_trees, 20, MOST_ROWS))
    rows: Codes = values[rng.integers(len(values), size=n_rows)].copy()
    for row, node in enumerate(_nodes_on_the_way(forest, rows, rng)):
        if forest.left[node] < 0:
            continue
        column = int(forest.feature[node])
        if forest.split_levels[column]:
            near = [float(rng.integers(forest.split_levels[column])), np.nan]
        else:
            near = _beside(forest.threshold[node])
        if column in never_missing:
            near.pop()
        if near:
            rows[row, column] = near[rng.integers(len(near))]
    return rows


def _beside(cut: float) -> list[float]:
    """Return a threshold, the numbers next to it, and a missing cell."""
    if not np.isfinite(cut):
        return [np.nan]
    with np.errstate(over="ignore"):
        return _next_to(cut)


def _next_to(cut: float) -> list[float]:
    single = np.float32(cut)
    return [
        cut,
        *(float(np.nextafter(cut, side)) for side in (-np.inf, np.inf)),
        *(float(np.nextafter(single, np.float32(side))) for side in (-np.inf, np.inf)),
        np.nan,
    ]


def _nodes_on_the_way(
    forest: ForestArrays, rows: Codes, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return, for each row, a node near its leaf in one of the trees."""
    ids = forest.leaves(rows)
    parent, _ = forest.parents()
    is_leaf = forest.left < 0
    node_of_leaf = np.empty(forest.n_leaves, np.int64)
    node_of_leaf[forest.leaf[is_leaf]] = np.flatnonzero(is_leaf)
    tree = rng.integers(forest.n_trees, size=len(rows))
    node = node_of_leaf[ids[np.arange(len(rows)), tree]]
    for _ in range(3):
        climbs = is_leaf[node] | (rng.random(len(rows)) < 0.6)
        node = np.where(climbs & (parent[node] >= 0), parent[node], node)
    return node
