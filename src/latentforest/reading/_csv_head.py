"""The beginning of a text table: its encoding, its separator, its line of names."""

import csv
import io
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from latentforest.reading._preamble import lines_before_names
from latentforest.reading._row_ends import RowEnds

UTF8_MARK = b"\xef\xbb\xbf"
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
SAMPLE = 2**16  # bytes that are looked at to find the separator
FIRST_ROWS = 200  # rows that are looked at
_SEPARATORS = ",;\t|"
_EXCEL = re.compile(r"sep=([,;\t|])\r?\n")


class Recoded:
    """Bytes of another encoding, handed on as UTF-8.

    Parameters
    ----------
    stream : binary stream
        The bytes.
    first : bytes
        What was read of them already.
    encoding : str
        Their encoding.
    """

    def __init__(self, stream: BinaryIO, first: bytes, encoding: str) -> None:
        self._stream, self._first = stream, first
        self._decoder = getincrementaldecoder(encoding)()

    def read(self, size: int) -> bytes:
        """Return some bytes of UTF-8, none at the end."""
        while True:
            data, self._first = self._first or self._stream.read(size), b""
            text = self._decoder.decode(data, final=not data)
            if text or not data:
                return text.encode()


def encoding_of(first: bytes) -> str | None:
    """Return the encoding that a mark at the beginning tells; None for UTF-8."""
    return _MARKS.get(first[:2])


def excel_separator(text: str) -> tuple[str | None, str]:
    """Return the separator of a first line ``sep=;``, and the text without it."""
    found = _EXCEL.match(text)
    return (found[1], text[found.end() :]) if found else (None, text)


def find_separator(sample: bytes, usual: str, *, quotes: bool = True) -> str:
    """Return the character that cuts all rows into the same number of cells.

    Commas are in numbers, too: another character that cuts all rows alike comes
    first. Where none does, it is one that cuts all rows alike but for lines before the
    names; then the usual one if the first line has it, else the one that cuts the first
    line into most cells.
    """
    rows = {mark: first_rows(sample, mark, quotes=quotes) for mark in _SEPARATORS}
    counts = {mark: [len(row) for row in rows[mark] if row] for mark in _SEPARATORS}
    cuts = {mark: found for mark, found in counts.items() if found and found[0] > 1}
    alike = [mark for mark, found in cuts.items() if len(set(found)) == 1]
    if alike:
        return max(alike, key=lambda mark: (mark != ",", cuts[mark][0], mark == usual))
    later = [mark for mark in _SEPARATORS if lines_before_names(rows[mark])]
    if later:
        return max(later, key=lambda mark: (mark != ",", counts[mark][-1]))
    if usual in cuts or not cuts:
        return usual
    return max(cuts, key=lambda mark: cuts[mark][0])


def cells_of(text: str, mark: str, *, quotes: bool = True) -> Iterator[list[str]]:
    """Return what reads the cells of text, row by row."""
    text_io = io.StringIO(text, newline="")
    if quotes:
        return csv.reader(text_io, delimiter=mark)
    return csv.reader(text_io, delimiter=mark, quoting=csv.QUOTE_NONE)


def first_rows(sample: bytes, mark: str, *, quotes: bool = True) -> list[list[str]]:
    """Return the cells of the first rows; a blank line has none."""
    _, end = RowEnds(mark, quotes=quotes).scan(sample)
    text = (sample[:end] if end > 0 else sample).decode("utf-8", "replace")
    reader = cells_of(text, mark, quotes=quotes)
    try:
        return list(islice(reader, FIRST_ROWS))
    except csv.Error:
        return []
