"""Fitted attributes about columns that scikit-learn expects of every estimator."""

from typing import Any

import numpy as np

from latentforest.table._schema import TableSchema


def remember_columns(estimator: Any, schema: TableSchema) -> None:
    """Set ``n_features_in_`` and, where all names are text, ``feature_names_in_``."""
    estimator.n_features_in_ = schema.n_columns
    vars(estimator).pop("feature_names_in_", None)
    named = all(isinstance(name, str) for name in schema.names)
    if schema.container != "numpy" and named:
        estimator.feature_names_in_ = np.array(schema.names, dtype=object)
