"""Pieces of a table to Parquet files, which appear when all are complete."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from latentforest._base._errors import DataError
from latentforest._base._optional import require
from latentforest.table import Batches

PART = 2**20  # rows of a file, about


def write_parts(batches: Batches, work: Callable[[Any], Any], to: Path) -> Path:
    """Write what ``work`` makes of the pieces to a new folder of Parquet files.

    Parameters
    ----------
    batches : Batches
        The table.
    work : callable
        From a piece to a table, or to a dict of columns.
    to : Path
        The folder; it must not exist, or be empty.
    """
    pa = require("pyarrow", extra="pyarrow")
    pq = require("pyarrow.parquet", extra="pyarrow")
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        message = f"{to} exists already. Give the name of a new folder."
        raise DataError(message)
    unfinished = to.with_name(f".{to.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    writer, n_files, n_rows = None, 0, 0
    try:
        for made in batches.stream(work, what=f"writing {to}"):
            table = _arrow(pa, made)
            if writer is None or n_rows >= PART:
                if writer is not None:
                    writer.close()
                path = unfinished / f"part-{n_files:05d}.parquet"
                writer, n_files, n_rows = (
                    pq.ParquetWriter(path, table.schema),
                    n_files + 1,
                    0,
                )
            writer.write_table(table.cast(writer.schema))
            n_rows += table.num_rows
        if writer is not None:
            writer.close()
        if to.exists():
            to.rmdir()
        unfinished.rename(to)
    except BaseException:
        if writer is not None:
            writer.close()
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return to


def _arrow(pa: Any, made: Any) -> Any:
    if isinstance(made, dict):
        return pa.table(made)
    if isinstance(made, pa.Table):
        return made
    if hasattr(made, "to_arrow"):
        return made.to_arrow()
    return pa.Table.from_pandas(made, preserve_index=False)
