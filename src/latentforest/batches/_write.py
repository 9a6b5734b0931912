"""Tables to folders of Parquet files, which appear when all are complete."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from latentforest._base._errors import DataError
from latentforest._base._optional import require
from latentforest.table import Batches

PART = 2**20  # rows of a file, about


class Parts:
    """Files of a folder, filled one after the other.

    Parameters
    ----------
    folder : Path
        Where they are.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: Any = None
        self._n_files = self._n_rows = 0

    def write(self, table: Any) -> None:
        """Write the rows of a pyarrow table."""
        if self._writer is None or self._n_rows >= PART:
            self.close()
            path = self._folder / f"part-{self._n_files:05d}.parquet"
            parquet = require("pyarrow.parquet", extra="pyarrow")
            self._writer = parquet.ParquetWriter(path, table.schema)
            self._n_files, self._n_rows = self._n_files + 1, 0
        self._writer.write_table(table.cast(self._writer.schema))
        self._n_rows += table.num_rows

    def close(self) -> None:
        """Write what belongs at the end of the last file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def check_folder(to: Path) -> None:
    """Refuse a folder that holds something, before any work."""
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        message = f"{to} exists already. Give the name of a new folder."
        raise DataError(message)


@contextmanager
def new_parts(to: Path) -> Iterator[Parts]:
    """Lend a folder beside ``to``; it is renamed if all goes well, else removed."""
    check_folder(to)
    unfinished = to.with_name(f".{to.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    parts = Parts(unfinished)
    try:
        yield parts
        parts.close()
        if to.exists():
            to.rmdir()
        unfinished.rename(to)
    finally:
        parts.close()
        shutil.rmtree(unfinished, ignore_errors=True)


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
    with new_parts(to) as parts:
        for made in batches.stream(work, what=f"writing {to}"):
            parts.write(_arrow(pa, made))
    return to


def _arrow(pa: Any, made: Any) -> Any:
    if isinstance(made, dict):
        return pa.table(made)
    if isinstance(made, pa.Table):
        return made
    if hasattr(made, "to_arrow"):
        return made.to_arrow()
    return pa.Table.from_pandas(made, preserve_index=False)
