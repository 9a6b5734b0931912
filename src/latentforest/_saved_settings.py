"""Settings of a model in model files: parameters, and what was tried."""

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from latentforest._base._section import NewSection, Section
from latentforest._base._values import (
    damaged,
    decode_value,
    encode_seed,
    encode_value,
)
from latentforest.choice import Trial
from latentforest.decode import DECODERS
from latentforest.forest import forest_from_json, forest_to_json
from latentforest.refine import AutoRefinement, Refinement
from latentforest.table import ColumnKind

OBJECTS = {"decoder": DECODERS.values(), "refine": (Refinement, AutoRefinement)}


def put_parameters(model: Any, new: NewSection) -> None:
    """Write the parameters that the model was created with."""
    for key, value in model.get_params(deep=False).items():
        if key == "forest":
            new.data[key] = forest_to_json(value, model.grower_, "forest")
        elif key == "kinds" and isinstance(value, Mapping):
            new.data[key] = [
                [
                    encode_value(name, what=f"the column name {name!r}"),
                    encode_value(_plain_kind(kind), what="a level of kinds"),
                ]
                for name, kind in value.items()
            ]
        elif key == "random_state":
            new.data[key] = encode_seed(value)
        elif key == "tree_weights" and np.ndim(value):
            new.put(key, tuple(np.asarray(value, dtype=np.float64).tolist()))
        elif key in OBJECTS and hasattr(value, "get_params"):
            new.section(key).object(value, OBJECTS[key], key)
        else:
            new.put(key, value)


def take_parameters(cls: type, section: Section, grower: Any) -> dict[str, Any]:
    """Rebuild the parameters of a model.

    One that the file does not have is younger than the file, and gets its default.
    """
    known, found = inspect.signature(cls).parameters, {}
    for key, value in section.data.items():
        if key not in known:
            raise damaged(f"{cls.__name__} has no parameter {key[:40]!r}")
        if key == "forest":
            found[key] = forest_from_json(value, grower)
        elif key == "kinds":
            found[key] = _take_kinds(value)
        elif key in OBJECTS and isinstance(value, dict):
            found[key] = section.section(key).object(OBJECTS[key])
        else:
            found[key] = decode_value(value, what=key)
            if isinstance(found[key], tuple):  # the weights of trees
                found[key] = np.array(found[key], dtype=np.float64)
    return found


def _take_kinds(data: Any) -> dict[Any, str | list[Any]] | None:
    if data is None:
        return None
    kinds: dict[Any, str | list[Any]] = {}
    for pair in data if isinstance(data, list) else [None]:
        if not isinstance(pair, list) or len(pair) != 2:
            raise damaged("kinds are not pairs of column and kind")
        name = decode_value(pair[0], what="the name of a column")
        kind = decode_value(pair[1], what="the kind of a column")
        if not isinstance(kind, tuple) and kind not in KINDS:
            raise damaged("kinds are not pairs of column and kind")
        kinds[name] = list(kind) if isinstance(kind, tuple) else kind
    return kinds


def _plain_kind(kind: Any) -> str | tuple[Any, ...]:
    """Return the name of a kind, or the levels of a column in order."""
    return str(kind) if isinstance(kind, str) else tuple(kind)


KINDS = [str(kind) for kind in ColumnKind]


def put_trials(trials: list[Trial], grower: Any, new: NewSection) -> None:
    """Write what ``refine="auto"`` has tried; null if nothing was."""
    if not trials:
        new.data["tried"] = None
        return
    parts = new.sections("tried", len(trials))
    for trial, part in zip(trials, parts, strict=True):
        what = "a forest that was tried"
        part.data["forest"] = forest_to_json(trial.forest, grower, what)
        settings = part.section("refinement")
        settings.object(trial.refinement, (Refinement,), "a refinement")
        part.put("distortion", trial.distortion)
        part.put("seconds", trial.seconds)


def take_trials(manifest: Section, grower: Any) -> list[Trial]:
    """Rebuild what ``refine="auto"`` has tried."""
    if not manifest.has("tried"):
        return []
    trials = [
        Trial(
            part.value("distortion"),
            part.value("seconds"),
            forest=forest_from_json(part.data.get("forest"), grower),
            refinement=part.section("refinement").object((Refinement,)),
        )
        for part in manifest.sections("tried")
    ]
    if not trials:
        raise damaged("nothing was tried")
    return trials
