"""Read fitted scikit-learn forests; the only place that looks inside their trees."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from latentforest._base._types import Floats, Ints
from latentforest.trees import ForestArrays, Tree, join_trees


def _forests() -> tuple[type, ...]:
    """Return the forests we can read; their import takes long, so it waits for use."""
    from sklearn import ensemble  # noqa: PLC0415

    return (
        ensemble.RandomForestClassifier,
        ensemble.RandomForestRegressor,
        ensemble.ExtraTreesClassifier,
        ensemble.ExtraTreesRegressor,
        ensemble.RandomTreesEmbedding,
        ensemble.IsolationForest,
    )


def _trees() -> tuple[type, ...]:
    """Return the single trees we can read."""
    from sklearn import tree  # noqa: PLC0415

    return (tree.DecisionTreeClassifier, tree.DecisionTreeRegressor)


def is_readable(estimator: Any) -> bool:
    """Whether `from_sklearn` knows this kind of estimator."""
    return isinstance(estimator, _forests() + _trees())


def from_sklearn(estimator: Any) -> ForestArrays:
    """Read a fitted scikit-learn forest, or a single tree, into flat arrays.

    Nodes keep their numbers, so routing equals the estimator's own ``apply``, also
    for values equal to a threshold or that only single precision tells apart.

    Parameters
    ----------
    estimator : fitted scikit-learn estimator
        RandomForest*, ExtraTrees*, RandomTreesEmbedding, IsolationForest,
        DecisionTree* or ExtraTree*.

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
    if not is_readable(estimator):
        names = ", ".join(kind.__name__ for kind in _forests() + _trees())
        message = (
            f"cannot read the trees of a {type(estimator).__name__}. "
            f"Give a fitted {names}."
        )
        raise TypeError(message)
    check_is_fitted(estimator)
    n_columns = estimator.n_features_in_
    everything = np.arange(n_columns, dtype=np.int32)
    members: list[Any] = [estimator]
    if not isinstance(estimator, _trees()):
        members = list(estimator.estimators_)
    chosen_columns = getattr(estimator, "estimators_features_", None)
    columns = list(chosen_columns or [everything] * len(members))
    trees = [
        _read_tree(member.tree_, chosen)
        for member, chosen in zip(members, columns, strict=True)
    ]
    return join_trees(trees, np.zeros(n_columns, np.int32))


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


def _read_tree(tree: Any, columns: Ints) -> Tree:
    """One tree; ``columns`` maps its features to those of the forest."""
    refuse_unknown_nodes(tree)
    is_leaf = tree.children_left < 0
    n_nodes = len(is_leaf)
    return Tree(
        left=np.where(is_leaf, -1, tree.children_left).astype(np.int32),
        right=np.where(is_leaf, -1, tree.children_right).astype(np.int32),
        feature=np.where(
            is_leaf, -1, np.asarray(columns)[np.where(is_leaf, 0, tree.feature)]
        ).astype(np.int32),
        threshold=np.where(is_leaf, np.nan, in_double_precision(tree.threshold)),
        cut=np.full(n_nodes, -1, np.int32),
        missing_left=tree.missing_go_to_left.astype(bool),
        category=np.full(n_nodes, -1, np.int64),
        words=np.empty(0, np.uint32),
        sums=np.empty((n_nodes, 0)),
        leaf_of=np.empty(0, np.int32),
    )


def in_double_precision(threshold: Floats) -> Floats:
    """Move thresholds so that ``x <= t`` in doubles says what scikit-learn says.

    scikit-learn rounds x to single precision first. With f the largest single not
    above t, x goes left exactly if it rounds to f or below: up to the point halfway
    to the next single, that point included if f is even (ties round to even).
    An infinite threshold tells missing from known cells and stays as it is.
    """
    moved = threshold.copy()
    finite = np.isfinite(threshold)
    threshold = threshold[finite]
    single = threshold.astype(np.float32)
    single = np.where(
        single > threshold, np.nextafter(single, np.float32(-np.inf)), single
    )
    above = np.nextafter(single, np.float32(np.inf))
    half = single.astype(np.float64) + (above.astype(np.float64) - single) / 2
    rounds_up = half.astype(np.float32) > single
    moved[finite] = np.where(rounds_up, np.nextafter(half, -np.inf), half)
    return moved
