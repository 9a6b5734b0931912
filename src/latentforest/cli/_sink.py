"""Tables to write: any format, to a file that appears when complete, or to a pipe."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa

from latentforest._base._complete import (
    check_target,
    completed,
    is_stream,
    open_stream,
)
from latentforest.cli._arrow_files import ArrowSink
from latentforest.cli._csv_write import TextSink
from latentforest.cli._exit import DataError, UsageError
from latentforest.cli._formats import STREAM, Format, format_of, separator_of
from latentforest.cli._source import Dialect


class Sink(Protocol):
    """Where blocks of rows go."""

    def write(self, table: Any) -> None:
        """Write the rows of a pyarrow table."""

    def close(self) -> None:
        """Write what belongs at the end."""


class Output:
    """Checked before any work: a place that can be written to.

    Parameters
    ----------
    path : str
        A file, a FIFO or device, or ``-`` for standard output.
    dialect : Dialect
        How text is written.
    inputs : tuple of str
        Files that are read and must not be written over.
    """

    def __init__(self, path: str, dialect: Dialect, inputs: tuple[str, ...]) -> None:
        self.path = path
        self._format = format_of(path, dialect.stream_format)
        self._separator = separator_of(dialect.separator, self._format)
        if path != STREAM:
            check_output(path, inputs)
        elif not self._format.is_text and sys.stdout.isatty():
            message = (
                f"{self._format.kind} cannot be shown in a terminal. Give a file: -o."
            )
            raise UsageError(message)

    @contextmanager
    def open(self, schema: Any) -> Iterator[Sink]:
        """Open for writing; a file gets its name when all rows are in it."""
        if self.path == STREAM:
            yield from self._fill(sys.stdout.buffer, schema)
            sys.stdout.buffer.flush()
            return
        if is_stream(self.path):
            with open_stream(self.path) as raw:
                yield from self._fill(raw, schema)
            return
        with completed(self.path) as unfinished, unfinished.open("wb") as raw:
            yield from self._fill(raw, schema)

    def _fill(self, raw: BinaryIO, schema: Any) -> Iterator[Sink]:
        stream: Any = raw
        if self._format.compression is not None:
            stream = pa.CompressedOutputStream(
                pa.PythonFile(raw, "w"), self._format.compression
            )
        sink = self._sink(stream, self._format, schema)
        yield sink
        sink.close()
        if stream is not raw:
            stream.close()

    def _sink(self, stream: Any, found: Format, schema: Any) -> Sink:
        if found.is_text:
            return TextSink(stream, schema, self._separator)
        as_stream = self.path == STREAM or is_stream(self.path)
        return ArrowSink(stream, schema, found.kind, as_stream=as_stream)


def check_output(path: str, inputs: tuple[str, ...] = ()) -> None:
    """Refuse a place where no file can be written, before any work."""
    target = check_target(path)
    for given in inputs:
        # What is not there at all is complained about by whoever reads it.
        there = given != STREAM and target.exists() and Path(given).exists()
        if there and target.samefile(given):
            message = f"{path} is an input and is not overwritten. Give another -o."
            raise DataError(message)
