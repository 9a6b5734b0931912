"""Plain values as JSON and back: numbers, names, levels, generators."""

import math
from typing import Any

import numpy as np

from latentforest._base._errors import ModelFileError

LARGEST_INTEGER = 2**64
SPECIAL = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def damaged(what: str) -> ModelFileError:
    """Build the error about a file that is not as it was written."""
    return ModelFileError(
        f"the file is damaged: {what}. Get another copy, or save the model again."
    )


def encode_value(value: Any, *, what: str) -> Any:
    """Return a plain value as JSON holds it; tuples and odd floats are marked."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple):
        return {"tuple": [encode_value(part, what=what) for part in value]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        message = f"{what} is the number {value}, which is too large for a model file."
        raise ModelFileError(message)
    if value is None or isinstance(value, bool | int | float | str):
        return str(value) if isinstance(value, str) else value
    message = (
        f"{what} is a {type(value).__name__}, which a model file cannot hold. "
        "Use text, numbers or booleans."
    )
    raise ModelFileError(message)


def decode_value(value: Any, *, what: str) -> Any:
    """Read what `encode_value` wrote."""
    if isinstance(value, dict) and value.keys() == {"tuple"}:
        parts = value["tuple"]
        if isinstance(parts, list):
            return tuple(decode_value(part, what=what) for part in parts)
    elif isinstance(value, dict) and value.keys() == {"float"}:
        if isinstance(value["float"], str) and value["float"] in SPECIAL:
            return SPECIAL[value["float"]]
    elif type(value) is int:
        if abs(value) <= LARGEST_INTEGER:
            return value
    elif value is None or isinstance(value, bool | float | str):
        return value
    raise damaged(f"{what} is not a plain value")


def encode_seed(random_state: Any) -> int | None:
    """Keep a seed; a generator has none to keep, and becomes None."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return None


def encode_generator(rng: np.random.Generator) -> dict[str, Any]:
    """Return the state of a generator."""
    state = rng.bit_generator.state
    if state["bit_generator"] != "PCG64":
        message = (
            f"the model holds a {state['bit_generator']} generator, which a model file "
            "cannot hold. Fit with an integer random_state."
        )
        raise ModelFileError(message)
    return {
        "state": f"{state['state']['state']:032x}",
        "increment": f"{state['state']['inc']:032x}",
        "has_uint32": int(state["has_uint32"]),
        "uint32": int(state["uinteger"]),
    }


def decode_generator(data: dict[str, Any]) -> np.random.Generator:
    """Rebuild a generator in the state that was kept."""
    numbers = {}
    for key, digits in (("state", 32), ("increment", 32)):
        text = data.get(key)
        if not isinstance(text, str) or len(text) != digits:
            raise damaged(f"the {key} of a generator is missing")
        if set(text) - set("0123456789abcdef"):
            raise damaged(f"the {key} of a generator is not a number")
        numbers[key] = int(text, 16)
    for key, largest in (("has_uint32", 1), ("uint32", 2**32 - 1)):
        value = data.get(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise damaged(f"the {key} of a generator is missing")
        if not 0 <= value <= largest:
            raise damaged(f"the {key} of a generator is {value}")
        numbers[key] = value
    if numbers["increment"] % 2 == 0:
        raise damaged("the increment of a generator is even")
    bits = np.random.PCG64(0)
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": numbers["state"], "inc": numbers["increment"]},
        "has_uint32": numbers["has_uint32"],
        "uinteger": numbers["uint32"],
    }
    return np.random.Generator(bits)
