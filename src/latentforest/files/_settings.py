"""Settings of a model, to JSON and back: plain values and objects of ours."""

from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from latentforest._base._errors import ModelFileError
from latentforest.choice import Trial
from latentforest.decode import (
    AutoDecoder,
    ILPDecoder,
    KNNDecoder,
    LassoDecoder,
    LocalLinearDecoder,
    RelabelDecoder,
)
from latentforest.files._section import Section
from latentforest.files._values import (
    damaged,
    decode_value,
    encode_name,
    encode_seed,
    encode_value,
)
from latentforest.forest import (
    AdversarialForest,
    BaseForest,
    CompletelyRandomForest,
    ShiHorvathForest,
    SupervisedForest,
)
from latentforest.refine import AutoRefinement, Refinement
from latentforest.table import ColumnKind

# The only classes that a file can name.
FORESTS = (
    AdversarialForest,
    CompletelyRandomForest,
    ShiHorvathForest,
    SupervisedForest,
)
NEIGHBOUR_DECODERS = (KNNDecoder, LocalLinearDecoder)
DECODERS = (
    AutoDecoder,
    ILPDecoder,
    LassoDecoder,
    RelabelDecoder,
    *NEIGHBOUR_DECODERS,
)
REFINEMENTS = (Refinement, AutoRefinement)
CLASSES: dict[str, Any] = {
    cls.__name__: cls for cls in (*FORESTS, *DECODERS, *REFINEMENTS)
}

PARAMETERS = {
    "n_components",
    "forest",
    "decoder",
    "refine",
    "diffusion_time",
    "kernel",
    "landmarks",
    "kinds",
    "unseen",
    "random_state",
    "n_jobs",
    "verbose",
}
FLAGS = {"extrapolate", "verbose", "bootstrap"}


def encode_object(thing: BaseEstimator, what: str) -> dict[str, Any]:
    """Return the class and the parameters of an object of ours."""
    name = type(thing).__name__
    if CLASSES.get(name) is not type(thing):
        message = (
            f"{what} is a {name}, which is not part of latentforest, so a model file "
            "cannot hold it. Keep the model with pickle instead."
        )
        raise ModelFileError(message)
    parameters = {
        key: encode_seed(value)
        if key == "random_state"
        else encode_value(value, what=f"{key} of {what}")
        for key, value in thing.get_params(deep=False).items()
    }
    return {"class": name, "parameters": parameters}


def decode_object(section: Section, allowed: tuple[type, ...]) -> Any:
    """Build an object of one of the classes that are allowed here."""
    cls = CLASSES.get(section.text("class"))
    if cls is None or cls not in allowed:
        raise damaged(f"{section.text('class')[:40]!r} is no class we know here")
    part = section.section("parameters")
    known = cls._get_param_names()
    for key in part.data:
        if key not in known:
            raise damaged(f"{cls.__name__} has no parameter {key[:40]!r}")
    parameters = {
        key: part.flag(key) if key in FLAGS else part.value(key) for key in part.data
    }
    thing = cls(**parameters)
    if not isinstance(thing, BaseForest):
        thing.check()
    return thing


def encode_forest(forest: Any, grower: Any, what: str) -> Any:
    """Return a ``forest`` parameter; a fitted one is the forest of the model."""
    if isinstance(forest, str):
        return forest
    if isinstance(forest, FrozenEstimator):
        return {"frozen": encode_forest(forest.estimator, grower, what)}
    if forest is grower:
        return {"fitted": True}
    if type(forest) in FORESTS and not hasattr(forest, "forest_"):
        return encode_object(forest, what)
    unfitted = isinstance(forest, BaseForest) and not hasattr(forest, "forest_")
    if unfitted and type(forest) is type(grower):
        return {"fitted": True}  # one of the user's own: only its trees can be kept
    message = (
        f"{what} is not the forest that the model was fitted with. Fit the model again "
        "before it is saved."
    )
    raise ModelFileError(message)


def decode_forest(data: Any, grower: Any) -> Any:
    """Rebuild a ``forest`` parameter."""
    if isinstance(data, str):
        return data
    section = Section(data, "a forest")
    if section.has("frozen"):
        inner = section.data["frozen"]
        if isinstance(inner, dict) and inner.get("frozen") is not None:
            raise damaged("a forest is frozen twice")
        return FrozenEstimator(decode_forest(inner, grower))
    if section.has("fitted"):
        return grower
    return decode_object(section, FORESTS)


def encode_parameters(model: Any, grower: Any) -> dict[str, Any]:
    """Return the parameters that the model was created with."""
    parameters = model.get_params(deep=False)
    if parameters.keys() != PARAMETERS:
        message = (
            f"{type(model).__name__} has other parameters than RFAE, so a model file "
            "cannot hold it. Keep the model with pickle instead."
        )
        raise ModelFileError(message)
    encoded = {}
    for key, value in parameters.items():
        if key == "forest":
            encoded[key] = encode_forest(value, grower, "forest")
        elif key == "kinds":
            encoded[key] = _encode_kinds(value)
        elif key == "random_state":
            encoded[key] = encode_seed(value)
        elif isinstance(value, BaseEstimator):
            encoded[key] = encode_object(value, key)
        else:
            encoded[key] = encode_value(value, what=key)
    return encoded


def decode_parameters(section: Section, grower: Any) -> dict[str, Any]:
    """Rebuild the parameters that the model was created with."""
    if section.data.keys() != PARAMETERS:
        raise damaged("the parameters of the model are not those of RFAE")
    decoded: dict[str, Any] = {}
    for key, value in section.data.items():
        if key == "forest":
            decoded[key] = decode_forest(value, grower)
        elif key == "kinds":
            decoded[key] = _decode_kinds(value)
        elif key in ("decoder", "refine") and isinstance(value, dict):
            allowed = DECODERS if key == "decoder" else REFINEMENTS
            decoded[key] = decode_object(section.section(key), allowed)
        else:
            decoded[key] = decode_value(value, what=key)
    return decoded


def _encode_kinds(kinds: Any) -> Any:
    if not isinstance(kinds, Mapping):
        return encode_value(kinds, what="kinds")
    return [[encode_name(name), str(kind)] for name, kind in kinds.items()]


def _decode_kinds(data: Any) -> dict[Any, str] | None:
    if data is None:
        return None
    kinds = {}
    for pair in data if isinstance(data, list) else [None]:
        if (
            not isinstance(pair, list)
            or len(pair) != 2
            or pair[1] not in list(ColumnKind)
        ):
            raise damaged("kinds are no pairs of column and kind")
        kinds[decode_value(pair[0], what="the name of a column")] = pair[1]
    return kinds


def encode_trials(trials: list[Trial], grower: Any) -> list[dict[str, Any]]:
    """Return what ``refine="auto"`` has tried."""
    return [
        {
            "forest": encode_forest(trial.forest, grower, "a forest that was tried"),
            "refinement": encode_object(trial.refinement, "a refinement"),
            "distortion": encode_value(trial.distortion, what="a distortion"),
            "seconds": encode_value(trial.seconds, what="seconds"),
        }
        for trial in trials
    ]


def decode_trials(sections: list[Section], grower: Any) -> list[Trial]:
    """Rebuild what ``refine="auto"`` has tried."""
    return [
        Trial(
            section.value("distortion"),
            section.value("seconds"),
            forest=decode_forest(section.data.get("forest"), grower),
            refinement=decode_object(section.section("refinement"), (Refinement,)),
        )
        for section in sections
    ]
