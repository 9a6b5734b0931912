"""scikit-learn, and libraries whose forests hold its trees."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from latentforest._base._types import Floats, Ints
from latentforest.forest._facts import TreeFacts
from latentforest.forest._foreign._contract import ForeignForest
from latentforest.forest._foreign._precision import in_double_precision
from latentforest.forest._foreign._trees import ForeignTrees, TreeParts, join_parts
from latentforest.trees import ForestArrays

NODE_FIELDS = {
    "left_child",
    "right_child",
    "feature",
    "threshold",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "missing_go_to_left",
}

# Trees of others split at random, by no loss.
GAINING = ("RandomForest", "ExtraTree", "DecisionTree", "GradientBoosting")


class SklearnForest(ForeignForest):
    """A forest or tree of scikit-learn, or another estimator that holds its trees.

    Also gradient boosting, whose trees come stage by stage, bagged trees, quantile
    forests and balanced forests. Values are rounded to single precision.
    """

    def __init__(self, model: Any) -> None:
        self.title = f"this {type(model).__name__}"
        if not holds_trees(model):
            message = (
                f"cannot read the trees of a {type(model).__name__}. Give a fitted "
                "forest, gradient boosting, or a tree of scikit-learn."
            )
            raise TypeError(message)
        self._model = model
        self.n_columns = int(model.n_features_in_)
        names = getattr(model, "feature_names_in_", None)
        self.names = None if names is None else tuple(map(str, names))
        self.categories = {}

    def trees(self) -> ForeignTrees:
        """Read every tree from its arrays."""
        return join_parts(
            [_tree(member.tree_, columns) for member, columns in members(self._model)]
        )

    def leaves(self, features: Floats) -> NDArray[np.integer[Any]]:
        """Ask each tree for its ``apply``."""
        single = features.astype(np.float32)
        found = [
            member.tree_.apply(np.ascontiguousarray(single[:, columns]))
            for member, columns in members(self._model)
        ]
        return np.stack(found, axis=1)

    def facts(self) -> TreeFacts:
        """Return the gain of trees with a target, and the learning rate of boosting."""
        gains = type(self._model).__name__.startswith(GAINING)
        if not gains:
            return TreeFacts()
        gain = np.array([_gain(member.tree_) for member, _ in members(self._model)])
        rate = getattr(self._model, "learning_rate", None)
        shrinkage = None if rate is None else np.full(len(gain), float(rate))
        return TreeFacts(shrinkage=shrinkage, gain=gain)


def from_sklearn(estimator: Any) -> ForestArrays:
    """Read a fitted scikit-learn forest, or a single tree, into flat arrays.

    Nodes keep their numbers, so routing equals the estimator's own ``apply``, also
    for values equal to a threshold or that only single precision tells apart.

    Parameters
    ----------
    estimator : fitted scikit-learn estimator
        RandomForest*, ExtraTrees*, RandomTreesEmbedding, IsolationForest,
        GradientBoosting*, bagged trees, DecisionTree* or ExtraTree*.

    Returns
    -------
    ForestArrays

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from latentforest.forest import from_sklearn
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(20, random_state=0).fit(X, y)
    >>> bool((from_sklearn(model).route(X) == model.apply(X)).all())
    True
    """
    if is_ensemble(estimator):
        check_is_fitted(estimator)
    forest = SklearnForest(estimator)
    return forest.trees().with_levels({}, np.zeros(forest.n_columns, np.int32))


def is_ensemble(model: Any) -> bool:
    """Whether a model is an ensemble or tree of scikit-learn, fitted or not."""
    from sklearn.ensemble import BaseEnsemble  # noqa: PLC0415
    from sklearn.tree import BaseDecisionTree  # noqa: PLC0415

    return isinstance(model, (BaseEnsemble, BaseDecisionTree))


def members(model: Any) -> list[tuple[Any, Ints]]:
    """Return the trees of a model, and which of its columns each has seen."""
    everything = np.arange(model.n_features_in_)
    if hasattr(model, "tree_"):
        return [(model, everything)]
    trees = _parts(model)
    columns = getattr(model, "estimators_features_", None)
    chosen = columns or [everything] * len(trees)
    return [(tree, np.asarray(own)) for tree, own in zip(trees, chosen, strict=True)]


def holds_trees(model: Any) -> bool:
    """Whether a model is a tree of scikit-learn, or holds nothing but such trees."""
    if hasattr(model, "tree_"):
        return True
    if not hasattr(model, "estimators_") or not hasattr(model, "n_features_in_"):
        return False
    trees = _parts(model)
    return len(trees) > 0 and all(hasattr(tree, "tree_") for tree in trees)


def _parts(model: Any) -> list[Any]:
    """Return the members of an ensemble; those of boosting stage by stage."""
    parts = model.estimators_
    return list(parts.ravel()) if isinstance(parts, np.ndarray) else list(parts)


def refuse_unknown_nodes(tree: Any) -> None:
    """Refuse a tree whose nodes hold more than is known here, as sets of levels."""
    nodes = tree.__getstate__()["nodes"]
    others = [name for name in nodes.dtype.names if name not in NODE_FIELDS]
    used = [n for n in others if np.ascontiguousarray(nodes[n]).view(np.uint8).any()]
    if used or not set(nodes.dtype.names) >= NODE_FIELDS:
        message = (
            "this scikit-learn forest cannot be read exactly: its nodes have a layout "
            f"that is not known here ({', '.join(used) or 'fields are missing'}), as "
            "those that split on categories natively. Encode the categories as numbers "
            "before fitting it."
        )
        raise TypeError(message)


def _tree(tree: Any, columns: Ints) -> TreeParts:
    refuse_unknown_nodes(tree)
    is_leaf = tree.children_left < 0
    n_nodes = len(is_leaf)
    feature = columns[np.where(is_leaf, 0, tree.feature)]
    return TreeParts(
        np.where(is_leaf, -1, tree.children_left),
        np.where(is_leaf, -1, tree.children_right),
        np.where(is_leaf, -1, feature),
        np.where(is_leaf, np.nan, in_double_precision(tree.threshold)),
        tree.missing_go_to_left.astype(bool) & ~is_leaf,
        np.full(n_nodes, -1),
        [],
        np.where(is_leaf, np.arange(n_nodes), -1),
    )


def _gain(tree: Any) -> float:
    impure = tree.weighted_n_node_samples * tree.impurity
    inner = tree.children_left >= 0
    below = impure[tree.children_left[inner]] + impure[tree.children_right[inner]]
    return float((impure[inner] - below).sum() / tree.weighted_n_node_samples[0])
