"""Treelite: models of many libraries in one format."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats
from latentforest.forest._adapters import in_double_precision
from latentforest.forest._facts import TreeFacts
from latentforest.forest._foreign._contract import ForeignForest, refuse
from latentforest.forest._foreign._trees import (
    CodeSet,
    ForeignTrees,
    TreeParts,
    join_parts,
)

SINGLE = "float32"


class TreeliteForest(ForeignForest):
    """A ``treelite.Model``; values are rounded to the type of its thresholds."""

    title = "this Treelite model"
    names = None

    def __init__(self, model: Any) -> None:
        self._model = model
        self._read = json.loads(model.dump_as_json(pretty_print=False))
        self._single = self._read["threshold_type"] == SINGLE
        self.n_columns = int(self._read["num_feature"])
        self.categories = {
            int(node["split_feature_id"]): None
            for tree in self._read["trees"]
            for node in tree["nodes"]
            if node.get("node_type") == "categorical_test_node"
        }

    def trees(self) -> ForeignTrees:
        """Read every tree from its list of nodes."""
        return join_parts([self._tree(tree["nodes"]) for tree in self._read["trees"]])

    def _tree(self, nodes: list[dict[str, Any]]) -> TreeParts:
        place = {node["node_id"]: number for number, node in enumerate(nodes)}
        sets: list[CodeSet] = []
        set_of = np.full(len(nodes), -1)
        threshold = np.full(len(nodes), np.nan)
        for number, node in enumerate(nodes):
            kind = node.get("node_type")
            if kind == "categorical_test_node":
                set_of[number] = len(sets)
                codes = np.array(node["category_list"], np.int64)
                sets.append(CodeSet(codes, not node["category_list_right_child"]))
            elif kind == "numerical_test_node":
                threshold[number] = self._threshold(node)
            elif "leaf_value" not in node and "leaf_vector" not in node:
                raise refuse(self.title, f"a node is a {kind!r}", "Please report it.")
        if self._single:
            threshold = in_double_precision(threshold)
        inner = np.array(["left_child" in node for node in nodes])
        return TreeParts(
            np.array(
                [place[n["left_child"]] if "left_child" in n else -1 for n in nodes]
            ),
            np.array(
                [place[n["right_child"]] if "left_child" in n else -1 for n in nodes]
            ),
            np.array([n.get("split_feature_id", -1) for n in nodes]),
            threshold,
            np.array([bool(n.get("default_left")) for n in nodes]),
            set_of,
            sets,
            np.where(inner, -1, [node["node_id"] for node in nodes]),
        )

    def _threshold(self, node: dict[str, Any]) -> float:
        dtype = np.float32 if self._single else np.float64
        threshold, rule = dtype(node["threshold"]), node["comparison_op"]
        if rule == "<":
            return float(np.nextafter(threshold, dtype(-np.inf)))
        if rule != "<=":
            raise refuse(
                self.title, f"it compares by {rule!r}", "Only '<' and '<=' are known."
            )
        return float(threshold)

    def leaves(self, features: Floats) -> NDArray[np.integer[Any]]:
        """Call ``gtil.predict_leaf``."""
        import treelite  # noqa: PLC0415

        dtype = np.float32 if self._single else np.float64
        found = treelite.gtil.predict_leaf(self._model, features.astype(dtype))
        return np.asarray(found).reshape(len(features), -1).astype(np.int64)

    def facts(self, n_rows: int) -> TreeFacts:
        """Return the gain of each tree, where the model has kept it."""
        del n_rows
        gains = [
            sum(node.get("gain", np.nan) for node in tree["nodes"] if "gain" in node)
            for tree in self._read["trees"]
        ]
        has_gain = any(
            "gain" in n for tree in self._read["trees"] for n in tree["nodes"]
        )
        return TreeFacts(gain=np.array(gains, np.float64) if has_gain else None)
