"""LightGBM: boosters and the estimators around them, from the text of the model."""

from collections.abc import Iterator
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
from latentforest.table import ColumnKind, Storage, TableSchema

IS_CATEGORY, DEFAULT_LEFT = 1, 2  # bits of a split's decision type
ZERO = np.float64(np.float32(1e-35))  # what is nearer to zero counts as zero
MISSING_IS_ZERO, MISSING_IS_NAN = 1, 2  # its missing type; 0: NaN counts as zero


class LightGBMForest(ForeignForest):
    """A ``Booster``, or an ``LGBMModel`` that holds one.

    Values are compared in double precision, ``value <= threshold``; those within 1e-35
    of zero count as zero.
    """

    title = "this LightGBM model"

    def __init__(self, model: Any) -> None:
        self._booster = getattr(model, "booster_", model)
        best = self._booster.best_iteration
        text = self._booster.model_to_string(num_iteration=best if best > 0 else -1)
        head, *trees = text.partition("\nend of trees")[0].split("\nTree=")
        self._trees = [dict(_fields(tree)) for tree in trees]
        self.names = tuple(self._booster.feature_name())
        self.n_columns = len(self.names)
        infos = dict(_fields(head))["feature_infos"].split(" ")
        listed = [c for c, info in enumerate(infos) if _is_category(info)]
        self.categories = dict.fromkeys(listed)
        self._ordered: dict[int, tuple[Any, ...]] = {}

    def look_at(self, schema: TableSchema) -> dict[int, ColumnKind]:
        """Match the lists of categories with the columns that pandas calls so.

        Those with an order are numbers to LightGBM: the places of their levels.
        """
        declared = [
            number
            for number, column in enumerate(schema.columns)
            if column.storage is Storage.dictionary
        ]
        lists = self._booster.pandas_categorical or []
        if len(declared) != len(lists) == len(self.categories):
            declared = sorted(self.categories)  # of another library than pandas
        if lists and len(lists) != len(declared):
            raise refuse(
                self.title,
                f"it was fitted on {len(lists)} columns of categories, and the table "
                f"has {len(declared)}",
                "Pass the table it was fitted on.",
            )
        for number, values in zip(declared, lists, strict=False):
            if schema.columns[number].kind is not ColumnKind.ordered:
                self.categories[number] = tuple(values)
            elif schema.columns[number].levels == tuple(values):
                self._ordered[number] = tuple(values)
            else:
                self.categories[number] = tuple(values)
        kinds = super().look_at(schema)
        return {n: kind for n, kind in kinds.items() if n not in self._ordered}

    def accepts(self, number: int, kind: ColumnKind) -> bool:
        """Whether a column may be of a kind; ordered ones are numbers here."""
        return number in self._ordered or super().accepts(number, kind)

    def as_named(self, name: str) -> str:
        """Return a name without blanks, which LightGBM replaces."""
        return name.replace(" ", "_")

    def trees(self) -> ForeignTrees:
        """Read every tree from the arrays of the text."""
        return join_parts([self._tree(fields) for fields in self._trees])

    def _tree(self, fields: dict[str, str]) -> TreeParts:
        n_leaves = int(fields["num_leaves"])
        if fields.get("is_linear", "0") != "0":
            raise refuse(
                self.title,
                "its leaves hold linear models",
                "Fit it with linear_tree=False.",
            )
        n_inner = n_leaves - 1
        split = {
            name: _integers(fields.get(name, ""))
            for name in ("split_feature", "decision_type", "left_child", "right_child")
        }
        threshold = np.array(fields.get("threshold", "").split(), np.float64)
        kind = split["decision_type"]
        if len(kind) != n_inner:
            raise refuse(self.title, "its layout is not known", "Please report it.")
        is_set = (kind & IS_CATEGORY) > 0
        default_left, missing = (kind & DEFAULT_LEFT) > 0, (kind >> 2) & 3
        as_zero = threshold >= 0
        odd = ~is_set & (missing == MISSING_IS_ZERO) & (default_left != as_zero)
        if odd.any():
            raise refuse(
                self.title,
                "it sends zeros another way than small numbers (zero_as_missing)",
                "Fit it with zero_as_missing=False, and NaN for missing cells.",
            )
        by_nan = np.where(missing == MISSING_IS_NAN, default_left, as_zero)

        def padded(values: NDArray[Any], fill: Any) -> NDArray[Any]:
            return np.concatenate([values, np.full(n_leaves, fill, values.dtype)])

        def child(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
            return np.where(numbers >= 0, numbers, n_inner + ~numbers)

        return TreeParts(
            padded(child(split["left_child"]), -1),
            padded(child(split["right_child"]), -1),
            padded(split["split_feature"], -1),
            padded(_beside_zero(threshold), np.nan),
            padded(by_nan & ~is_set, fill=False),
            padded(np.where(is_set, np.cumsum(is_set) - 1, -1), -1),
            list(_sets(fields, threshold[is_set].astype(np.int64))),
            np.concatenate([np.full(n_inner, -1), np.arange(n_leaves)]),
        )

    def leaves(self, features: Floats) -> NDArray[np.integer[Any]]:
        """Call ``predict(pred_leaf=True)``."""
        found = np.asarray(self._booster.predict(features, pred_leaf=True))
        return found.reshape(len(features), -1).astype(np.int64)

    def facts(self) -> TreeFacts:
        """Return shrinkage and gain of each tree."""
        gains = [
            np.array(fields.get("split_gain", "").split(), np.float64).sum()
            for fields in self._trees
        ]
        shrinkage = [float(fields.get("shrinkage", 1)) for fields in self._trees]
        return TreeFacts(shrinkage=np.array(shrinkage), gain=np.array(gains))


def _fields(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, is_field, value = line.partition("=")
        if is_field:
            yield name, value


def _integers(text: str) -> NDArray[np.int64]:
    return np.array(text.split(), np.int64)


def _is_category(info: str) -> bool:
    """Whether a column's values are listed, as those of categories are."""
    return info != "none" and not info.startswith("[")


def _beside_zero(threshold: Floats) -> Floats:
    """Move thresholds among the numbers that count as zero to their edge."""
    edge = np.where(threshold >= 0, ZERO, np.nextafter(-ZERO, -np.inf))
    return np.where(np.abs(threshold) <= ZERO, edge, threshold)


def _sets(fields: dict[str, str], which: NDArray[np.int64]) -> Iterator[CodeSet]:
    bounds = _integers(fields.get("cat_boundaries", ""))
    words = np.array(fields.get("cat_threshold", "").split(), np.uint64)
    for number in which:
        own = words[bounds[number] : bounds[number + 1]].astype("<u4")
        bits = np.unpackbits(own.view(np.uint8), bitorder="little")
        yield CodeSet(np.flatnonzero(bits), go_left=True)
