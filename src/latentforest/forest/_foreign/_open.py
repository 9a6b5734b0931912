"""From a model of another library to its adapter, by the name of the library."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from latentforest.forest._foreign._contract import ForeignForest

# Library, class of the model, and the adapter; imported when one is met.
ADAPTERS = (
    ("lightgbm", ("Booster", "LGBMModel"), "_lightgbm", "LightGBMForest"),
    ("xgboost", ("Booster", "XGBModel"), "_xgboost", "XGBoostForest"),
    ("catboost", ("CatBoost",), "_catboost", "CatBoostForest"),
    ("treelite", ("Model",), "_treelite", "TreeliteForest"),
    ("sklearn", ("BaseHistGradientBoosting",), "_histogram", "HistogramForest"),
)
LIBRARIES = (
    "scikit-learn, LightGBM, XGBoost, CatBoost, treelite, quantile-forest, "
    "imbalanced-learn, or ranger"
)


def _adapter(model: Any) -> Callable[[Any], ForeignForest] | None:
    parents = {
        (parent.__module__.partition(".")[0], parent.__name__)
        for parent in type(model).__mro__
    }
    for library, names, module, adapter in ADAPTERS:
        if any((library, name) in parents for name in names):
            package = __name__.rpartition(".")[0]
            found: Callable[[Any], ForeignForest]
            found = getattr(import_module(f"{package}.{module}"), adapter)
            return found
    return None


def is_known(model: Any) -> bool:
    """Whether there is an adapter for a model, be it fitted or not."""
    from latentforest.forest._adapters import is_readable  # noqa: PLC0415
    from latentforest.forest._foreign._sklearn import holds_trees  # noqa: PLC0415

    if _is_pipeline(model):
        return is_known(model.steps[-1][1])
    return (
        isinstance(model, ForeignForest)
        or _adapter(model) is not None
        or is_readable(model)
        or holds_trees(model)
    )


def open_foreign(model: Any) -> ForeignForest:
    """Open a fitted model."""
    if isinstance(model, ForeignForest):
        return model
    from sklearn.utils.validation import check_is_fitted  # noqa: PLC0415

    from latentforest.forest._foreign._sklearn import SklearnForest  # noqa: PLC0415

    check_is_fitted(model) if hasattr(model, "get_params") else None
    if _is_pipeline(model):
        from latentforest.forest._foreign._pipeline import (  # noqa: PLC0415
            PipelineForest,
        )

        return PipelineForest(model, open_foreign)
    return (_adapter(model) or SklearnForest)(model)


def _is_pipeline(model: Any) -> bool:
    from sklearn.pipeline import Pipeline  # noqa: PLC0415

    return isinstance(model, Pipeline)
