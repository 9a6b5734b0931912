"""Model files, as the commands need them."""

from pathlib import Path

from latentforest import RFAE
from latentforest._base._errors import DataError
from latentforest.files import ModelSummary, describe
from latentforest.reading import check_notations


def load(path: str) -> RFAE:
    """Read a model file."""
    _check_is_file(path)
    model = RFAE.load(path)
    check_notations(model.schema_.columns)
    return model


def load_decoder(path: str) -> RFAE:
    """Read a model file that can decode."""
    if not summary_of(path).has_training:
        message = (
            f"{path} was saved with --drop-training and can only encode. Fit again "
            "without --drop-training."
        )
        raise DataError(message)
    return load(path)


def summary_of(path: str) -> ModelSummary:
    """Tell what is in a model file, without building the model."""
    _check_is_file(path)
    return describe(path)


def _check_is_file(path: str) -> None:
    if Path(path).is_dir():
        message = f"{path} is a folder. Give a model file."
        raise DataError(message)
    if not Path(path).exists():
        message = f"{path}: there is no such model file. Make one: latentforest fit."
        raise DataError(message)
