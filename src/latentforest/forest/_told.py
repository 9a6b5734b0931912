"""What fitted forests tell of their trees: the rows they were grown on, their gain."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats, LeafIds
from latentforest.forest._base_forest import BaseForest
from latentforest.forest._facts import TreeFacts
from latentforest.trees import ForestArrays

# Trees of others split at random, by no loss.
GAINING = ("RandomForest", "ExtraTree", "DecisionTree")


def told_by(
    fitted: Any, forest: ForestArrays, ids: LeafIds, *, bags: bool
) -> TreeFacts:
    """Ask a fitted forest for what it knows of its trees.

    Which rows each tree was grown on takes long to find out, and is asked for only with
    ``bags``.
    """
    fitted = fitted.steps[-1][1] if hasattr(fitted, "steps") else fitted
    in_bag, untold = None, ""
    if bags:
        try:
            in_bag = (
                _own_draws(fitted, len(ids))
                if isinstance(fitted, BaseForest)
                else _sklearn_draws(fitted, forest, ids)
            )
        except LookupError as reason:
            untold = str(reason.args[0])
    gain = None if isinstance(fitted, BaseForest) else _sklearn_gain(fitted)
    return TreeFacts(in_bag, gain=gain, untold=untold)


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


def _sklearn_gain(fitted: Any) -> Floats | None:
    """Tell what the splits of each tree take from the impurity; not of random trees."""
    if not type(fitted).__name__.startswith(GAINING):
        return None
    members = getattr(fitted, "estimators_", [fitted])
    return np.array([_gain(member.tree_) for member in members])


def _gain(tree: Any) -> float:
    impure = tree.weighted_n_node_samples * tree.impurity
    inner = tree.children_left >= 0
    below = impure[tree.children_left[inner]] + impure[tree.children_right[inner]]
    return float((impure[inner] - below).sum() / tree.weighted_n_node_samples[0])
