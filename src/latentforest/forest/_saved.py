"""Forests in model files: the trees, and the estimator they belong to."""

from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator

from latentforest._base._errors import ModelFileError
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes
from latentforest._base._values import damaged
from latentforest.forest._base_forest import BaseForest
from latentforest.forest._growing._grow import GrownForest
from latentforest.forest._resolve import FORESTS
from latentforest.table import EncodedTable, TableCodec, TableSchema, remember_columns
from latentforest.trees import ForestArrays, put_trees, take_routes

LONGEST_SOURCE = 200


class StoredForest(BaseForest):
    """The trees of a forest whose own class a model file cannot hold.

    What ``RFAE.load`` gives in place of a scikit-learn forest, and ``RFAE.distill`` in
    place of most: it routes rows and can be given to ``RFAE(forest=…)`` again, but it
    can be neither grown nor asked for predictions.

    Parameters
    ----------
    source : str, default=""
        What the forest was when the model was saved.

    Attributes
    ----------
    forest_ : ForestArrays
        The trees.
    """

    random_state = None
    n_jobs = None
    verbose = False

    def __init__(self, source: str = "") -> None:
        self.source = source

    def grow(
        self, encoded: EncodedTable, y: Any, rng: np.random.Generator
    ) -> GrownForest:
        """Refuse: there is nothing here that grows."""
        message = (
            f"these are the trees of {self.source or 'a forest'} from a model file, "
            "which cannot be grown again. Give RFAE a forest to grow."
        )
        raise ValueError(message)

    @property
    def n_estimators(self) -> int:  # type: ignore[override]
        """Number of trees."""
        return self.forest_.n_trees

    def __sklearn_clone__(self) -> "StoredForest":
        # Like a frozen estimator: a copy without trees would be of no use.
        return self


def put_forest(
    forest: ForestArrays,
    grower: Any,
    new: NewSection,
    *,
    trees_only: bool,
    short_for: Codes | None = None,
) -> None:
    """Write the trees and, unless they shall stand alone, all else of their forest.

    See `put_trees` for rows that are given in ``short_for``.
    """
    put_trees(forest, new, short_for)
    new.put("numbers_only", not forest.split_levels.any())
    part = new.section("grower", folder=new.folder)
    known = type(grower) in FORESTS.values() and grower.fits_in_file()
    if known and not trees_only:
        part.object(grower, FORESTS.values(), "the forest")
        grower.put(part)
        return
    part.put("class", StoredForest.__name__)
    part.put("source", _source_of(grower))


def take_forest(
    section: Section, schema: TableSchema
) -> tuple[ForestArrays, BaseForest]:
    """Read the trees, checked for all that compiled walks rely on, and their forest."""
    forest = take_routes(section, schema)
    part = section.section("grower", folder=section.folder)
    if part.text("class") == StoredForest.__name__:
        grower: BaseForest = StoredForest(part.text("source")[:LONGEST_SOURCE])
    else:
        grower = part.object(FORESTS.values())
    _equip(grower, forest, schema)
    grower.take(part)
    return forest, grower


def stored_forest(
    forest: ForestArrays, grower: Any, schema: TableSchema
) -> StoredForest:
    """Return trees that stem from a forest as an estimator that routes rows."""
    stored = StoredForest(_source_of(grower))
    _equip(stored, forest, schema)
    return stored


def _source_of(grower: Any) -> str:
    stored = isinstance(grower, StoredForest)
    source: str = grower.source if stored else " ".join(repr(grower).split())
    return source[:LONGEST_SOURCE]


def _equip(grower: BaseForest, forest: ForestArrays, schema: TableSchema) -> None:
    grower.codec_ = TableCodec.from_schema(schema)
    remember_columns(grower, schema)
    grower.forest_ = forest


def forest_to_json(forest: Any, grower: Any, what: str) -> Any:
    """Return a ``forest`` parameter; a fitted one is the forest of the model."""
    if isinstance(forest, str):
        return forest
    if isinstance(forest, FrozenEstimator):
        return {"frozen": forest_to_json(forest.estimator, grower, what)}
    if forest is grower:
        return {"fitted": True}
    unfitted = isinstance(forest, BaseForest) and not hasattr(forest, "forest_")
    if unfitted and type(forest) in FORESTS.values():
        new = NewSection()
        new.object(forest, FORESTS.values(), what)
        return new.data
    if unfitted and type(forest) is type(grower):
        return {"fitted": True}  # one of the user's own: only its trees can be kept
    message = (
        f"{what} is not the forest that the model was fitted with. Fit the model again "
        "before it is saved."
    )
    raise ModelFileError(message)


def forest_from_json(data: Any, grower: Any) -> Any:
    """Rebuild a ``forest`` parameter."""
    if isinstance(data, str):
        return data
    section = Section(data, "a forest")
    if section.has("frozen"):
        inner = section.data["frozen"]
        if isinstance(inner, dict) and inner.get("frozen") is not None:
            raise damaged("a forest is frozen twice")
        return FrozenEstimator(forest_from_json(inner, grower))
    return grower if section.has("fitted") else section.object(FORESTS.values())
