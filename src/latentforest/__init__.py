"""Autoencoding random forests: tables to latent coordinates and back."""

# ruff: noqa: F405 (the names of __all__ are those of _public, by a test)
from importlib import import_module
from typing import TYPE_CHECKING, Any

from latentforest._base._version import __version__

if TYPE_CHECKING:
    from latentforest._public import *  # noqa: F403

__all__ = [
    "RFAE",
    "AdversarialForest",
    "AutoDecoder",
    "AutoRefinement",
    "ColumnKind",
    "CompletelyRandomForest",
    "Decoder",
    "DiffusionMap",
    "EForest",
    "Forecast",
    "ForestKernel",
    "ILPDecoder",
    "ILPWarning",
    "KNNDecoder",
    "LassoDecoder",
    "LocalLinearDecoder",
    "MissingExtraError",
    "ModelFileError",
    "OddCells",
    "OddRows",
    "PackedDecoder",
    "RecallWarning",
    "Refinement",
    "RegionDecoder",
    "RelabelDecoder",
    "RoomError",
    "SchemaError",
    "Scorer",
    "ShiHorvathForest",
    "SpectrumWarning",
    "SupervisedForest",
    "TableCodec",
    "TableSchema",
    "Uncertainty",
    "UnseenLevelsWarning",
    "WildCellsWarning",
    "__version__",
    "read_table",
]


def __getattr__(name: str) -> Any:
    """Load the package when something of it is first asked for.

    That takes seconds, and the command line must answer to Ctrl-C from the first. A
    scorer needs little of it.
    """
    if name == "Scorer":
        globals()[name] = import_module("latentforest._scorer").Scorer
        return globals()[name]
    if name in {"datasets", "plot"}:  # rooms that nothing else loads
        return import_module(f"latentforest.{name}")
    if not name.startswith("__"):
        public = import_module("latentforest._public")
        globals().update({name: getattr(public, name) for name in public.__all__})
        if name in globals():  # also a room, which is loaded by now
            return globals()[name]
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
