"""Checks of arrays that several parts of a model share."""

import os

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import ModelFileError
from latentforest._base._types import Coords
from latentforest.files._read import ModelArchive
from latentforest.files._values import damaged

LARGEST = 1e100  # coordinates; their squares must be finite


def take_coords(
    archive: ModelArchive, name: str, shape: tuple[int | None, ...]
) -> NDArray[np.float64]:
    """Read an array of finite numbers that are not too large to compute with."""
    coords: Coords = archive.take(name, np.float64, shape)
    if not (np.abs(coords) < LARGEST).all():  # NaN compares false
        raise damaged(f"{name} holds numbers that are too large, or none")
    return coords


def check_rising(rows: NDArray[np.int64], n_rows: int, what: str) -> None:
    """Refuse anything but rows of the table in rising order, at least one."""
    inside = len(rows) > 0 and rows[0] >= 0 and rows[-1] < n_rows
    if not inside or (np.diff(rows) <= 0).any():
        raise damaged(f"{what} are no rows of the table in rising order")


def check_memory(n_bytes: int) -> None:
    """Refuse a model that this machine has no room for."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return
    room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if n_bytes > room:
        message = (
            f"the model needs more than {n_bytes / 2**30:.0f} GiB of memory, but this "
            f"machine has {room / 2**30:.0f} GiB. Load it on a larger one."
        )
        raise ModelFileError(message)
