"""CatBoost: models of numbers and of categories that are compared one by one."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

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
from latentforest.table import EncodedTable

NUMBER, ONE_LEVEL = "FloatFeature", "OneHotFeature"
NO_LEVEL = "latentforest: no such level"


class CatBoostForest(ForeignForest):
    """A fitted CatBoost model, with symmetric trees or others.

    Values are rounded to single precision; ``value > border`` goes right. A category
    is compared with one value, and goes right where they are equal.
    """

    title = "this CatBoost model"

    def __init__(self, model: Any) -> None:
        self._model = model
        self.names = tuple(model.feature_names_)
        self.n_columns = len(self.names)
        # Which values there are is known when the table is.
        self.categories = {int(c): () for c in model.get_cat_feature_indices()}
        if model.get_text_feature_indices() or model.get_embedding_feature_indices():
            raise refuse(
                self.title,
                "it reads texts or embeddings",
                "Fit it on numbers and categories.",
            )

    def settle(self, table: EncodedTable) -> None:
        """Take the values of categories from the table: the model keeps hashes only."""
        columns = table.schema.columns
        self.categories = {
            c: tuple(map(_word, columns[c].levels)) for c in self.categories
        }

    def codes_of(self, column: int, levels: tuple[Any, ...]) -> NDArray[np.int64]:
        """Return the numbers that the table gives its levels."""
        del column
        return np.arange(len(levels))

    def trees(self) -> ForeignTrees:
        """Read every tree from the JSON of the model."""
        model = self._as_json()
        info = model["features_info"]
        numbers = info.get("float_features") or []
        column = {f["feature_index"]: f["flat_feature_index"] for f in numbers}
        nan_right = {
            f["feature_index"]: f["nan_value_treatment"] == "AsTrue" for f in numbers
        }
        levels = {
            f["feature_index"]: f["flat_feature_index"]
            for f in info.get("categorical_features") or []
        }
        value = {
            int(entry["hash"]) % 2**32: entry["value"]
            for entry in info.get("cat_features_hash") or []
        }

        def split(found: dict[str, Any]) -> "_Split":
            if found["split_type"] == NUMBER:
                number = found["float_feature_index"]
                border = np.float64(np.float32(found["border"]))
                return _Split(column[number], border, not nan_right[number])
            if found["split_type"] == ONE_LEVEL:
                flat = levels[found["cat_feature_index"]]
                word = value.get(int(found["value"]) % 2**32)
                known = self.categories[flat] or ()
                codes = [known.index(word)] if word in known else []
                only = CodeSet(np.array(codes, np.int64), go_left=False)
                return _Split(flat, codes=only)
            raise refuse(
                self.title,
                "it splits on statistics of categories "
                f"({found['split_type']}), which no set of levels stands for",
                "Fit it with one_hot_max_size as large as the largest number of "
                "levels, or with categories encoded as numbers.",
            )

        if model.get("oblivious_trees"):
            parts = [
                _symmetric([split(s) for s in tree.get("splits") or ()])
                for tree in model["oblivious_trees"]
            ]
        else:
            parts = [_Nested(split).read(tree) for tree in model["trees"]]
        return join_parts(parts)

    def _as_json(self) -> dict[str, Any]:
        from catboost import Pool  # noqa: PLC0415

        pool = None
        if self.categories:
            pool = Pool(
                self._frame(self._all_levels()), cat_features=[*self.categories]
            )
        with TemporaryDirectory() as folder:
            path = Path(folder, "model.json")
            self._model.save_model(str(path), format="json", pool=pool)
            read: dict[str, Any] = json.loads(path.read_text())
        return read

    def _all_levels(self) -> Floats:
        """Return rows in which every level occurs."""
        n_rows = max(1, *(len(c or ()) for c in self.categories.values()))
        rows = np.zeros((n_rows, self.n_columns))
        for column, known in self.categories.items():
            rows[:, column] = np.minimum(np.arange(n_rows), len(known or ()) - 1)
        return rows

    def _frame(self, features: Floats) -> Any:
        import pandas as pd  # noqa: PLC0415

        table = {}
        for number, name in enumerate(self.names or ()):
            cells = features[:, number]
            if number in self.categories:
                known = [*(self.categories[number] or ()), NO_LEVEL]
                codes = np.where(np.isnan(cells), -1, cells).astype(int)
                codes[(codes < 0) | (codes >= len(known))] = len(known) - 1
                cells = np.array(known, object)[codes]
            table[name] = cells
        return pd.DataFrame(table)

    def leaves(self, features: Floats) -> NDArray[np.integer[Any]]:
        """Call ``calc_leaf_indexes``."""
        from catboost import Pool  # noqa: PLC0415

        pool = Pool(self._frame(features), cat_features=[*self.categories])
        found = np.asarray(self._model.calc_leaf_indexes(pool))
        return found.reshape(len(features), -1).astype(np.int64)

    def facts(self, n_rows: int) -> TreeFacts:
        """Return the learning rate, which all trees share."""
        del n_rows
        rate = self._model.learning_rate_
        rate = 1.0 if rate is None else float(rate)
        return TreeFacts(shrinkage=np.full(self._model.tree_count_, rate))


class _Split(NamedTuple):
    """A question of a tree; what answers it with no goes left."""

    feature: int
    border: float = np.nan
    missing_left: bool = True
    codes: CodeSet | None = None


def _word(level: Any) -> str:
    """Return a level as CatBoost writes it."""
    return str(int(level)) if isinstance(level, (bool, np.bool_)) else str(level)


def _symmetric(splits: list[_Split]) -> TreeParts:
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


class _Nested:
    """A tree whose nodes hold each other."""

    def __init__(self, split: Any) -> None:
        self._split = split

    def read(self, tree: dict[str, Any]) -> TreeParts:
        """Write the nodes down, parents first."""
        left: list[int] = []
        right: list[int] = []
        splits: list[_Split | None] = []
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
            splits.append(None if is_leaf else self._split(node["split"]))
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
