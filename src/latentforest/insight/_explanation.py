"""What a model says of rows, and where they lie on its map."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pandas import isna
from sklearn.utils.validation import column_or_1d

from latentforest._base._checks import listed
from latentforest._base._names import coordinate_names
from latentforest._base._types import Coords, Floats, LeafIds
from latentforest.insight._predictor import Prediction
from latentforest.kernel import LeafKernel, divide_or_zero


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """Where rows lie on the map of a model, and what it predicts there.

    Attributes
    ----------
    coords : ndarray of shape (n_rows, n_components)
        Coordinates of the rows.
    prediction : ndarray of shape (n_rows,)
        The likeliest class, or a number.
    confidence : ndarray of shape (n_rows,) or None
        Of classes: the probability of the predicted one.
    spread : ndarray of shape (n_rows,) or None
        Of numbers: the standard deviation of what is predicted for the training rows
        that share leaves with the row, weighted by the kernel (Eq. 1); or of their
        targets, where these were given. NaN where no training row shares a leaf.
    error : ndarray of shape (n_rows,) or None
        Where targets were given. Of classes: whether the prediction is wrong; of
        numbers: the prediction less the target.
    probabilities : ndarray of shape (n_rows, n_classes) or None
        Of classes: the probability of each, in the order of ``classes``.
    classes : ndarray of shape (n_classes,) or None
        The classes.
    index : pandas Index or None
        The index of the rows, where they have one.
    """

    coords: Coords
    prediction: NDArray[Any]
    confidence: Floats | None = None
    spread: Floats | None = None
    error: NDArray[Any] | None = None
    probabilities: Floats | None = None
    classes: NDArray[Any] | None = None
    index: Any = None

    def to_frame(self) -> Any:
        """Return a pandas data frame, one line per row.

        Coordinates, prediction, confidence or spread, and the error if it is known.
        """
        import pandas as pd  # noqa: PLC0415 (only who asks for a frame pays for it)

        names = coordinate_names(self.coords.shape[1])
        frame = pd.DataFrame(self.coords, columns=names, index=self.index)
        for name in ("prediction", "confidence", "spread", "error"):
            values = getattr(self, name)
            if values is not None:
                frame[name] = values
        return frame


def explain_rows(
    coords: Coords,
    found: Prediction,
    *,
    spread: Floats | None = None,
    error: NDArray[Any] | None = None,
    index: Any = None,
) -> Explanation:
    """Put together what is known of rows."""
    shares = found.probabilities
    return Explanation(
        coords,
        found.values,
        confidence=None if shares is None else shares.max(axis=1),
        spread=spread,
        error=error,
        probabilities=shares,
        classes=found.classes,
        index=index,
    )


def errors_of(found: Prediction, target: NDArray[Any]) -> NDArray[Any]:
    """Return which classes are wrong, or how far numbers are above their targets."""
    if found.classes is None:
        return found.values - as_numbers("y", target)
    given, classes = target.tolist(), found.classes.tolist()
    # One by one: NumPy would take the number 1 and the text "1" for the same.
    if given and not set(given) & set(classes):
        message = (
            f"none of the classes {listed(classes)} is in y, which has "
            f"{listed(dict.fromkeys(given))}. Give y as the forest was fitted with it."
        )
        raise ValueError(message)
    pairs = zip(found.values.tolist(), given, strict=True)
    return np.array([one != other for one, other in pairs], np.bool_)


def spread_of_leaves(kernel: LeafKernel, ids: LeafIds, values: Floats) -> Floats:
    """Return how far values differ among the rows that share leaves with each row.

    The standard deviation under the weights k(x, x_i) of the kernel's rows, which needs
    three sums per leaf and no kernel matrix. ``ids`` are the leaves of the rows asked
    about, ``values`` those of the rows that define the kernel.
    """
    middle = values.mean()
    away = values - middle
    sums = kernel.smooth(ids, np.column_stack([np.ones(len(away)), away, away**2]))
    mean = divide_or_zero(sums[:, 1], sums[:, 0])
    square = divide_or_zero(sums[:, 2], sums[:, 0])
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    return np.where(sums[:, 0] > 0, spread, np.nan)


def check_target(name: str, y: Any, n_rows: int) -> NDArray[Any]:
    """Return a target as an array of one value per row."""
    target: NDArray[Any] = column_or_1d(y, warn=True)
    if len(target) != n_rows:
        message = f"{name} has {len(target)} values, but there are {n_rows} rows."
        raise ValueError(message)
    if isna(target).any():
        message = f"{name} has missing values. Drop those rows first."
        raise ValueError(message)
    return target


def as_numbers(name: str, target: NDArray[Any]) -> Floats:
    """Return a target as numbers, or say that the forest predicts such."""
    try:
        numbers = target.astype(np.float64)
    except (TypeError, ValueError) as exc:
        message = (
            f"{name} is not made of numbers, but numbers are predicted. Give {name} "
            "as the forest was fitted with it."
        )
        raise ValueError(message) from exc
    if not np.isfinite(numbers).all():
        message = f"{name} has infinite values. Drop those rows first."
        raise ValueError(message)
    return numbers
