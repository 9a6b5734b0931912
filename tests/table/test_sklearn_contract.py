"""A transformer that only encodes passes scikit-learn's own checks of its input."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    estimator_checks_generator,
)
from sklearn.utils.validation import check_is_fitted

from latentforest.table import TableCodec


class Encoder(TransformerMixin, BaseEstimator):
    """Codes with zeros for missing: the codec is all it has."""

    def fit(self, X, y=None):
        self.codec_ = TableCodec(unseen="nearest").fit(X)
        self.n_features_in_ = self.codec_.schema_.n_columns
        if self.codec_.schema_.container != "numpy":
            self.feature_names_in_ = np.array(self.codec_.schema_.names, dtype=object)
        return self

    def transform(self, X):
        check_is_fitted(self)
        return np.nan_to_num(self.codec_.encode(X, caller="Encoder").values)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


CHECKS = [check for _, check in estimator_checks_generator(Encoder(), legacy=True)]


def name_of(check):
    return check.func.__name__


def test_the_checks_are_collected():
    names = set(map(name_of, CHECKS))
    assert {
        "check_dtype_object",
        "check_complex_data",
        "check_fit1d",
        "check_estimators_empty_data_messages",
        "check_estimator_sparse_array",
        "check_n_features_in_after_fitting",
    } <= names


@pytest.mark.parametrize(
    "check",
    [c for c in CHECKS if name_of(c) != "check_array_api_input"],
    ids=name_of,
)
def test_check(check):
    check(Encoder())


def test_feature_names():
    # scikit-learn refuses another order of columns; here they are found by name.
    with pytest.raises(AssertionError, match="transform did not raise"):
        check_dataframe_column_names_consistency("Encoder", Encoder())
