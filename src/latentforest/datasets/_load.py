"""Data sets as pandas frames."""

import gzip
import os
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from latentforest.datasets._catalogue import describe
from latentforest.datasets._digests import read_expression
from latentforest.datasets._fetch import fetch
from latentforest.datasets._records import Dataset

Bytes: TypeAlias = NDArray[np.uint8]

DATA = "LATENTFOREST_DATA"
# Acute myeloid leukaemia; the other patients have the lymphoblastic one.
MYELOID = (*range(28, 39), *range(50, 55), 57, 58, *range(60, 67))


def load(name: str, *, verbose: bool = True) -> Any:
    """Load a table of the paper, MNIST or Golub's, fetched once and then kept.

    Files come from their public homes, are compared with a checksum and kept in a
    cache folder: the one named by the environment variable LATENTFOREST_CACHE, or
    the system's (``~/.cache/latentforest`` on Linux). A download that broke off goes
    on where it stopped. Where LATENTFOREST_DATA names a folder, the table is read
    from there, as it is, and nothing is fetched. LATENTFOREST_MIRROR is the address
    of a server with the same files: ``https://host/path`` is asked for as
    ``MIRROR/host/path``.

    Parameters
    ----------
    name : str
        One of `names()`. In ``"mnist"`` the columns are ``pixel 0`` … ``pixel 783``
        and ``digit``; in ``"golub"`` they are the probes and ``class``.
    verbose : bool, default=True
        Show a bar while fetching.

    Returns
    -------
    DataFrame
        The table, its class included; `describe` says whose it is.

    Raises
    ------
    DownloadError
        If a file cannot be fetched, or has another checksum.

    Examples
    --------
    >>> from latentforest import datasets
    >>> table = datasets.load("plpn")  # doctest: +SKIP
    >>> table.shape  # doctest: +SKIP
    (333, 8)
    """
    dataset = describe(name)
    if folder := os.environ.get(DATA):
        return _from_own(dataset, Path(folder).expanduser())
    files = [fetch(dataset, part, verbose=verbose) for part in dataset.parts]
    if name == "mnist":
        arrays = [_read_idx(file) for file in files]
        return _digits(arrays[0], arrays[1], arrays[2], arrays[3])
    if name == "golub":
        return _with_class(pd.concat([read_expression(file) for file in files]))
    return pd.read_csv(files[0])


def _from_own(dataset: Dataset, folder: Path) -> Any:
    """Read a data set from the user's folder."""
    file = folder / dataset.own_file
    if not file.exists():
        message = (
            f"{DATA} is {folder}, where there is no {dataset.own_file}. Put it there, "
            f"or unset {DATA}: then {dataset.name} is fetched from {dataset.urls[0]}."
        )
        raise FileNotFoundError(message)
    if dataset.name == "mnist":
        with np.load(file) as found:
            return _digits(
                *(found[f"{x}_{of}"] for of in ("train", "test") for x in "xy")
            )
    if dataset.name == "golub":
        with np.load(file) as found:
            patients = pd.RangeIndex(1, 1 + len(found["x"]), name="patient")
            return _with_class(
                pd.DataFrame(found["x"], index=patients, columns=found["genes"])
            )
    return pd.read_csv(file)


def _read_idx(file: Path) -> Bytes:
    """Read a packed array of bytes in the format IDX."""
    with gzip.open(file) as stream:
        content = stream.read()
    n_axes = content[3]
    shape = np.frombuffer(content, ">u4", count=n_axes, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * n_axes).reshape(shape)


def _digits(images: Bytes, digits: Bytes, new_images: Bytes, new_digits: Bytes) -> Any:
    """Return pixels and digits as a table, training rows first."""
    pixels = np.concatenate([images, new_images])
    pixels = pixels.reshape(len(pixels), -1)
    columns = [f"pixel {j}" for j in range(pixels.shape[1])]
    table = pd.DataFrame(pixels, columns=columns)
    return table.assign(digit=np.concatenate([digits, new_digits]))


def _with_class(rows: Any) -> Any:
    """Return the rows with the class of each patient behind."""
    label = np.where(rows.index.isin(MYELOID), "AML", "ALL")
    return pd.concat([rows, pd.Series(label, rows.index, name="class")], axis=1)
