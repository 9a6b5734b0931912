"""Import an optional package, or say which extra to install."""

from importlib import import_module
from types import ModuleType

from latentforest._base._errors import MissingExtraError


def require(module: str, *, extra: str) -> ModuleType:
    """Return the imported ``module``; a missing package names its extra."""
    try:
        return import_module(module)
    except ModuleNotFoundError as exc:
        if exc.name != module.partition(".")[0]:
            raise  # installed but broken: show the real error
        message = (
            f"{module!r} is needed here. "
            f"Install it with: pip install 'latentforest[{extra}]'"
        )
        raise MissingExtraError(message) from exc
