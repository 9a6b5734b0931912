"""Forests: growing them, and reading those of others."""

from latentforest.forest._adversarial import AdversarialForest
from latentforest.forest._base_forest import BaseForest
from latentforest.forest._facts import TreeFacts as TreeFacts
from latentforest.forest._foreign import ForeignForest, from_ranger, from_sklearn
from latentforest.forest._growing._grow import GrownForest
from latentforest.forest._per_column import ColumnForest as ColumnForest
from latentforest.forest._per_column import forests_of_columns as forests_of_columns
from latentforest.forest._resolve import FORESTS as FORESTS
from latentforest.forest._resolve import GivenForest, resolve_forest
from latentforest.forest._resolve import regrower as regrower
from latentforest.forest._saved import StoredForest
from latentforest.forest._saved import forest_from_json as forest_from_json
from latentforest.forest._saved import forest_to_json as forest_to_json
from latentforest.forest._saved import put_forest as put_forest
from latentforest.forest._saved import stored_forest as stored_forest
from latentforest.forest._saved import take_forest as take_forest
from latentforest.forest._supervised import SupervisedForest
from latentforest.forest._unsupervised import CompletelyRandomForest, ShiHorvathForest
from latentforest.regions import (
    ColumnFacts,
    Regions,
    column_facts,
    compatible_regions,
    regions_of_leaves,
    rows_in_regions,
    rows_of_regions,
)
from latentforest.trees import ForestArrays

__all__ = [
    "AdversarialForest",
    "BaseForest",
    "ColumnFacts",
    "CompletelyRandomForest",
    "ForeignForest",
    "ForestArrays",
    "GivenForest",
    "GrownForest",
    "Regions",
    "ShiHorvathForest",
    "StoredForest",
    "SupervisedForest",
    "column_facts",
    "compatible_regions",
    "from_ranger",
    "from_sklearn",
    "regions_of_leaves",
    "resolve_forest",
    "rows_in_regions",
    "rows_of_regions",
]
