"""XGBoost: boosters and the estimators around them, from the JSON of the model."""

import json
from itertools import pairwise
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

CATEGORY = "c"  # the type of a column that is split by sets


class XGBoostForest(ForeignForest):
    """A ``Booster``, or an ``XGBModel`` that holds one.

    Values are rounded to single precision and compared by ``value < threshold``, which
    is ``value <=`` the single before it. Categories that a split names go right.
    """

    title = "this XGBoost model"

    def __init__(self, model: Any) -> None:
        self._booster = model.get_booster() if hasattr(model, "get_booster") else model
        missing = getattr(model, "missing", np.nan)
        if missing is not None and not np.isnan(missing):
            raise refuse(
                self.title,
                f"it takes {missing} for a missing cell",
                "Fit it with missing=nan.",
            )
        learner = json.loads(bytes(self._booster.save_raw("json")))["learner"]
        booster = learner["gradient_booster"]
        if booster["name"] not in ("gbtree", "dart"):
            raise refuse(
                self.title, f"booster={booster['name']!r} has no trees", "Fit trees."
            )
        inner = booster["gbtree"] if booster["name"] == "dart" else booster
        self._weights = booster.get("weight_drop")
        best = self._booster.attributes().get("best_iteration")
        self._range = (0, int(best) + 1) if best is not None else (0, 0)
        ends = inner["model"]["iteration_indptr"]
        end = ends[self._range[1]] if best is not None else len(inner["model"]["trees"])
        self._trees = inner["model"]["trees"][:end]
        self.n_columns = int(self._booster.num_features())
        self.names = tuple(self._booster.feature_names or ()) or None
        types = self._booster.feature_types or []
        values = _categories(inner["model"].get("cats"), self.n_columns)
        self.categories = {
            column: values[column]
            for column, kind in enumerate(types)
            if kind == CATEGORY
        }

    def trees(self) -> ForeignTrees:
        """Read every tree from its arrays."""
        return join_parts([_tree(tree) for tree in self._trees])

    def leaves(self, features: Floats) -> NDArray[np.integer[Any]]:
        """Call ``predict(pred_leaf=True)``."""
        import xgboost  # noqa: PLC0415

        matrix = xgboost.DMatrix(
            features,
            feature_names=self._booster.feature_names,
            feature_types=self._booster.feature_types,
            enable_categorical=True,
        )
        found = self._booster.predict(
            matrix, pred_leaf=True, iteration_range=self._range
        )
        return np.asarray(found).reshape(len(features), -1).astype(np.int64)

    def facts(self) -> TreeFacts:
        """Return the gain of each tree, and, of a dart, its weight."""
        gains = [sum(tree["loss_changes"]) for tree in self._trees]
        weights = self._weights and np.array(self._weights[: len(gains)], np.float64)
        return TreeFacts(
            shrinkage=np.ones(len(gains)) if weights is None else weights,
            gain=np.array(gains, np.float64),
        )


def _tree(tree: dict[str, Any]) -> TreeParts:
    left = np.array(tree["left_children"], np.int32)
    n_nodes, is_leaf = len(left), left < 0
    set_of = np.full(n_nodes, -1, np.int32)
    set_of[tree["categories_nodes"]] = np.arange(len(tree["categories_nodes"]))
    codes = np.array(tree["categories"], np.int64)
    sets = [
        CodeSet(codes[start : start + size], go_left=False)
        for start, size in zip(
            tree["categories_segments"], tree["categories_sizes"], strict=True
        )
    ]
    threshold = np.array(tree["split_conditions"], np.float32)
    below = np.nextafter(threshold, np.float32(-np.inf)).astype(np.float64)
    return TreeParts(
        left,
        np.where(is_leaf, -1, tree["right_children"]),
        np.where(is_leaf, -1, tree["split_indices"]),
        np.where(is_leaf | (set_of >= 0), np.nan, in_double_precision(below)),
        np.array(tree["default_left"], bool) & ~is_leaf,
        set_of,
        sets,
        np.where(is_leaf, np.arange(n_nodes), -1),
    )


def _categories(found: Any, n_columns: int) -> list[tuple[Any, ...] | None]:
    """Return the values of each column's categories; None: numbers, or not told."""
    encoded = (found or {}).get("enc") or [{}] * n_columns
    return [_values(column) for column in encoded]


def _values(column: dict[str, Any]) -> tuple[Any, ...] | None:
    values = column.get("values") or []
    if "offsets" not in column:
        return tuple(values) or None
    text, ends = bytes(v % 256 for v in values), column["offsets"]
    words = [text[a:b].decode() for a, b in pairwise(ends)]
    return tuple(words) or None
