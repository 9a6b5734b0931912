"""Blocks of rows that wait in a temporary file until all of them are known."""

import tempfile
from collections.abc import Iterator
from typing import Any, Self

import pyarrow as pa
import pyarrow.ipc


class Spool:
    """Tables of one schema, that of the first; the file vanishes when it is closed."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed by __exit__)
        self._schema: Any = None
        self._writer: Any = None

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let the file vanish."""
        self._file.close()

    def write(self, table: Any) -> None:
        """Keep a block of rows."""
        if self._writer is None:
            self._schema = table.schema
            self._writer = pa.ipc.new_stream(self._file, self._schema)
        self._writer.write_table(table.cast(self._schema))

    def blocks(self) -> Iterator[Any]:
        """Return the blocks, once all were written."""
        if self._writer is None:
            return
        self._writer.close()
        self._file.seek(0)
        for batch in pa.ipc.open_stream(self._file):
            yield pa.Table.from_batches([batch])
