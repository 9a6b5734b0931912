"""scikit-learn, and libraries whose forests hold its trees."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats, Ints
from latentforest.forest._adapters import in_double_precision, refuse_unknown_nodes
from latentforest.forest._facts import TreeFacts
from latentforest.forest._foreign._contract import ForeignForest
from latentforest.forest._foreign._trees import ForeignTrees, TreeParts, join_parts


class SklearnForest(ForeignForest):
    """A forest or tree of scikit-learn, or another estimator that holds its trees.

    Also gradient boosting, whose trees come stage by stage, bagged trees, quantile
    forests and balanced forests. Values are rounded to single precision.
    """

    def __init__(self, model: Any) -> None:
        self.title = f"this {type(model).__name__}"
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

    def facts(self, n_rows: int) -> TreeFacts:
        """Return what boosting tells of its trees."""
        del n_rows
        rate = getattr(self._model, "learning_rate", None)
        trees = [member.tree_ for member, _ in members(self._model)]
        if not isinstance(rate, (int, float)) or not hasattr(trees[0], "impurity"):
            return TreeFacts()
        gain = [
            float(
                tree.weighted_n_node_samples[0]
                * tree.compute_feature_importances(normalize=False).sum()
            )
            for tree in trees
        ]
        return TreeFacts(
            shrinkage=np.full(len(trees), float(rate)), gain=np.array(gain)
        )


def members(model: Any) -> list[tuple[Any, Ints]]:
    """Return the trees of a model, and which of its columns each has seen."""
    everything = np.arange(model.n_features_in_)
    if hasattr(model, "tree_"):
        return [(model, everything)]
    trees = list(np.asarray(model.estimators_, dtype=object).ravel())
    columns = getattr(model, "estimators_features_", None)
    chosen = columns or [everything] * len(trees)
    return [(tree, np.asarray(own)) for tree, own in zip(trees, chosen, strict=True)]


def holds_trees(model: Any) -> bool:
    """Whether a model is a tree of scikit-learn, or holds nothing but such trees."""
    if hasattr(model, "tree_"):
        return True
    parts = getattr(model, "estimators_", None)
    if parts is None or not hasattr(model, "n_features_in_"):
        return False
    trees = np.asarray(parts, dtype=object).ravel()
    return len(trees) > 0 and all(hasattr(tree, "tree_") for tree in trees)


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
