"""Warn at the user's line."""

import inspect
import warnings

# scikit-learn wraps methods such as transform.
_NOT_THE_USER = ("latentforest", "sklearn")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside the package that led here: ours would tell nothing."""
    level, frame = 1, inspect.currentframe()
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in _NOT_THE_USER:
            break
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
