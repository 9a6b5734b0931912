"""Text tables as a stream of blocks of words, in constant memory.

Bytes are read here, not by the parser's own threads, so that Ctrl-C ends a read that
waits for a pipe. They are cut between rows and handed on piece by piece.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from pyarrow import csv as pa_csv

from latentforest.cli._exit import DataError

PIECE = 2**20  # bytes read at once
LONGEST_ROW = 2**26  # bytes after which a quote is taken to be forgotten
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_SHOWN = 60


class TextRows:
    """The rows of a CSV or TSV stream.

    Parameters
    ----------
    stream : binary stream
        The bytes, already decompressed.
    label : str
        What to call the stream in messages.
    separator : str
        The character between cells.

    Attributes
    ----------
    names : tuple of str
        The column names; a column without one is called as pandas would.
    """

    def __init__(self, stream: BinaryIO, label: str, separator: str) -> None:
        self._stream, self._label, self._separator = stream, label, separator
        head, self._rest = self._read_head()
        self.names = self._read_names(head)
        self._n_read = 0

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
        except (OSError, EOFError) as exc:
            if isinstance(exc, InterruptedError | BrokenPipeError):
                raise
            message = (
                f"{self._label} cannot be read or unpacked. Is it complete? ({exc})"
            )
            raise DataError(message) from exc

    def _read_head(self) -> tuple[bytes, bytes]:
        data = self._read()
        if data.startswith(_UTF16_MARKS):
            message = f"{self._label} is UTF-16 text. Save it as UTF-8."
            raise DataError(message)
        data = data.removeprefix(_UTF8_MARK).lstrip(b"\r\n")
        if not data.strip():
            message = f"{self._label} is empty. Give a table with a header line."
            raise DataError(message)
        end = 0
        while True:
            end = data.find(b"\n", end) + 1
            if end == 0:
                more = self._read() if len(data) < LONGEST_ROW else b""
                if not more:
                    return data, b""
                end, data = len(data), data + more
            elif data.count(b'"', 0, end) % 2 == 0:
                return data[:end], data[end:]

    def _read_names(self, head: bytes) -> tuple[str, ...]:
        try:
            text = head.decode("utf-8")
        except UnicodeDecodeError as exc:
            raise self._not_utf8() from exc
        if "\0" in text:
            message = (
                f"{self._label} is not a text table. Check the file and its suffix."
            )
            raise DataError(message)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=self._separator)
        try:
            cells = next(reader)
        except csv.Error as exc:
            message = f"{self._label}: the header line cannot be read ({exc})."
            raise DataError(message) from exc
        self._check_separator(cells)
        return tuple(cell or f"Unnamed: {j}" for j, cell in enumerate(cells))

    def _check_separator(self, cells: list[str]) -> None:
        found = [mark for mark in ";\t|," if mark in cells[0]]
        if len(cells) == 1 and found and found[0] != self._separator:
            shown = "tab" if found[0] == "\t" else found[0]
            message = (
                f"{self._label} has one column, {cells[0][:_SHOWN]!r}. If that is a "
                f"whole header line, give --separator '{shown}'."
            )
            raise DataError(message)

    def _not_utf8(self) -> DataError:
        return DataError(
            f"{self._label} is not UTF-8 text. Convert it, for example with "
            "iconv -f latin1 -t utf8."
        )

    def _pieces(self) -> Iterator[bytes]:
        data, self._rest = self._rest, b""
        while True:
            end = _last_row_end(data)
            if end:
                yield data[:end]
            kept = data[end:]
            if len(kept) > LONGEST_ROW:
                message = (
                    f"{self._label}: a row after row {self._n_read} does not end "
                    f"within {LONGEST_ROW >> 20} MB. Is a quote left open?"
                )
                raise DataError(message)
            more = self._read()
            if not more:
                break
            data = kept + more
        if kept:
            yield kept

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
                    delimiter=self._separator,
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
            message = f"{self._label}: after row {self._n_read}: {exc}"
            raise DataError(message) from exc
        if bad:
            row = bad[0]
            # The parser counts from 1 within the piece.
            place = "" if row.number is None else f" {self._n_read + row.number}"
            message = (
                f"{self._label}: row{place} has {row.actual_columns} cells, the line "
                f"of names has {row.expected_columns}: {row.text[:_SHOWN]!r}. Correct "
                "the row, or give another --separator."
            )
            raise DataError(message)
        return table


def _last_row_end(data: bytes) -> int:
    """Where the last complete row ends; line ends within quotes do not count."""
    if b'"' not in data:
        return data.rfind(b"\n") + 1
    marks = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(marks == ord("\n"))
    quotes = np.flatnonzero(marks == ord('"'))
    outside = ends[np.searchsorted(quotes, ends) % 2 == 0]
    return int(outside[-1]) + 1 if len(outside) else 0
