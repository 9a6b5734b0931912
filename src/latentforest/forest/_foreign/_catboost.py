"""CatBoost: models of numbers and categories."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats
from latentforest.forest._facts import TreeFacts
from latentforest.forest._foreign._catboost_splits import (
    Splits,
    nested_tree,
    symmetric_tree,
)
from latentforest.forest._foreign._contract import ForeignForest, refuse
from latentforest.forest._foreign._trees import ForeignTrees, join_parts
from latentforest.table import EncodedTable

NO_LEVEL = "latentforest: no such level"


class CatBoostForest(ForeignForest):
    """A fitted CatBoost model, with symmetric trees or others.

    Values are rounded to single precision; ``value > border`` goes right. A category
    is compared with one value, and goes right where they are equal; or by a statistic
    of its level, so that some levels go right. Statistics of several columns together
    are refused.
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
        splits = Splits(
            self.title, model["features_info"], self.categories, self._answers
        )
        if model.get("oblivious_trees"):
            return join_parts(
                [
                    symmetric_tree(splits.of_tree(number, tree.get("splits") or ()))
                    for number, tree in enumerate(model["oblivious_trees"])
                ]
            )
        return join_parts([nested_tree(splits, tree) for tree in model["trees"]])

    def _answers(self, column: int) -> NDArray[np.integer[Any]]:
        """Return the leaves of rows with each level in a column; the last has none."""
        n_levels = len(self.categories[column] or ())
        rows = np.zeros((n_levels + 1, self.n_columns))
        rows[:, column] = np.arange(n_levels + 1)
        return self.leaves(rows)

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

    def facts(self) -> TreeFacts:
        """Return the learning rate, which all trees share."""
        rate = self._model.learning_rate_
        rate = 1.0 if rate is None else float(rate)
        return TreeFacts(shrinkage=np.full(self._model.tree_count_, rate))


def _word(level: Any) -> str:
    """Return a level as CatBoost writes it."""
    return str(int(level)) if isinstance(level, (bool, np.bool_)) else str(level)
