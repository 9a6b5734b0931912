"""Parameter checks with one form of message: what, got, wanted."""

from collections.abc import Collection
from numbers import Integral, Real
from typing import Any


def check_integer(name: str, value: Any, *, minimum: int) -> int:
    """Return ``value`` as int, or raise with its name, value and bound."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        message = (
            f"{name}={value!r} is a {type(value).__name__}. "
            f"Give an integer of at least {minimum}."
        )
        raise TypeError(message)
    if value < minimum:
        message = f"{name}={value} is too small. Give an integer of at least {minimum}."
        raise ValueError(message)
    return int(value)


def check_real(name: str, value: Any, *, minimum: float) -> float:
    """Return ``value`` as float, or raise with its name, value and bound."""
    if isinstance(value, bool) or not isinstance(value, Real):
        message = (
            f"{name}={value!r} is a {type(value).__name__}. "
            f"Give a number of at least {minimum}."
        )
        raise TypeError(message)
    if not float(value) >= minimum:
        message = f"{name}={value} is too small. Give a number of at least {minimum}."
        raise ValueError(message)
    return float(value)


def check_option(name: str, value: Any, options: Collection[Any]) -> Any:
    """Return ``value`` if it is one of ``options``, or raise and list them."""
    if not isinstance(value, str) or value not in options:
        wanted = ", ".join(repr(option) for option in options)
        message = f"{name}={value!r} is not known. Choose one of {wanted}."
        raise ValueError(message)
    return value
