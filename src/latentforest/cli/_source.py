"""Tables to read: any format, from a file or from standard input, in blocks of rows."""

import os
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import pyarrow as pa

from latentforest._base._checks import listed
from latentforest.cli._arrow_files import ArrowRows
from latentforest.cli._cells import MISSING
from latentforest.cli._csv_read import TextRows
from latentforest.cli._exit import DataError
from latentforest.cli._formats import STREAM, format_of, separator_of
from latentforest.cli._notes import Notes


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the user says that text tables and standard streams are written."""

    separator: str | None = None
    na: tuple[str, ...] = ()
    only_na: bool = False
    stream_format: str | None = None
    safe_csv: bool = False  # written only

    @property
    def missing(self) -> frozenset[str]:
        """Words that mean missing."""
        usual = ("",) if self.only_na else MISSING
        return frozenset((*usual, *self.na))


class Source:
    """A table that is read once, from its first row to its last.

    Parameters
    ----------
    path : str
        A file, or ``-`` for standard input.
    dialect : Dialect
        How text is written.

    Attributes
    ----------
    label : str
        What to call the table in messages.
    names : tuple of str
        Its columns.
    is_text : bool
        Whether cells come as words.
    missing : frozenset of str
        Words that mean missing.
    """

    def __init__(self, path: str, dialect: Dialect) -> None:
        found = format_of(path, dialect.stream_format)
        separator = separator_of(dialect.separator, found)
        self.label = "standard input" if path == STREAM else path
        self.is_text, self.missing = found.is_text, dialect.missing
        with ExitStack() as stack:
            self._raw = _open(path, stack)
            self.n_bytes = (
                None if path == STREAM else os.fstat(self._raw.fileno()).st_size
            )
            stream: BinaryIO = self._raw
            if found.compression is not None:
                stream = _unpacked(self._raw, found.compression)
            self._rows: TextRows | ArrowRows
            if found.is_text:
                self._rows = TextRows(stream, self.label, separator)
            else:
                self._rows = ArrowRows(stream, self.label, found.kind)
            self.names = self._rows.names
            self._refuse_repeated()
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def data_names(self) -> tuple[str, ...]:
        """The columns without those that hold the index of a pandas frame."""
        if isinstance(self._rows, TextRows):
            return self.names
        index = self._rows.index_names
        return tuple(name for name in self.names if name not in index)

    @property
    def done(self) -> float | None:
        """Share of the table that has been read; None where nobody can tell."""
        if isinstance(self._rows, ArrowRows) and self._rows.n_rows:
            return self._rows.n_given / self._rows.n_rows
        if self.n_bytes and self.is_text:
            return self._raw.tell() / self.n_bytes
        return None

    def blocks(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        """Yield pyarrow tables of ``n_rows`` rows, the last one of what is left."""
        waiting: list[Any] = []
        n_waiting = 0
        found = False
        for table in self._rows.tables(columns):
            found = True
            waiting.append(table)
            n_waiting += table.num_rows
            while n_waiting >= n_rows:
                joined = pa.concat_tables(waiting)
                yield joined.slice(0, n_rows).combine_chunks()
                waiting = [joined.slice(n_rows)]
                n_waiting -= n_rows
        if n_waiting:
            yield pa.concat_tables(waiting).combine_chunks()
        if not found:
            message = f"{self.label} has a header line, but no rows."
            raise DataError(message)

    def whole(self, columns: Sequence[str], notes: Notes) -> Any:
        """Return all rows as one pyarrow table."""
        tables, n_rows = [], 0
        with notes.progress(f"reading {self.label}") as bar:
            for table in self._rows.tables(columns):
                tables.append(table)
                n_rows += table.num_rows
                bar.reach(n_rows, self.done)
        if not tables:
            message = f"{self.label} has a header line, but no rows."
            raise DataError(message)
        return pa.concat_tables(tables).combine_chunks()

    def require(self, wanted: Collection[str], why: str) -> None:
        """Refuse a table that lacks columns, and name them."""
        lacking = [name for name in wanted if name not in self.names]
        if lacking:
            message = (
                f"{self.label}: {why} {listed(lacking)} not found. The columns are "
                f"{listed(self.names, 12)}."
            )
            raise DataError(message)

    def _refuse_repeated(self) -> None:
        repeated = [name for name, count in Counter(self.names).items() if count > 1]
        if repeated:
            message = (
                f"{self.label}: column names must be distinct, given more than once: "
                f"{listed(repeated)}. Rename these columns."
            )
            raise DataError(message)


def _open(path: str, stack: ExitStack) -> BinaryIO:
    if path == STREAM:
        return sys.stdin.buffer
    if Path(path).is_dir():
        message = f"{path} is a folder. Give a file."
        raise DataError(message)
    try:
        return stack.enter_context(Path(path).open("rb"))
    except FileNotFoundError as exc:
        message = f"{path}: there is no such file. Check the name and the folder."
        raise DataError(message) from exc


def _unpacked(raw: BinaryIO, compression: str) -> BinaryIO:
    stream: BinaryIO = pa.CompressedInputStream(pa.PythonFile(raw, "r"), compression)
    return stream
