"""scikit-learn's histogram gradient boosting, whose trees split sets of categories."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats
from latentforest.forest._facts import TreeFacts
from latentforest.forest._foreign._contract import ForeignForest, refuse
from latentforest.forest._foreign._trees import (
    CodeSet,
    ForeignTrees,
    TreeParts,
    join_parts,
)

FIELDS = {
    "feature_idx",
    "num_threshold",
    "missing_go_to_left",
    "left",
    "right",
    "is_leaf",
    "is_categorical",
    "bitset_idx",
    "gain",
    "value",
}


class HistogramForest(ForeignForest):
    """A ``HistGradientBoosting*``; ``value <= threshold`` in double precision.

    Categories come before numbers in its own order of the columns. Those it has not
    seen, and those that its bins do not know, go the way of missing cells.
    """

    unknown_is_missing = True

    def __init__(self, model: Any) -> None:
        self.title = f"this {type(model).__name__}"
        self._model = model
        self.n_columns = int(model.n_features_in_)
        names = getattr(model, "feature_names_in_", None)
        self.names = None if names is None else tuple(map(str, names))
        self._predictors = [tree for stage in model._predictors for tree in stage]
        if not set(self._predictors[0].nodes.dtype.names) >= FIELDS:
            raise refuse(self.title, "its layout is not known", "Please report it.")
        is_category = np.zeros(self.n_columns, bool)
        if model.is_categorical_ is not None:
            is_category = np.asarray(model.is_categorical_, bool)
        # Its own order: categories first.
        self._order = np.argsort(~is_category, kind="stable")
        if model._preprocessor is None:
            self._order = np.arange(self.n_columns)
        self.categories = {}
        if is_category.any():
            encoder = model._preprocessor.named_transformers_["encoder"]
            for column, values in zip(
                np.flatnonzero(is_category), encoder.categories_, strict=True
            ):
                known = [v for v in values if v is not None and not _is_nan(v)]
                self.categories[int(column)] = tuple(known)

    def trees(self) -> ForeignTrees:
        """Read every tree from its table of nodes."""
        return join_parts([self._tree(tree) for tree in self._predictors])

    def _tree(self, predictor: Any) -> TreeParts:
        nodes = predictor.nodes
        is_leaf = nodes["is_leaf"].astype(bool)
        is_set = nodes["is_categorical"].astype(bool) & ~is_leaf
        sets = []
        for number in nodes["bitset_idx"][is_set]:
            words = np.ascontiguousarray(predictor.raw_left_cat_bitsets[number], "<u4")
            bits = np.unpackbits(words.view(np.uint8), bitorder="little")
            sets.append(CodeSet(np.flatnonzero(bits), go_left=True))
        return TreeParts(
            np.where(is_leaf, -1, nodes["left"].astype(np.int32)),
            np.where(is_leaf, -1, nodes["right"].astype(np.int32)),
            np.where(
                is_leaf, -1, self._order[np.where(is_leaf, 0, nodes["feature_idx"])]
            ),
            np.where(is_leaf | is_set, np.nan, nodes["num_threshold"]),
            nodes["missing_go_to_left"].astype(bool) & ~is_leaf,
            np.where(is_set, np.cumsum(is_set) - 1, -1),
            sets,
            np.where(is_leaf, np.arange(len(nodes)), -1),
        )

    def leaves(self, features: Floats) -> NDArray[np.integer[Any]]:
        """Send rows down its own trees, whose leaves are given numbers for values."""
        rows = np.ascontiguousarray(features[:, self._order])
        known, place = self._model._bin_mapper.make_known_categories_bitsets()
        found = np.empty((len(rows), len(self._predictors)), np.int64)
        for number, predictor in enumerate(self._predictors):
            nodes = predictor.nodes.copy()
            nodes["value"] = np.arange(len(nodes))
            numbered = type(predictor)(
                nodes, predictor.binned_left_cat_bitsets, predictor.raw_left_cat_bitsets
            )
            found[:, number] = numbered.predict(rows, known, place, 1)
        return found

    def facts(self) -> TreeFacts:
        """Return learning rate and gains."""
        gain = [
            float(tree.nodes["gain"][tree.nodes["is_leaf"] == 0].sum())
            for tree in self._predictors
        ]
        rate = float(self._model.learning_rate)
        return TreeFacts(shrinkage=np.full(len(gain), rate), gain=np.array(gain))


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and np.isnan(value)
