"""A whole model into a file and out of it again."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from latentforest._base._checks import check_option
from latentforest._base._errors import ModelFileError
from latentforest._base._version import __version__
from latentforest._encoding import Encoding
from latentforest._latent import LatentModel
from latentforest.decode import Decoder
from latentforest.files._decoders import put_decoder, take_decoder
from latentforest.files._dropped import DroppedDecoder, DroppedKernel
from latentforest.files._forests import put_forest, take_grower, take_trees
from latentforest.files._maps import put_encoding, take_encoding
from latentforest.files._read import FORMAT, FORMAT_VERSION, ModelArchive
from latentforest.files._schema import decode_schema, encode_schema
from latentforest.files._section import Section
from latentforest.files._settings import (
    decode_parameters,
    decode_trials,
    encode_parameters,
    encode_trials,
)
from latentforest.files._values import damaged, decode_generator, encode_generator
from latentforest.files._write import write_archive
from latentforest.table import remember_columns

Model = TypeVar("Model", bound=LatentModel)

MODEL = "RFAE"
OUTPUTS = ("default", "pandas", "polars")
WRONG_CONTENT = (
    ArithmeticError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


def save_model(
    model: LatentModel, path: str | PathLike[str], *, drop_training: bool = False
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

    Returns
    -------
    Path
        The file.
    """
    check_is_fitted(model, "decoder_")
    manifest, arrays = model_parts(model, drop_training=drop_training)
    members = {f"{name}.npy": array for name, array in arrays.items()}
    write_archive(Path(path), manifest, members)
    return Path(path)


def model_parts(
    model: Any, *, drop_training: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Take a fitted model apart: what the manifest says, and the arrays."""
    encoding: Encoding = model._encoding
    kernel = encoding.kernel
    drop_training = drop_training or isinstance(kernel, DroppedKernel)
    arrays: dict[str, Any] = {}
    output = getattr(model, "_sklearn_output_config", {}).get("transform")
    tried = getattr(model, "tried_", None)
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "model": MODEL,
        "written_by": {"latentforest": __version__, "numpy": np.__version__},
        "drop_training": drop_training,
        "parameters": encode_parameters(model, kernel.grower_),
        "output": output,
        "schema": _checked_schema(model.schema_),
        "forest": put_forest(
            kernel.forest_, kernel.grower_, arrays, drop_training=drop_training
        ),
        **put_encoding(encoding, arrays, drop_training=drop_training),
        "refine_generator": encode_generator(model._refine_rng),
        "tried": None if tried is None else encode_trials(tried, kernel.grower_),
        "decoder": None,
    }
    if not drop_training:
        context = encoding.context()
        manifest["decoder"] = put_decoder(model.decoder_, context, arrays)
    return manifest, arrays


def _checked_schema(schema: Any) -> dict[str, Any]:
    encoded = encode_schema(schema)
    try:
        decode_schema(Section(encoded, "the schema"))
    except ModelFileError as exc:
        message = (
            f"the columns of this model cannot be kept in a file: {exc} "
            "Keep the model with pickle instead."
        )
        raise ModelFileError(message) from exc
    return encoded


def load_model(path: str | PathLike[str], model_class: type[Model]) -> Model:
    """Read a model that `save_model` wrote.

    Parameters
    ----------
    path : path
        The file.
    model_class : class
        `RFAE`, or a subclass with the same parameters.

    Returns
    -------
    model_class
        The fitted model.
    """
    with naming(path), ModelArchive(path) as archive, np.errstate(all="ignore"):
        return _build(archive, model_class)


def _build(archive: ModelArchive, model_class: type[Model]) -> Model:
    manifest = archive.manifest
    check_option("model", manifest.text("model"), (MODEL,))
    dropped = manifest.flag("drop_training")
    schema = decode_schema(manifest.section("schema"))
    part = manifest.section("forest")
    forest = take_trees(part, archive, schema)
    grower = take_grower(part.section("grower"), archive, forest, schema)
    parameters = decode_parameters(manifest.section("parameters"), grower)
    encoding = take_encoding(manifest, archive, schema, forest, grower, dropped=dropped)
    decoder: Decoder = DroppedDecoder()
    if not dropped:
        context = encoding.context()
        decoder = take_decoder(manifest.section("decoder"), archive, context)
    model: Any = model_class(**parameters)
    encoding.kernel.set_params(forest=model.forest, kinds=model.kinds)
    model.schema_ = schema
    remember_columns(model, schema)
    if manifest.has("tried"):
        model.tried_ = decode_trials(manifest.sections("tried"), grower)
        if not model.tried_:
            raise damaged("nothing was tried")
        encoding.kernel.set_params(forest=model.tried_[0].forest)
    generator = manifest.section("refine_generator").data
    model._refine_rng = decode_generator(generator)
    model._settle(encoding, decoder)
    if manifest.has("output"):
        output = check_option("output", manifest.text("output"), OUTPUTS)
        model.set_output(transform=output)
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
