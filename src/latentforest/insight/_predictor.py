"""What predicts: the fitted forest of a model, or what the user gives instead."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin

from latentforest._base._types import Floats
from latentforest.forest import StoredForest

ROUNDING = 1e-3  # by which probabilities may miss 1, where they are added up


class Prediction(NamedTuple):
    """What is predicted for some rows."""

    values: NDArray[Any]  # (n_rows,) the likeliest class, or a number
    probabilities: Floats | None = None  # (n_rows, n_classes); None: numbers
    classes: NDArray[Any] | None = None


Predictor: TypeAlias = Callable[[Any, int], Prediction]  # of a table of so many rows


def predictor_of(forest: Any, predict: Any = None) -> Predictor:
    """Return what predicts rows: the forest, or what is given as ``predict``."""
    if predict is None:
        _check_predicts(forest)
        predict = forest
    elif not hasattr(predict, "predict") and callable(predict):
        return lambda table, n_rows: _read(predict(table), n_rows, "predict")
    name = type(predict).__name__
    classes = getattr(predict, "classes_", None)
    has_classes = classes is not None and len(classes) > 0  # some regressors have none
    if has_classes and hasattr(predict, "predict_proba"):
        return lambda table, n_rows: _classes(
            predict.predict_proba(table), classes, n_rows, name
        )
    if has_classes:
        message = (
            f"a {name} predicts classes without probabilities. Give predict=, a "
            "function of a table that returns one probability per class."
        )
        raise TypeError(message)
    if not hasattr(predict, "predict"):
        message = (
            f"predict={predict!r} does not predict. Give a fitted estimator, or a "
            "function of a table."
        )
        raise TypeError(message)
    return lambda table, n_rows: _read(predict.predict(table), n_rows, name)


def _check_predicts(forest: Any) -> None:
    """Refuse forests that have learned no target, or have left it behind."""
    name = type(forest).__name__
    if isinstance(forest, StoredForest):
        message = (
            f"a model file holds the trees of {forest.source or 'this forest'}, but "
            "not what they predict. Give predict=, the fitted forest itself or a "
            "function of a table."
        )
    elif not hasattr(forest, "predict") or isinstance(forest, OutlierMixin):
        message = (
            f"a {name} has learned no target, so that it predicts nothing. Fit RFAE "
            "with a fitted classifier or regressor as forest=, or give predict=, "
            "whose predictions shall be shown on this map."
        )
    else:
        return
    raise TypeError(message)


def _read(found: Any, n_rows: int, name: str) -> Prediction:
    """Read what comes without classes: one number per row, or one per class."""
    if np.ndim(found) == 2 and np.shape(found)[1] > 1:
        classes = getattr(found, "columns", range(np.shape(found)[1]))
        return _classes(found, np.array(list(classes)), n_rows, name)
    return _numbers(found, n_rows, name)


def _numbers(found: Any, n_rows: int, name: str) -> Prediction:
    values: NDArray[Any] = np.asarray(found)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.shape != (n_rows,):
        message = (
            f"{name} predicts an array of shape {values.shape} for {n_rows} rows. "
            "Give predict=, a function of a table that returns one number per row, or "
            "one probability per class."
        )
        raise ValueError(message)
    if values.dtype.kind not in "fiu":
        message = (
            f"{name} predicts {values.dtype} where numbers or probabilities are "
            "wanted. Give the fitted estimator itself, or a function that returns one "
            "probability per class."
        )
        raise TypeError(message)
    return Prediction(_finite(values.astype(np.float64), name))


def _classes(found: Any, classes: Any, n_rows: int, name: str) -> Prediction:
    if isinstance(found, list):
        message = (
            f"{name} predicts {len(found)} targets at once. Give predict=, a function "
            "of a table that returns the probabilities of one of them."
        )
        raise TypeError(message)
    shares: Floats = np.asarray(found, np.float64)
    wanted = (n_rows, len(classes))
    if shares.shape != wanted:
        message = (
            f"{name} predicts probabilities of shape {shares.shape}, wanted {wanted}: "
            "one row per row of the table, one column per class."
        )
        raise ValueError(message)
    _finite(shares, name)
    whole = np.abs(shares.sum(axis=1) - 1.0) <= ROUNDING
    if (shares < 0).any() or not whole.all():
        message = (
            f"{name} predicts several numbers per row that are no probabilities: they "
            "have to be at least 0 and add up to 1. Give predict=, a function that "
            "returns such, or one number per row."
        )
        raise ValueError(message)
    known = np.asarray(classes)
    return Prediction(known[shares.argmax(axis=1)], shares, known)


def _finite(values: Floats, name: str) -> Floats:
    wrong = ~np.isfinite(values)
    if wrong.any():
        message = (
            f"{name} predicts {wrong.sum()} times NaN or infinity. "
            "Leave those rows out, or give predict=, which knows what to say of them."
        )
        raise ValueError(message)
    return values
