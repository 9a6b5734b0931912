"""Workbooks with one sheet, written block by block."""

import re
import zipfile
from collections.abc import Sequence
from typing import Any, BinaryIO
from xml.sax.saxutils import escape

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._errors import DataError
from latentforest.cli._iso import iso_words

MOST_ROWS, MOST_COLUMNS, MOST_LETTERS = 2**20, 2**14, 32_767  # that a sheet can hold
_DIGITS = 15  # of a whole number that Excel keeps
_FIRST = np.datetime64("1900-03-01", "D").astype(int)  # before, Excel's days are wrong
_DAY_ZERO = 25_569  # Excel's number of 1970-01-01
_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_FORMATS = ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss", "hh:mm:ss", "[h]:mm:ss")
_DATE, _STAMP, _TIME, _LENGTH = range(1, 5)  # styles of cells
# What XML cannot hold is written as _x0001_, and so is what looks like that.
_NOT_XML = re.compile(
    "[\x00-\x08\x0b\x0c\r\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)"
)

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_SCHEMAS = "http://schemas.openxmlformats.org"
_MAIN = f'xmlns="{_SCHEMAS}/spreadsheetml/2006/main"'
_OFFICE = f"{_SCHEMAS}/officeDocument/2006/relationships"
_SORT = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_LINKS = f'<Relationships xmlns="{_SCHEMAS}/package/2006/relationships">'
_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_SCHEMAS}/package/2006/content-types"><Default '
        'Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        'relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_SORT}.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" '
        f'ContentType="{_SORT}.worksheet+xml"/><Override PartName="/xl/styles.xml" '
        f'ContentType="{_SORT}.styles+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'{_LINKS}<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook {_MAIN} xmlns:r="{_OFFICE}"><sheets><sheet name="rows" '
        'sheetId="1" r:id="rId1"/></sheets></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'{_LINKS}<Relationship Id="rId1" Type="{_OFFICE}/worksheet" '
        'Target="worksheets/sheet1.xml"/><Relationship Id="rId2" '
        f'Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>'
    ),
    "xl/styles.xml": (
        f'<styleSheet {_MAIN}><numFmts count="{len(_FORMATS)}">'
        + "".join(
            f'<numFmt numFmtId="{164 + i}" formatCode="{code}"/>'
            for i, code in enumerate(_FORMATS)
        )
        + '</numFmts><fonts count="1"><font/></fonts><fills count="2"><fill>'
        '<patternFill patternType="none"/></fill><fill><patternFill '
        'patternType="gray125"/></fill></fills><borders count="1"><border/></borders>'
        '<cellStyleXfs count="1"><xf/></cellStyleXfs>'
        f'<cellXfs count="{len(_FORMATS) + 1}"><xf/>'
        + "".join(
            f'<xf numFmtId="{164 + i}" applyNumberFormat="1"/>'
            for i in range(len(_FORMATS))
        )
        + '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" '
        'builtinId="0"/></cellStyles></styleSheet>'
    ),
}


