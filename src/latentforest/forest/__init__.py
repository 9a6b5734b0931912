"""Forests as flat arrays: growing, reading, routing, regions."""

from latentforest.forest._adapters import from_sklearn
from latentforest.forest._adversarial import AdversarialForest
from latentforest.forest._arrays import ForestArrays
from latentforest.forest._base_forest import BaseForest
from latentforest.forest._grow import GrownForest
from latentforest.forest._regions import (
    ColumnFacts,
    Regions,
    column_facts,
    compatible_regions,
    regions_of_leaves,
    rows_in_regions,
    rows_of_regions,
)
from latentforest.forest._resolve import Planting, resolve_forest
from latentforest.forest._supervised import SupervisedForest
from latentforest.forest._unsupervised import CompletelyRandomForest, ShiHorvathForest

__all__ = [
    "AdversarialForest",
    "BaseForest",
    "ColumnFacts",
    "CompletelyRandomForest",
    "ForestArrays",
    "GrownForest",
    "Planting",
    "Regions",
    "ShiHorvathForest",
    "SupervisedForest",
    "column_facts",
    "compatible_regions",
    "from_sklearn",
    "regions_of_leaves",
    "resolve_forest",
    "rows_in_regions",
    "rows_of_regions",
]
