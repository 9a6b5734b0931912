"""Text tables as a stream of blocks of words, in constant memory.

Bytes are read here, not by the parser's own threads, so that Ctrl-C ends a read that
waits for a pipe. They are cut between rows and handed on piece by piece.
"""

import csv
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import pyarrow as pa
from pyarrow import csv as pa_csv

from latentforest._base._errors import DataError
from latentforest._base._in_words import row_of_file
from latentforest.reading._csv_head import (
    SAMPLE,
    UTF8_MARK,
    Recoded,
    cells_of,
    encoding_of,
    excel_separator,
    find_separator,
    first_rows,
)
from latentforest.reading._dialect import Dialect
from latentforest.reading._names_line import NamesLine
from latentforest.reading._preamble import lines_before_names, note_on
from latentforest.reading._row_ends import RowEnds

PIECE = 2**20  # bytes read at once
LONGEST_ROW = 2**26  # bytes after which a quote is taken to be forgotten
_SHOWN = 60


class TextRows:
    """The rows of a CSV or TSV stream.

    Parameters
    ----------
    stream : binary stream
        The bytes, already decompressed.
    label : str
        What to call the stream in messages.
    dialect : Dialect
        How the user says that it is written.
    usual : str, default=","
        What stands between cells, if the first rows leave it open.

    Attributes
    ----------
    names : tuple of str
        The column names; a column without one is called as pandas would.
    separator : str
        The character between cells.
    notes : list of str
        What users should know of how the file is read.
    """

    def __init__(
        self, stream: BinaryIO, label: str, dialect: Dialect, usual: str = ","
    ) -> None:
        self._stream: BinaryIO | Recoded = stream
        self._label, self._dialect, self._usual = label, dialect, usual
        self.notes: list[str] = []
        self._n_read = 0
        self.separator = dialect.separator_or(usual)
        head, self._rest = self._read_head()
        self.names = self._read_names(head)

    def tables(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield pyarrow tables of words with the chosen columns, piece by piece."""
        for piece in self._pieces():
            table = self._parse(piece, columns)
            self._n_read += table.num_rows
            if table.num_rows:
                yield table

    def _read(self) -> bytes:
        try:
            return self._stream.read(PIECE)
        except UnicodeError as exc:
            encoding = self._dialect.encoding or "UTF-16"
            message = f"{self._label} is not {encoding} text ({exc})."
            raise DataError(message) from exc
        except (OSError, EOFError) as exc:
            if isinstance(exc, InterruptedError | BrokenPipeError):
                raise
            message = (
                f"{self._label} cannot be read or unpacked. Is it complete? ({exc})"
            )
            raise DataError(message) from exc

    def _read_head(self) -> tuple[bytes, bytes]:
        data = self._read()
        encoding = self._dialect.encoding or encoding_of(data)
        if encoding is not None:
            self._stream = Recoded(self._stream, data, encoding)  # type: ignore[arg-type]
            data = self._read()
        while len(data) < SAMPLE and (more := self._read()):
            data += more
        data = data.removeprefix(UTF8_MARK)
        self._n_lines = data.count(b"\n")
        data = self._after(data, self._dialect.skip_rows or 0).lstrip(b"\r\n")
        if not data.strip():
            message = f"{self._label} is empty. Give a table with a header line."
            raise DataError(message)
        data = self._without_preamble(self._find_separator(data))
        ends = RowEnds(self.separator, quotes=self._dialect.quotes)
        end, _ = ends.scan(data)
        while end < 0 and len(data) < LONGEST_ROW and (more := self._read()):
            first, _ = ends.scan(more)
            end = len(data) + first if first >= 0 else -1
            data += more
            self._n_lines += more.count(b"\n")
        if end < 0:
            self._check_end(ends, data, "the first line")
            return data, b""
        return data[:end], data[end:]

    def _find_separator(self, data: bytes) -> bytes:
        """Find what stands between cells, if the user does not say."""
        sample = data[:SAMPLE]
        told, _ = excel_separator(sample[:8].decode("utf-8", "replace"))
        if told is not None:
            data = data[data.index(b"\n") + 1 :]
            sample = data[:SAMPLE]
        if self._dialect.separator is None:
            self.separator = told or find_separator(
                sample, self._usual, quotes=self._dialect.quotes
            )
        return data

    def _without_preamble(self, data: bytes) -> bytes:
        """Leave out lines before the names, unless the user says how many."""
        if self._dialect.skip_rows is not None:
            return data
        rows = first_rows(data[:SAMPLE], self.separator, quotes=self._dialect.quotes)
        n_before = lines_before_names(rows)
        if n_before:
            self.notes.append(note_on(rows[:n_before], self._label, self._dialect))
        return self._after(data, n_before)

    def _after(self, data: bytes, n_rows: int) -> bytes:
        """Return what follows the first rows."""
        for _ in range(n_rows):
            ends = RowEnds(self.separator, quotes=self._dialect.quotes)
            end, _ = ends.scan(data)
            data = data[end:] if end >= 0 else b""
        return data

    def _read_names(self, head: bytes) -> tuple[str, ...]:
        try:
            text = head.decode("utf-8")
        except UnicodeDecodeError as exc:
            raise self._not_utf8() from exc
        if "\0" in text:
            message = (
                f"{self._label} is not a text table. Check the file and its suffix; "
                "UTF-16 without a mark needs "
                f"{self._dialect.option('encoding', 'utf-16-le')}."
            )
            raise DataError(message)
        reader = cells_of(text, self.separator, quotes=self._dialect.quotes)
        try:
            cells = next(reader)
        except csv.Error as exc:
            message = f"{self._label}: the header line cannot be read ({exc})."
            raise DataError(message) from exc
        return self._named(cells, head)

    def _named(self, cells: list[str], head: bytes) -> tuple[str, ...]:
        """Return the names of the columns; a first line without any is a row."""
        line = NamesLine.of(cells, self._label, self._dialect)
        self.notes += line.notes
        if line.is_row:
            self._rest = head + self._rest
        return line.names

    def _not_utf8(self) -> DataError:
        option = self._dialect.option
        return DataError(
            f"{self._label} is not UTF-8 text. Name its encoding, such as "
            f"{option('encoding', 'cp1252')} (Windows), or save it as UTF-8."
        )

    def _pieces(self) -> Iterator[bytes]:
        kept, more, self._rest = b"", self._rest, b""
        ends = RowEnds(
            self.separator,
            quotes=self._dialect.quotes,
            n_columns=len(self.names),
            line=1 + self._n_lines - more.count(b"\n"),
        )
        n_notes = len(self.notes)
        while True:
            _, end = ends.scan(more)
            if ends.odd_cell is not None and len(self.notes) == n_notes:
                self.notes.append(self._note_on_quote(*ends.odd_cell))
            data = kept + more
            end = len(kept) + end if end >= 0 else 0
            if end:
                yield data[:end]
            kept = data[end:]
            if len(kept) >= LONGEST_ROW or not (more := self._read()):
                break
        if kept:
            self._check_end(ends, kept, row_of_file(self._n_read))
            yield kept

    def _note_on_quote(self, line: int, count: int) -> str:
        return (
            f"{self._label}: a quote opens a cell in line {line:,} and closes it "
            f"{count:,} lines later. If it is forgotten, correct it; if quotes are "
            f"signs like others, give {self._dialect.no_quotes}."
        )

    def _check_end(self, ends: RowEnds, last: bytes, what: str) -> None:
        """Refuse a last row that does not end: a forgotten quote would swallow rows."""
        too_long = len(last) >= LONGEST_ROW
        if too_long or ends.is_open:
            place = f"within {LONGEST_ROW >> 20} MB" if too_long else "in the file"
            message = (
                f"{self._label}: {what} does not end {place}. Is a quote left open, or "
                "the file cut off?"
            )
            raise DataError(message)

    def _parse(self, piece: bytes, columns: Sequence[str]) -> Any:
        bad: list[Any] = []

        def note(row: Any) -> str:
            bad.append(row)
            return "skip"

        try:
            table = pa_csv.read_csv(
                pa.BufferReader(piece),
                pa_csv.ReadOptions(
                    use_threads=False,
                    block_size=len(piece) + 1,
                    column_names=list(self.names),
                ),
                pa_csv.ParseOptions(
                    delimiter=self.separator,
                    quote_char='"' if self._dialect.quotes else False,
                    newlines_in_values=True,
                    invalid_row_handler=note,
                ),
                pa_csv.ConvertOptions(
                    column_types=dict.fromkeys(self.names, pa.string()),
                    include_columns=list(columns),
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid as exc:
            if "UTF8" in str(exc):
                raise self._not_utf8() from exc
            message = f"{self._label}: from {row_of_file(self._n_read)} on: {exc}"
            raise DataError(message) from exc
        if bad:
            row = bad[0]
            # The parser counts from 1 within the piece.
            place = "a row"
            if row.number is not None:
                place = row_of_file(self._n_read + row.number - 1)
            message = (
                f"{self._label}: {place} has {row.actual_columns} cells, the line "
                f"of names has {row.expected_columns}: {row.text[:_SHOWN]!r}. Correct "
                f"the row, or give another {self._dialect.name('separator')}; if the "
                "names come later, say how many lines are before them with "
                f"{self._dialect.name('skip_rows')}."
            )
            if '"' in row.text:
                message += (
                    f" If quotes are signs like others, give {self._dialect.no_quotes}."
                )
            raise DataError(message)
        return table
