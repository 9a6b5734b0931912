"""Treelite: models of many libraries in one format."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats
from latentforest.forest._facts import TreeFacts
from latentforest.forest._foreign._contract import ForeignForest, refuse
from latentforest.forest._foreign._precision import in_double_precision
from latentforest.forest._foreign._trees import (
    CodeSet,
    ForeignTrees,
    TreeParts,
    join_parts,
)

LEAF, NUMBER, LEVELS = 0, 1, 2  # sorts of nodes
LESS, AT_MOST = 2, 3  # comparisons
FIELDS = (
    "node_type",
    "cleft",
    "cright",
    "split_index",
    "default_left",
    "threshold",
    "cmp",
    "category_list",
    "category_list_begin",
    "category_list_end",
    "category_list_right_child",
    "gain",
    "gain_present",
)


class TreeliteForest(ForeignForest):
    """A ``treelite.Model``; values are rounded to the type of its thresholds."""

    title = "this Treelite model"
    names = None

    def __init__(self, model: Any) -> None:
        self._model = model
        self.n_columns = int(model.num_feature)
        # Not by its JSON, which leaves infinite thresholds out.
        self._trees = [
            {name: np.asarray(tree.get_field(name)) for name in FIELDS}
            for tree in map(model.get_tree_accessor, range(model.num_tree))
        ]
        self._dtype = self._trees[0]["threshold"].dtype
        by_levels = [
            tree["split_index"][tree["node_type"] == LEVELS] for tree in self._trees
        ]
        self.categories = dict.fromkeys(np.unique(np.concatenate(by_levels)).tolist())

    def trees(self) -> ForeignTrees:
        """Read every tree from its arrays."""
        return join_parts([self._tree(tree) for tree in self._trees])

    def _tree(self, tree: dict[str, NDArray[Any]]) -> TreeParts:
        sort, rule, threshold = tree["node_type"], tree["cmp"], tree["threshold"]
        is_number = sort == NUMBER
        unknown = is_number & ~np.isin(rule, (LESS, AT_MOST))
        if unknown.any() or not np.isin(sort, (LEAF, NUMBER, LEVELS)).all():
            raise refuse(
                self.title,
                "it has nodes of a sort, or comparisons, that are not known here",
                "Only '<' and '<=' are.",
            )
        below = np.nextafter(threshold, self._dtype.type(-np.inf))
        cut = np.where(rule == LESS, below, threshold).astype(np.float64)
        if self._dtype == np.float32:
            cut = in_double_precision(cut)
        at = np.flatnonzero(sort == LEVELS)
        set_of = np.full(len(sort), -1)
        set_of[at] = np.arange(len(at))
        begin, end = tree["category_list_begin"], tree["category_list_end"]
        return TreeParts(
            np.where(sort == LEAF, -1, tree["cleft"]),
            np.where(sort == LEAF, -1, tree["cright"]),
            np.where(sort == LEAF, -1, tree["split_index"]),
            np.where(is_number, cut, np.nan),
            tree["default_left"].astype(bool),
            set_of,
            [
                CodeSet(
                    tree["category_list"][begin[node] : end[node]].astype(np.int64),
                    go_left=not tree["category_list_right_child"][node],
                )
                for node in at
            ],
            np.where(sort == LEAF, np.arange(len(sort)), -1),
        )

    def leaves(self, features: Floats) -> NDArray[np.integer[Any]]:
        """Call ``gtil.predict_leaf``."""
        import treelite  # noqa: PLC0415

        found = treelite.gtil.predict_leaf(self._model, features.astype(self._dtype))
        return np.asarray(found).reshape(len(features), -1).astype(np.int64)

    def facts(self) -> TreeFacts:
        """Return the gain of each tree, where the model has kept it."""
        if not any(tree["gain_present"].any() for tree in self._trees):
            return TreeFacts()
        return TreeFacts(gain=np.array([tree["gain"].sum() for tree in self._trees]))
