"""What trees count in the kernel, from what a user says."""

from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from latentforest._base._checks import check_integer, check_option
from latentforest._base._types import Floats
from latentforest.forest import GrownForest
from latentforest.kernel import tree_factors

TreeWeights: TypeAlias = str | int | ArrayLike | None

NAMES = ("equal", "shrinkage", "gain")
TELLERS = {
    "shrinkage": "gradient boosting does: its learning rate, tree by tree",
    "gain": "LightGBM, XGBoost and scikit-learn's forests with a target do",
}


def check_tree_weights(tree_weights: Any) -> None:
    """Refuse what can be no weights of trees, before anything is grown."""
    if tree_weights is None:
        return
    if isinstance(tree_weights, str):
        check_option("tree_weights", tree_weights, NAMES)
    elif isinstance(tree_weights, Integral):
        check_integer("tree_weights", tree_weights, minimum=1)
    else:
        given = np.asarray(tree_weights, dtype=np.float64)
        tree_factors(given, given.size)


def resolve_tree_weights(tree_weights: Any, grown: GrownForest) -> Floats | None:
    """Return a number for each tree, as it was told; None where all are alike."""
    check_tree_weights(tree_weights)
    n_trees = grown.forest.n_trees
    if tree_weights is None or isinstance(tree_weights, str):
        weights = _told(tree_weights or "equal", grown)
    elif isinstance(tree_weights, Integral):
        n_first = check_integer(
            "tree_weights", tree_weights, minimum=1, maximum=n_trees
        )
        weights = (np.arange(n_trees) < n_first).astype(np.float64)
    else:
        weights = np.array(tree_weights, dtype=np.float64)
    return None if tree_factors(weights, n_trees) is None else weights


def _told(name: str, grown: GrownForest) -> Floats | None:
    if name == "equal":
        return None
    facts = grown.facts
    weights = facts.shrinkage if name == "shrinkage" else facts.gain
    if weights is None:
        message = (
            f"tree_weights={name!r}: this forest does not tell the {name} of its "
            f"trees; {TELLERS[name]}. Give weights as an array, or leave them equal."
        )
        raise ValueError(message)
    return np.maximum(weights, 0.0)