class SheetSink:
    """Write an .xlsx file: numbers and dates as such, all else as text.

    Excel knows no zones, no days before 1900-03-01, no negative times and no whole
    numbers of more than 15 digits: these cells are text, too.

    Parameters
    ----------
    stream : binary stream
        Where to write.
    schema : pyarrow schema
        The columns.
    label : str
        What to call the file in messages.
    """

    def __init__(self, stream: BinaryIO, schema: Any, label: str) -> None:
        self._label, self._n_rows = label, 0
        if len(schema.names) > MOST_COLUMNS:
            raise self._too_much(f"{MOST_COLUMNS:,} columns")
        self._letters = [_letters(column) for column in range(len(schema.names))]
        self._zip = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED)
        for name, text in _PARTS.items():
            self._zip.writestr(_member(name), _HEAD + text)
        member = _member("xl/worksheets/sheet1.xml")
        self._sheet = self._zip.open(member, "w", force_zip64=True)
        self._sheet.write(f"{_HEAD}<worksheet {_MAIN}><sheetData>".encode())
        self._write([self._texts([name]) for name in schema.names])

    def write(self, table: Any) -> None:
        """Write the rows of a pyarrow table."""
        if self._n_rows + table.num_rows > MOST_ROWS:
            raise self._too_much(f"{MOST_ROWS:,} rows, the names among them")
        self._write([self._cells(column.combine_chunks()) for column in table.columns])

    def close(self) -> None:
        """Write the end of the sheet, and what is where in the file."""
        self._sheet.write(b"</sheetData></worksheet>")
        self._sheet.close()
        self._zip.close()

    def _write(self, columns: Sequence[Sequence[str]]) -> None:
        lines = []
        for cells in zip(*columns, strict=True):
            self._n_rows += 1
            row = "".join(
                f'<c r="{letters}{self._n_rows}"{cell}</c>'
                for letters, cell in zip(self._letters, cells, strict=True)
                if cell
            )
            lines.append(f'<row r="{self._n_rows}">{row}</row>')
        self._sheet.write("".join(lines).encode())

    def _cells(self, cells: Any) -> list[str]:
        """Return what follows the place of each cell; nothing where it is missing."""
        if pa.types.is_dictionary(cells.type):
            cells = cells.cast(cells.type.value_type)
        kind = cells.type
        if pa.types.is_boolean(kind):
            return [
                "" if v is None else f' t="b"><v>{v:d}</v>' for v in cells.to_pylist()
            ]
        if pa.types.is_temporal(kind):
            style, days, good = _days(cells)
            words = self._texts(iso_words(cells).to_pylist())
            numbers = [f' s="{style}"><v>{day!r}</v>' for day in days.tolist()]
            return [n if g else w for n, g, w in zip(numbers, good, words, strict=True)]
        if not _is_number(kind):
            return self._texts(pc.cast(cells, pa.string()).to_pylist())
        if pa.types.is_floating(kind):
            cells = pc.if_else(pc.is_nan(cells), pa.scalar(None, kind), cells)
        values = cells.to_pylist()
        texts = self._texts([None if v is None else str(v) for v in values])
        return [
            f"><v>{value}</v>" if _is_kept(value) else text
            for value, text in zip(values, texts, strict=True)
        ]

    def _texts(self, words: Sequence[str | None]) -> list[str]:
        if any(word is not None and len(word) > MOST_LETTERS for word in words):
            raise self._too_much(f"{MOST_LETTERS:,} letters in a cell")
        return [
            ""
            if not word
            else f' t="inlineStr"><is><t xml:space="preserve">{_in_xml(word)}</t></is>'
            for word in words
        ]

    def _too_much(self, most: str) -> DataError:
        return DataError(
            f"{self._label}: a sheet of a workbook holds no more than {most}. Give -o "
            "a name that ends in .csv or .parquet."
        )


def _member(name: str) -> zipfile.ZipInfo:
    """Return a part of the file, without the time when it was written."""
    member = zipfile.ZipInfo(name)
    member.compress_type = zipfile.ZIP_DEFLATED
    return member


def _letters(column: int) -> str:
    """Return what Excel calls a column: A to Z, AA and so on."""
    before, last = divmod(column, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)


def _in_xml(word: str) -> str:
    return escape(_NOT_XML.sub(lambda found: f"_x{ord(found[0]):04X}_", word))


def _is_number(kind: Any) -> bool:
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def _is_kept(value: Any) -> bool:
    """Whether Excel keeps a number as it is."""
    if value is None or not np.isfinite(float(value)):
        return False
    return isinstance(value, float) or len(str(abs(value))) <= _DIGITS


def _days(cells: Any) -> tuple[int, Any, Any]:
    """Return style and numbers of dates and times, and which of them Excel knows."""
    kind = cells.type
    there = cells.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_date(kind):
        days = _counts(cells.cast(pa.date32()).cast(pa.int32()))
        return _DATE, days + _DAY_ZERO, there & (days >= _FIRST)
    width = pa.int32() if kind.bit_width == 32 else pa.int64()
    days = _counts(cells.cast(width)) / (_SECOND[kind.unit] * 86_400)
    if pa.types.is_timestamp(kind):
        good = there & (days >= _FIRST) & (kind.tz is None)
        return _STAMP, days + _DAY_ZERO, good
    style = _TIME if pa.types.is_time(kind) else _LENGTH
    return style, days, there & (days >= 0)


def _counts(cells: Any) -> Any:
    return pc.fill_null(cells.cast(pa.int64()), 0).to_numpy()
