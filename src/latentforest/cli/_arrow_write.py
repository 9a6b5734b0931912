"""Parquet, Feather and Arrow files, written batch by batch."""

from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq


class ArrowSink:
    """Write Parquet, Feather or Arrow, one batch of rows after the other.

    Parameters
    ----------
    stream : binary stream
        Where to write.
    schema : pyarrow schema
        The columns.
    kind : {"parquet", "feather", "arrow"}
        The format.
    as_stream : bool
        Write Arrow's format for streams, which a reader can follow as it comes.
    """

    def __init__(
        self, stream: BinaryIO, schema: Any, kind: str, *, as_stream: bool
    ) -> None:
        self._schema = schema
        self._writer: Any
        if kind == "parquet":
            self._writer = pq.ParquetWriter(stream, schema)
        elif kind == "arrow" and as_stream:
            self._writer = pa.ipc.new_stream(stream, schema)
        else:
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            self._writer = pa.ipc.new_file(stream, schema, options=options)

    def write(self, table: Any) -> None:
        """Write the rows of a pyarrow table."""
        self._writer.write_table(table.cast(self._schema))

    def close(self) -> None:
        """Write what belongs at the end of the file."""
        self._writer.close()
