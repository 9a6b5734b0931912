"""JSON lines, workbooks and databases: rows of values, in blocks."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from latentforest._base._checks import listed
from latentforest._base._errors import DataError
from latentforest._base._optional import require
from latentforest.reading._arrow_files import spooled
from latentforest.reading._csv_head import FIRST_ROWS
from latentforest.reading._dialect import Dialect
from latentforest.reading._names_line import NamesLine
from latentforest.reading._preamble import lines_before_names, note_on
from latentforest.reading._values import array_of, is_nested, nested_error, word_of

BATCH = 2**13  # rows handed on at once


class JsonRows:
    """The rows of a file with one JSON object in each line.

    Parameters
    ----------
    stream : binary stream
        The bytes; what cannot be rewound is put into a temporary file first.
    label : str
        What to call the file in messages.
    dialect : Dialect
        Who reads the messages.
    stack : ExitStack
        What closes the temporary file.

    Attributes
    ----------
    names : tuple of str
        All keys, in the order in which they are first seen.
    notes : list of str
        What users should know of how the file is read.
    """

    def __init__(
        self, stream: BinaryIO, label: str, dialect: Dialect, stack: ExitStack
    ) -> None:
        if not stream.seekable():
            stream = stack.enter_context(spooled(stream))
        self._stream, self._label, self._dialect = stream, label, dialect
        self.notes: list[str] = []
        self.names = tuple(dict.fromkeys(chain.from_iterable(self._objects())))
        if not self.names:
            message = f"{label} is empty. Give a JSON object in each line."
            raise DataError(message)

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield pyarrow tables with the chosen columns, piece by piece."""
        rows = ([row.get(name) for name in columns] for row in self._objects())
        return _tables(self._label, columns, rows, self._dialect)

    def _objects(self) -> Iterator[dict[str, Any]]:
        self._stream.seek(0)
        for number, line in enumerate(self._stream, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as exc:
                message = f"{self._label}: line {number} is not JSON ({exc})."
                raise DataError(message) from exc
            if not isinstance(row, dict):
                message = (
                    f"{self._label}: line {number} is no JSON object. Give one object, "
                    'such as {"a": 1, "b": "x"}, in each line.'
                )
                raise DataError(message)
            yield row


class SheetRows:
    """The rows of one sheet of a workbook; it is read as a whole.

    Parameters
    ----------
    stream : binary stream
        The bytes.
    label : str
        What to call the file in messages.
    dialect : Dialect
        Which sheet, and whether its first line holds names.

    Attributes
    ----------
    names : tuple of str
        The cells of the first line that is not empty.
    notes : list of str
        What users should know of how the file is read.
    """

    def __init__(self, stream: BinaryIO, label: str, dialect: Dialect) -> None:
        calamine = require("python_calamine", extra="excel")
        self._label, self._dialect = label, dialect
        self.notes: list[str] = []
        try:
            book = calamine.CalamineWorkbook.from_filelike(stream)
            sheet = _chosen(book.sheet_names, dialect, label, "sheets")
            rows = list(book.get_sheet_by_name(sheet).to_python())
        except (calamine.CalamineError, OSError) as exc:
            message = f"{label} cannot be read as a workbook. Is it complete? ({exc})"
            raise DataError(message) from exc
        rows = rows[self._n_before(rows) :]
        # Numbers of a workbook have no sort: whole ones are integers.
        self._rows = [[_whole(cell) for cell in row] for row in rows if any_cell(row)]
        if not self._rows:
            message = f"{label}: the sheet {sheet!r} is empty. Name another sheet."
            raise DataError(message)
        first = [word_of(cell) for cell in self._rows[0]]
        line = NamesLine.of(first, label, dialect)
        self.notes += line.notes
        self.names = line.names
        if not line.is_row:
            self._rows = self._rows[1:]

    def _n_before(self, rows: Sequence[Sequence[Any]]) -> int:
        """Count the lines before the names, if the user does not say."""
        dialect = self._dialect
        if dialect.skip_rows is not None:
            return dialect.skip_rows
        words = [[word_of(cell) for cell in row] for row in rows[:FIRST_ROWS]]
        words = [row if any(row) else [] for row in words]
        n_before = lines_before_names(words)
        if n_before:
            self.notes.append(note_on(words[:n_before], self._label, dialect))
        return n_before

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield pyarrow tables with the chosen columns, piece by piece."""
        places = [self.names.index(name) for name in columns]
        rows = ([row[place] for place in places] for row in self._rows)
        return _tables(self._label, columns, rows, self._dialect)


class DatabaseRows:
    """The rows of one table, or view, of a SQLite or DuckDB file.

    Parameters
    ----------
    path : str
        The file.
    kind : {"sqlite", "duckdb"}
        The format.
    dialect : Dialect
        Which table.
    stack : ExitStack
        What closes the file.

    Attributes
    ----------
    names : tuple of str
        The columns of the table.
    notes : list of str
        What users should know of how the file is read.
    """

    def __init__(self, path: str, kind: str, dialect: Dialect, stack: ExitStack):
        self._label, self._dialect = path, dialect
        self.notes: list[str] = []
        if kind == "sqlite":
            library = require("sqlite3", extra="cli")
            listing = (
                "select name from sqlite_master where type in ('table', 'view') and "
                "name not like 'sqlite_%' order by name"
            )
        else:
            library = require("duckdb", extra="duckdb")
            listing = "select table_name from information_schema.tables order by 1"
        self._error = library.Error
        try:
            if kind == "sqlite":
                uri = f"{Path(path).absolute().as_uri()}?mode=ro"
                self._open = library.connect(uri, uri=True)
            else:
                self._open = library.connect(path, read_only=True)
            stack.callback(self._open.close)
            tables = [name for (name,) in self._open.execute(listing).fetchall()]
            self._table = _quoted(_chosen(tables, dialect, path, "tables"))
            found = self._open.execute(f"select * from {self._table} limit 0")
            self.names = tuple(column[0] for column in found.description)
        except self._error as exc:
            raise self._broken(exc) from exc

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield pyarrow tables with the chosen columns, piece by piece."""
        named = ", ".join(_quoted(name) for name in columns)
        try:
            found = self._open.execute(f"select {named} from {self._table}")
            rows = chain.from_iterable(iter(lambda: found.fetchmany(BATCH), []))
            yield from _tables(self._label, columns, rows, self._dialect)
        except self._error as exc:
            raise self._broken(exc) from exc

    def _broken(self, exc: Exception) -> DataError:
        return DataError(f"{self._label} cannot be read as a database ({exc}).")


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _chosen(names: Sequence[str], dialect: Dialect, label: str, what: str) -> str:
    """Return the sheet or table that the user names, or the only one."""
    if dialect.sheet in names:
        return str(dialect.sheet)
    if dialect.sheet is None and len(names) == 1:
        return names[0]
    if not names:
        message = f"{label} holds no {what}."
        raise DataError(message)
    option = "table" if what == "tables" and not dialect.in_python else "sheet"
    asked = "Name one"
    if dialect.sheet is not None:
        asked = f"{dialect.sheet!r} is none of them"
    message = (
        f"{label} has the {what} {listed(names, 12)}. {asked}: "
        f"{dialect.option(option, names[0])}."
    )
    raise DataError(message)


def _tables(
    label: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    dialect: Dialect,
) -> Iterator[Any]:
    numbered, first = iter(rows), 0
    while part := list(islice(numbered, BATCH)):
        cells = []
        for j, name in enumerate(columns):
            try:
                cells.append(array_of([row[j] for row in part]))
            except TypeError as exc:
                bad = next(i for i, row in enumerate(part) if is_nested(row[j]))
                raise nested_error(label, name, first + bad, dialect) from exc
        yield pa.table(cells, names=list(columns))
        first += len(part)


def any_cell(row: Sequence[Any]) -> bool:
    """Whether a row of a sheet holds anything."""
    return any(cell is not None and cell != "" for cell in row)


def _whole(cell: Any) -> Any:
    whole = isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15
    return int(cell) if whole else cell
