"""A whole model into a file and out of it again."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Protocol, Self, TypeVar

import numpy as np

from latentforest._base._errors import ModelFileError
from latentforest._base._room import Demand
from latentforest._base._section import NewSection, Section
from latentforest._base._values import damaged
from latentforest._base._version import __version__
from latentforest.files._read import FORMAT, FORMAT_VERSION, ModelArchive
from latentforest.files._write import write_archive
from latentforest.table import TableSchema

WRONG_CONTENT = (
    ArithmeticError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


class Loadable(Protocol):
    """What a model must do to be loaded."""

    @classmethod
    def take(cls, manifest: Section) -> Self:
        """Rebuild a model from a file."""


class Savable(Loadable, Protocol):
    """What a model must do to be saved."""

    def put(self, new: NewSection, *, drop_training: bool, compact: bool) -> None:
        """Write the model to a file."""


Model = TypeVar("Model", bound=Loadable)


def save_model(
    model: Savable,
    path: str | PathLike[str],
    *,
    drop_training: bool = False,
    compact: bool = False,
) -> Path:
    """Write a fitted model to a file; see ``docs/file-format.md``.

    Parameters
    ----------
    model : RFAE
        The fitted model.
    path : path
        Where to write. The file appears when it is complete, and takes the place of
        one that is there.
    drop_training : bool, default=False
        Keep only what ``transform`` needs.
    compact : bool, default=False
        Keep fewer digits; see ``RFAE.save``.

    Returns
    -------
    Path
        The file.
    """
    new = NewSection()
    new.put("format", FORMAT)
    new.put("format_version", FORMAT_VERSION)
    new.data["written_by"] = {"latentforest": __version__, "numpy": np.__version__}
    new.put("compact", compact)
    model.put(new, drop_training=drop_training, compact=compact)
    _check_schema(new)
    members = {f"{name}.npy": array for name, array in new.arrays.items()}
    write_archive(Path(path), new.data, members, sum(new.demands, Demand()))
    return Path(path)


def _check_schema(new: NewSection) -> None:
    """Refuse columns that could not be read back."""
    try:
        TableSchema.take(Section(new.data["schema"], "the schema"))
    except ModelFileError as exc:
        message = (
            f"the columns of this model cannot be kept in a file: {exc} "
            "Keep the model with pickle instead."
        )
        raise ModelFileError(message) from exc


def load_model(
    path: str | PathLike[str], model_class: type[Model], *, whole: bool = True
) -> Model:
    """Read a model that `save_model` wrote.

    Parameters
    ----------
    path : path
        The file.
    model_class : class
        `RFAE`, or a subclass with the same parameters; or what takes a part of it.
    whole : bool, default=True
        Whether to refuse arrays that nobody asks for.

    Returns
    -------
    model_class
        The fitted model.
    """
    with naming(path), ModelArchive(path) as archive, np.errstate(all="ignore"):
        archive.need_all()
        if archive.manifest.has("compact"):  # younger than format 1
            archive.manifest.flag("compact")
        model = model_class.take(archive.manifest)
        if whole:
            archive.check_all_taken()
        return model


@contextmanager
def naming(path: str | PathLike[str]) -> Iterator[None]:
    """Let every error about the contents of a file begin with its name."""
    try:
        yield
    except ModelFileError as exc:
        raise ModelFileError(f"{path}: {exc}") from exc
    except OSError:
        raise
    except WRONG_CONTENT as exc:
        reason = " ".join(str(exc).split()) or type(exc).__name__
        raise ModelFileError(f"{path}: {damaged(reason)}") from exc
