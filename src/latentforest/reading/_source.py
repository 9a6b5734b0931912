"""Tables to read: any format, from a file or from standard input, in blocks of rows."""

import os
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol, Self

import pyarrow as pa

from latentforest._base._checks import listed
from latentforest._base._errors import DataError, UsageError
from latentforest._base._progress import Bar
from latentforest.reading._arrow_files import ArrowRows
from latentforest.reading._csv_read import TextRows
from latentforest.reading._dialect import Dialect
from latentforest.reading._formats import STREAM, Format, format_of
from latentforest.reading._records import DatabaseRows, JsonRows, SheetRows
from latentforest.reading._values import join_tables


class Rows(Protocol):
    """What reads one file: names at once, then tables of rows."""

    names: tuple[str, ...]
    notes: list[str]

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield pyarrow tables with the chosen columns, piece by piece."""


class Source:
    """A table that is read once, from its first row to its last.

    Parameters
    ----------
    path : str
        A file, or ``-`` for standard input.
    dialect : Dialect
        How text is written.
    stream : binary stream or None, default=None
        What to read instead of standard input.

    Attributes
    ----------
    label : str
        What to call the table in messages.
    names : tuple of str
        Its columns.
    is_text : bool
        Whether cells come as words.
    dialect : Dialect
        How the user says that it is written.
    """

    def __init__(
        self, path: str, dialect: Dialect, stream: BinaryIO | None = None
    ) -> None:
        found = format_of(path, dialect.stream_format)
        dialect.separator_or(found.separator)  # refuses what is none
        if dialect.sheet is not None and not found.has_sheets:
            message = (
                f"{dialect.option('sheet', dialect.sheet)} is for workbooks and "
                f"databases, and {path} is neither. Leave it out."
            )
            raise UsageError(message)
        if dialect.skip_rows and not (found.is_text or found.kind == "workbook"):
            message = (
                f"{dialect.option('skip_rows', dialect.skip_rows)} is for text and "
                f"workbooks, and {path} is neither. Leave it out."
            )
            raise UsageError(message)
        self.label = "standard input" if path == STREAM else path
        if stream is not None:
            self.label = "the file"
        self.is_text, self.dialect = found.holds_words, dialect
        with ExitStack() as stack:
            self._raw = _open(path, stack) if stream is None else stream
            self.n_bytes = (
                None if path == STREAM else os.fstat(self._raw.fileno()).st_size
            )
            unpacked = self._raw
            if found.compression is not None:
                unpacked = _unpacked(self._raw, found.compression)
            self._rows = self._open_rows(found, unpacked, path, stack)
            self.names = self._rows.names
            self._refuse_repeated()
            self._stack = stack.pop_all()

    def _open_rows(
        self, found: Format, stream: BinaryIO, path: str, stack: ExitStack
    ) -> Rows:
        if found.is_text:
            return TextRows(stream, self.label, self.dialect, found.separator)
        if found.kind == "jsonl":
            return JsonRows(stream, self.label, self.dialect, stack)
        if found.kind == "workbook":
            return SheetRows(stream, self.label, self.dialect)
        if found.kind in {"sqlite", "duckdb"}:
            return DatabaseRows(path, found.kind, self.dialect, stack)
        return ArrowRows(stream, self.label, found.kind)

    @property
    def missing(self) -> frozenset[str]:
        """Words that mean missing."""
        return self.dialect.missing

    @property
    def notes(self) -> list[str]:
        """What users should know of how the file is read."""
        return self._rows.notes

    @property
    def commas_are_decimal(self) -> bool:
        """Whether cells are kept apart by semicolons, as where commas are decimal."""
        return isinstance(self._rows, TextRows) and self._rows.separator == ";"

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
        if not isinstance(self._rows, ArrowRows):
            return self.names
        index = self._rows.index_names
        return tuple(name for name in self.names if name not in index)

    @property
    def done(self) -> float | None:
        """Share of the table that has been read; None where nobody can tell."""
        if isinstance(self._rows, ArrowRows) and self._rows.n_rows:
            return self._rows.n_given / self._rows.n_rows
        if self.n_bytes and isinstance(self._rows, TextRows):
            return self._raw.tell() / self.n_bytes
        return None

    def blocks(
        self, columns: Sequence[str], n_rows: int, *, may_be_empty: bool = False
    ) -> Iterator[Any]:
        """Yield pyarrow tables of ``n_rows`` rows, the last one of what is left.

        ``may_be_empty``: other files may have rows, if this one has none.
        """
        waiting: list[Any] = []
        n_waiting = 0
        found = False
        for table in self._rows.tables(columns):
            found = True
            waiting.append(table)
            n_waiting += table.num_rows
            while n_waiting >= n_rows:
                joined = join_tables(waiting)
                yield joined.slice(0, n_rows).combine_chunks()
                waiting = [joined.slice(n_rows)]
                n_waiting -= n_rows
        if n_waiting:
            yield join_tables(waiting).combine_chunks()
        if not found and not may_be_empty:
            raise self.no_rows()

    def whole(self, columns: Sequence[str], bar: Bar) -> Any:
        """Return all rows as one pyarrow table, and tell a bar how far it is."""
        tables, n_rows = [], 0
        for table in self._rows.tables(columns):
            tables.append(table)
            n_rows += table.num_rows
            bar.reach(n_rows, self.done)
        if not tables:
            raise self.no_rows()
        return join_tables(tables).combine_chunks()

    def no_rows(self) -> DataError:
        """Return the error for a table of names only."""
        return DataError(f"{self.label} has names of columns, but no rows.")

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
                f"{listed(repeated)}. Rename these columns; if the first line is a "
                f"row and no line of names, give {self.dialect.no_header}."
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
