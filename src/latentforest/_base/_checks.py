"""Parameter checks with one form of message: what, got, wanted."""

from collections.abc import Collection, Iterable
from numbers import Integral, Real
from typing import Any


def check_integer(
    name: str, value: Any, *, minimum: int, maximum: int | None = None
) -> int:
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
    if maximum is not None and int(value) > maximum:
        message = f"{name}={value} is too large. Give an integer of at most {maximum}."
        raise ValueError(message)
    return int(value)


def check_real(
    name: str, value: Any, *, minimum: float, maximum: float | None = None
) -> float:
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
    if maximum is not None and float(value) > maximum:
        message = f"{name}={value} is too large. Give a number of at most {maximum}."
        raise ValueError(message)
    return float(value)


def listed(names: Iterable[Any], most: int = 8, *, in_lines: bool = False) -> str:
    """Return names for a message, the first of them if there are many.

    In one sentence, or in lines as scikit-learn has them.
    """
    every = list(names)
    shown, more = every[:most], len(every) - most
    if in_lines:
        return "".join(f"- {name}\n" for name in (*shown, *(["..."] * (more > 0))))
    text = ", ".join(map(repr, shown))
    return f"{text} and {more} more" if more > 0 else text


def check_option(
    name: str, value: Any, options: Collection[Any], others: str = ""
) -> Any:
    """Return ``value`` if it is one of ``options``, or raise and list them.

    ``others`` says, for the error, what may be given that is no word.
    """
    if not isinstance(value, str) or value not in options:
        wanted = ", ".join(repr(option) for option in options)
        message = f"{name}={value!r} is not known. Choose one of {wanted}{others}."
        raise ValueError(message)
    return value
