"""From a model of another library to its adapter, by the name of the library."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from sklearn.utils.validation import check_is_fitted

from latentforest.forest._foreign._contract import ForeignForest
from latentforest.forest._foreign._pipeline import PipelineForest
from latentforest.forest._foreign._sklearn import SklearnForest, is_ensemble

# Library, class of the model, and the adapter; imported when one is met.
ADAPTERS = (
    ("lightgbm", ("Booster", "LGBMModel"), "_lightgbm", "LightGBMForest"),
    ("xgboost", ("Booster", "XGBModel"), "_xgboost", "XGBoostForest"),
    ("catboost", ("CatBoost",), "_catboost", "CatBoostForest"),
    ("treelite", ("Model",), "_treelite", "TreeliteForest"),
    ("sklearn", ("BaseHistGradientBoosting",), "_histogram", "HistogramForest"),
)
PIPELINE = ("sklearn", "Pipeline")
LIBRARIES = (
    "scikit-learn, LightGBM, XGBoost, CatBoost, treelite, quantile-forest, "
    "imbalanced-learn, or ranger"
)


def _parents(model: Any) -> set[tuple[str, str]]:
    """Return library and name of each class that a model belongs to."""
    return {
        (parent.__module__.partition(".")[0], parent.__name__)
        for parent in type(model).__mro__
    }


def _adapter(model: Any) -> Callable[[Any], ForeignForest] | None:
    parents = _parents(model)
    for library, names, module, adapter in ADAPTERS:
        if any((library, name) in parents for name in names):
            package = __name__.rpartition(".")[0]
            found: Callable[[Any], ForeignForest]
            found = getattr(import_module(f"{package}.{module}"), adapter)
            return found
    return None


def is_known(model: Any) -> bool:
    """Whether there is an adapter for a model, be it fitted or not."""
    if PIPELINE in _parents(model):
        return is_known(model.steps[-1][1])
    return (
        isinstance(model, ForeignForest)
        or _adapter(model) is not None
        or is_ensemble(model)
    )


def open_foreign(model: Any) -> ForeignForest:
    """Open a fitted model."""
    if isinstance(model, ForeignForest):
        return model
    if hasattr(model, "get_params"):
        check_is_fitted(model)
    if PIPELINE in _parents(model):
        return PipelineForest(model, open_foreign)
    return (_adapter(model) or SklearnForest)(model)
