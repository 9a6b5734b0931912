"""Which rows the trees of a fitted forest were grown on, as far as it tells."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import LeafIds
from latentforest.forest._base_forest import BaseForest
from latentforest.trees import ForestArrays


def draws_of(fitted: Any, forest: ForestArrays, ids: LeafIds) -> NDArray[np.uint16]:
    """Return how often each tree has drawn each row, or tell why that is not known.

    The reason is the argument of a ``LookupError``.
    """
    fitted = fitted.steps[-1][1] if hasattr(fitted, "steps") else fitted
    if isinstance(fitted, BaseForest):
        return _own_draws(fitted, len(ids))
    return _sklearn_draws(fitted, forest, ids)


def _own_draws(fitted: BaseForest, n_rows: int) -> NDArray[np.uint16]:
    draws: NDArray[np.uint16] | None = getattr(fitted, "in_bag_", None)
    if draws is None:
        message = f"a {type(fitted).__name__} does not tell"
        raise LookupError(message)
    _check_rows(len(draws), n_rows)
    return draws


def _check_rows(n_grown: int, n_rows: int) -> None:
    if n_grown != n_rows:
        message = f"the forest was fitted on {n_grown} rows, and {n_rows} are given"
        raise LookupError(message)


def _sklearn_draws(
    fitted: Any, forest: ForestArrays, ids: LeafIds
) -> NDArray[np.uint16]:
    """Draws of a bagging forest, if these are the rows that it was fitted on."""
    n_grown = getattr(fitted, "_n_samples", None)
    if n_grown is None or not hasattr(fitted, "estimators_samples_"):
        message = f"a {type(fitted).__name__} does not tell"
        raise LookupError(message)
    _check_rows(n_grown, len(ids))
    draws = np.empty(ids.shape, np.uint16, order="F")
    known = np.zeros(forest.n_leaves, np.int64)
    for tree, rows in enumerate(fitted.estimators_samples_):
        draws[:, tree] = np.bincount(rows, minlength=len(ids))
        inside = ids[draws[:, tree] > 0, tree]
        first, last = inside.min(), inside.max()
        known[first : last + 1] = np.bincount(inside - first)
    grown = np.concatenate([t.tree_.n_node_samples for t in fitted.estimators_])
    is_leaf = forest.leaf >= 0
    if not np.array_equal(known[forest.leaf[is_leaf]], grown[is_leaf]):
        message = (
            "the rows given are not those that the forest was fitted on, or come in "
            "another order"
        )
        raise LookupError(message)
    return draws
