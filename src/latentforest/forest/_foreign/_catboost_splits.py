"""Splits and trees of CatBoost, from the JSON of a model."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools
from latentforest.forest._foreign._contract import refuse
from latentforest.forest._foreign._precision import in_double_precision
from latentforest.forest._foreign._trees import CodeSet, TreeParts

NUMBER, ONE_LEVEL, STATISTIC = "FloatFeature", "OneHotFeature", "OnlineCtr"
NAN_IS_LARGE = "AsTrue"


class Split(NamedTuple):
    """A question of a tree; what answers it with no goes left."""

    feature: int
    border: float = np.nan
    missing_left: bool = True
    codes: CodeSet | None = None


class Splits:
    """What the questions of a model ask, in columns and levels of the table.

    Parameters
    ----------
    title : str
        What messages call the model.
    info : dict
        ``features_info`` of the model.
    categories : dict
        Values of the levels, by column.
    answers : callable
        From a column to the leaves, in each tree, of rows with each of its levels, and
        of one with a level that the model does not know.
    """

    def __init__(
        self,
        title: str,
        info: dict[str, Any],
        categories: dict[int, tuple[Any, ...] | None],
        answers: Callable[[int], NDArray[np.integer[Any]]],
    ) -> None:
        numbers = info.get("float_features") or []
        levels = info.get("categorical_features") or []
        self._title, self._categories, self._answers = title, categories, answers
        self._known: dict[int, NDArray[np.integer[Any]]] = {}
        self._number = {f["feature_index"]: f["flat_feature_index"] for f in numbers}
        self._nan_left = {
            f["feature_index"]: f["nan_value_treatment"] != NAN_IS_LARGE
            for f in numbers
        }
        self._level = {f["feature_index"]: f["flat_feature_index"] for f in levels}
        self._word = {
            int(entry["hash"]) % 2**32: entry["value"]
            for entry in info.get("cat_features_hash") or []
        }
        # Questions are counted through: borders of numbers, single levels, statistics.
        before = sum(len(f["borders"] or ()) for f in numbers)
        before += sum(len(f.get("values") or ()) for f in levels)
        self._elements: dict[int, list[dict[str, Any]]] = {}
        for statistic in info.get("ctrs") or []:
            for _ in statistic["borders"]:
                self._elements[before] = statistic["elements"]
                before += 1

    def of_tree(self, tree: int, found: Sequence[dict[str, Any]]) -> list[Split]:
        """Return the questions of a tree that asks one on each level."""
        return [
            self._statistic(split, tree, place)
            if split["split_type"] == STATISTIC
            else self.of_node(split)
            for place, split in enumerate(found)
        ]

    def of_node(self, found: dict[str, Any]) -> Split:
        """Return a question about a number or a single level."""
        if found["split_type"] == NUMBER:
            number = found["float_feature_index"]
            border = float(np.float32(found["border"]))
            return Split(self._number[number], border, self._nan_left[number])
        if found["split_type"] != ONE_LEVEL:
            raise refuse(
                self._title,
                "its trees are not symmetric, and split on statistics of categories",
                "Fit it with grow_policy='SymmetricTree', or with one_hot_max_size as "
                "large as the largest number of levels.",
            )
        column = self._level[found["cat_feature_index"]]
        known = self._categories[column] or ()
        word = self._word.get(int(found["value"]) % 2**32)
        codes = [known.index(word)] if word in known else []
        return Split(column, codes=CodeSet(np.array(codes, np.int64), go_left=False))

    def _statistic(self, found: dict[str, Any], tree: int, place: int) -> Split:
        """Ask the library which levels answer a question about one column with yes."""
        elements = self._elements.get(found["split_index"], [])
        if len(elements) != 1 or "cat_feature_index" not in elements[0]:
            raise self._refusal()
        column = self._level[elements[0]["cat_feature_index"]]
        if column not in self._known:
            self._known[column] = self._answers(column)
        # A leaf's number holds the answers of its tree, the first in the lowest bit.
        yes: Bools = (self._known[column][:, tree] >> place) & 1 > 0
        right = CodeSet(np.flatnonzero(yes[:-1]), go_left=False)
        return Split(column, missing_left=not yes[-1], codes=right)

    def _refusal(self) -> ValueError:
        return refuse(
            self._title,
            "it splits on statistics of several columns together, which no set of "
            "levels stands for",
            "Fit it with max_ctr_complexity=1, or with one_hot_max_size as large as "
            "the largest number of levels.",
        )


def symmetric_tree(splits: list[Split]) -> TreeParts:
    """Write out a tree in which all nodes of a level ask the same."""
    depth = len(splits)
    n_inner = 2**depth - 1
    node = np.arange(2 * n_inner + 1)
    inner = node < n_inner
    level = np.floor(np.log2(node + 1)).astype(int)
    asked = [splits[i] if i < depth else None for i in range(depth + 1)]
    sets = [s.codes for s in splits if s.codes is not None]
    number = np.cumsum([s is not None and s.codes is not None for s in asked]) - 1

    def by_level(values: list[Any], dtype: Any) -> NDArray[Any]:
        return np.array(values, dtype)[level]

    # Leaves in the order of the paths; the first answer is the lowest bit.
    path = node - n_inner
    name = sum((((path >> (depth - 1 - i)) & 1) << i for i in range(depth)), 0 * path)
    borders = np.array([s.border if s else np.nan for s in asked])
    return TreeParts(
        np.where(inner, 2 * node + 1, -1),
        np.where(inner, 2 * node + 2, -1),
        by_level([s.feature if s else -1 for s in asked], int),
        in_double_precision(borders)[level],
        by_level([bool(s and s.missing_left) for s in asked], bool),
        by_level(
            [
                n if s and s.codes is not None else -1
                for s, n in zip(asked, number, strict=True)
            ],
            int,
        ),
        sets,
        np.where(inner, -1, name),
    )


def nested_tree(splits_of: Splits, tree: dict[str, Any]) -> TreeParts:
    """Write out a tree whose nodes hold each other, parents first."""
    left: list[int] = []
    right: list[int] = []
    splits: list[Split | None] = []
    names: list[int] = []
    sets: list[CodeSet] = []
    waiting = [(tree, -1, False)]
    n_leaves = 0
    while waiting:
        node, parent, is_right = waiting.pop()
        number = len(left)
        if parent >= 0:
            (right if is_right else left)[parent] = number
        left.append(-1)
        right.append(-1)
        is_leaf = "split" not in node
        splits.append(None if is_leaf else splits_of.of_node(node["split"]))
        names.append(n_leaves if is_leaf else -1)
        n_leaves += is_leaf
        if not is_leaf:
            children = [
                (node["right"], number, True),
                (node["left"], number, False),
            ]
            # An only leaf is counted with its parent, before what lies below.
            waiting += sorted(children, key=lambda child: "split" not in child[0])
    set_of = np.full(len(left), -1)
    for number, split in enumerate(splits):
        if split is not None and split.codes is not None:
            set_of[number] = len(sets)
            sets.append(split.codes)
    borders = np.array([s.border if s else np.nan for s in splits])
    return TreeParts(
        np.array(left),
        np.array(right),
        np.array([s.feature if s else -1 for s in splits]),
        in_double_precision(borders),
        np.array([bool(s and s.missing_left) for s in splits]),
        set_of,
        sets,
        np.array(names),
    )
