"""From what a user calls a table to pieces of it."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from latentforest._base._optional import require
from latentforest.batches._local import ArrayBatches, GivenBatches
from latentforest.table import Batches, TableSchema, Whole, is_dask


def open_batches(
    X: Any,
    *,
    kinds: Any = None,
    schema: TableSchema | None = None,
    progress: bool = False,
) -> Batches:
    """Return a table as pieces that can be read again and again.

    Parameters
    ----------
    X : table, path, list of paths, array on disk, function or Dask collection
        Tables in memory are one piece. A path is that of a file, of a folder of files,
        or a pattern such as ``"rows/*.parquet"``. An array on disk is a
        ``numpy.memmap``. A function takes nothing and returns the pieces, the same
        ones whenever it is called.
    kinds : dict or None, default=None
        What the user says of columns; text in files is read accordingly.
    schema : TableSchema or None, default=None
        Columns of a fitted model; text in files is read as these say.
    progress : bool, default=False
        Show on standard error how far each pass over the table is.
    """
    if isinstance(X, Batches):
        return X
    if is_path(X) or (isinstance(X, Sequence) and X and all(map(is_path, X))):
        require("pyarrow", extra="pyarrow")
        from latentforest.reading import FileBatches  # noqa: PLC0415 (loads pyarrow)

        return FileBatches(X, kinds=kinds, schema=schema, progress=progress)
    if isinstance(X, np.memmap):
        return ArrayBatches(X)
    if is_dask(X):
        require("dask", extra="dask")
        from latentforest.batches._dask import DaskBatches  # noqa: PLC0415 (loads Dask)

        return DaskBatches(X, progress=progress)
    if callable(X) and not hasattr(X, "shape"):
        return GivenBatches(X)
    return Whole(X)


def is_path(X: Any) -> bool:
    """Whether this names a file."""
    return isinstance(X, str | PathLike)
