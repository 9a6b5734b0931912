"""Parquet, Feather and Arrow files, read batch by batch."""

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from shutil import copyfileobj
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from latentforest._base._errors import DataError

_INDEX = re.compile(r"__index_level_\d+__")
BATCH = 2**14  # rows of a Parquet file unpacked at once


class ArrowRows:
    """The rows of a Parquet, Feather or Arrow file.

    Parameters
    ----------
    stream : binary stream
        The bytes; what cannot be rewound is put into a temporary file first.
    label : str
        What to call the file in messages.
    kind : {"parquet", "feather", "arrow"}
        The format.

    Attributes
    ----------
    names : tuple of str
        The column names.
    n_rows : int or None
        Number of rows, where the file tells.
    n_given : int
        Rows handed out so far.
    """

    def __init__(self, stream: BinaryIO, label: str, kind: str) -> None:
        self._label, self._kind = label, kind
        self.n_given = 0
        self.notes: list[str] = []
        try:
            self._open(stream)
        except (pa.ArrowException, OSError) as exc:
            raise self._broken(exc) from exc
        self.names = tuple(self._schema.names)

    @property
    def index_names(self) -> frozenset[str]:
        """Columns that hold the index of a pandas frame, not data."""
        metadata = (self._schema.metadata or {}).get(b"pandas", b"{}")
        try:
            named = json.loads(metadata).get("index_columns", [])
        except ValueError:
            named = []
        index = {name for name in named if isinstance(name, str)}
        return frozenset(index | {n for n in self.names if _INDEX.fullmatch(n)})

    def _open(self, stream: BinaryIO) -> None:
        self.n_rows: int | None = None
        self._file: Any = None
        if self._kind == "arrow" and not stream.seekable():
            self._reader = pa.ipc.open_stream(stream)
            self._schema = self._reader.schema
            return
        source = stream if stream.seekable() else spooled(stream)
        if self._kind == "parquet":
            self._file = pq.ParquetFile(source)
            self._schema = self._file.schema_arrow
            self.n_rows = self._file.metadata.num_rows
            return
        try:
            self._reader = pa.ipc.open_file(source)
        except pa.ArrowInvalid:
            source.seek(0)
            self._reader = pa.ipc.open_stream(source)
        self._schema = self._reader.schema

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield pyarrow tables with the chosen columns, batch by batch."""
        try:
            for batch in self._batches(columns):
                self.n_given += batch.num_rows
                if batch.num_rows:
                    yield pa.Table.from_batches([batch]).select(list(columns))
        except (pa.ArrowException, OSError) as exc:
            raise self._broken(exc) from exc

    def _batches(self, columns: Sequence[str]) -> Iterator[Any]:
        if self._file is not None:
            yield from self._file.iter_batches(BATCH, columns=list(columns))
        elif hasattr(self._reader, "num_record_batches"):
            for number in range(self._reader.num_record_batches):
                yield self._reader.get_batch(number)
        else:
            yield from self._reader

    def _broken(self, exc: Exception) -> DataError:
        return DataError(
            f"{self._label} cannot be read as {self._kind}. Is it complete? ({exc})"
        )


def spooled(stream: BinaryIO) -> BinaryIO:
    """Put a stream into a temporary file, which can be rewound."""
    held = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as its reader)
    copyfileobj(stream, held)
    held.seek(0)
    return held
