"""Tables to write: any format, to a file that appears when complete, or to a pipe."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa

from latentforest._base._complete import (
    check_target,
    completed,
    is_stream,
    open_stream,
)
from latentforest._base._errors import DataError, UsageError
from latentforest.batches import check_folder, new_parts
from latentforest.cli._arrow_write import ArrowSink
from latentforest.cli._csv_write import TextSink
from latentforest.cli._sheet_write import SheetSink
from latentforest.reading import STREAM, Dialect, Format, format_of


class Sink(Protocol):
    """Where blocks of rows go."""

    def write(self, table: Any) -> None:
        """Write the rows of a pyarrow table."""

    def close(self) -> None:
        """Write what belongs at the end."""


class Target(RawIOBase):
    """Where bytes go until the output is given up.

    Writers that were not closed write the end of their file when they are collected.
    By then the file is gone, and Arrow would complain on standard error.

    Parameters
    ----------
    stream : binary stream
        Where to write; it is left open.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream: BinaryIO | None = stream

    def abandon(self) -> None:
        """Let all that is still written vanish."""
        self._stream = None

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, data: Any) -> int:
        """Write bytes, or forget them."""
        return len(data) if self._stream is None else self._stream.write(data)

    def flush(self) -> None:
        """Hand on what the stream holds back, unless its owner has closed it."""
        if self._stream is not None and not self._stream.closed:
            self._stream.flush()


class Output:
    """Checked before any work: a place that can be written to.

    Parameters
    ----------
    path : str
        A file, a FIFO or device, ``-`` for standard output, or a new folder: a name
        that ends in ``/``, which gets Parquet files.
    dialect : Dialect
        How text is written.
    inputs : tuple of str
        Files that are read and must not be written over.
    """

    def __init__(self, path: str, dialect: Dialect, inputs: tuple[str, ...]) -> None:
        self.path = path
        self.label = "standard output" if path == STREAM else path
        self._folder = Path(path) if path.endswith("/") else None
        if self._folder is not None:
            check_folder(self._folder)
            self._format = Format("parquet")
        else:
            self._format = format_of(path, dialect.stream_format, written=True)
        self._separator = dialect.separator_or(self._format.separator)
        self._safe = dialect.safe_csv
        if self._safe and not self._format.is_text:
            message = (
                f"--safe-csv is for text tables, and {self._format.kind} is none. "
                "Leave it out."
            )
            raise UsageError(message)
        self._stdout: BinaryIO | None = None
        if path != STREAM:
            if self._folder is None:
                check_output(path, inputs)
            return
        self._stdout = sys.stdout.buffer
        if not self._format.is_text and sys.stdout.isatty():
            message = (
                f"{self._format.kind} cannot be shown in a terminal. Give a file: -o."
            )
            raise UsageError(message)

    @contextmanager
    def open(self, schema: Any, notations: Mapping[str, Any]) -> Iterator[Sink]:
        """Open for writing; a file gets its name when all rows are in it.

        Parameters
        ----------
        schema : pyarrow schema
            The columns.
        notations : mapping
            How text tables write columns, by name, where that is not the plain way.
        """
        if self._folder is not None:
            with new_parts(self._folder) as parts:
                yield parts
            return
        if self._stdout is not None:
            yield from self._fill(self._stdout, schema, notations)
            self._stdout.flush()
            return
        if is_stream(self.path):
            with open_stream(self.path) as raw:
                yield from self._fill(raw, schema, notations)
            return
        with completed(self.path) as unfinished, unfinished.open("wb") as raw:
            yield from self._fill(raw, schema, notations)

    def _fill(
        self, raw: BinaryIO, schema: Any, notations: Mapping[str, Any]
    ) -> Iterator[Sink]:
        target = Target(raw)
        stream: Any = target
        if self._format.compression is not None:
            stream = pa.CompressedOutputStream(
                pa.PythonFile(target, "w"), self._format.compression
            )
        try:
            sink = self._sink(stream, schema, notations)
            yield sink
            sink.close()
            if stream is not target:
                stream.close()
        except BaseException:
            target.abandon()
            raise

    def _sink(self, stream: Any, schema: Any, notations: Mapping[str, Any]) -> Sink:
        found = self._format
        if found.is_text:
            return TextSink(
                stream, schema, self._separator, safe=self._safe, notations=notations
            )
        if found.kind == "workbook":
            return SheetSink(stream, schema, self.path)
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
