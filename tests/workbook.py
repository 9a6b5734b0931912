"""Write a small .xlsx file, with what the standard library has."""

import datetime as dt
import zipfile
from xml.sax.saxutils import escape

import pandas as pd

_EPOCH = dt.datetime(1899, 12, 30)
_NAMES = (
    'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_STYLES = (
    f"{_HEAD}<styleSheet {_NAMES}><fonts><font/></fonts><fills><fill/></fills>"
    "<borders><border/></borders><cellStyleXfs><xf/></cellStyleXfs><cellXfs>"
    '<xf numFmtId="0"/><xf numFmtId="22" applyNumberFormat="1"/>'
    '<xf numFmtId="21" applyNumberFormat="1"/></cellXfs></styleSheet>'
)


def write_xlsx(path, sheets, header=True):
    """Write frames as sheets; dates are dates, and missing cells are empty."""
    names = list(sheets)
    numbers = range(1, len(names) + 1)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{i}" r:id="rId{i}"/>'
        for i, name in zip(numbers, names, strict=True)
    )
    links = "".join(
        f'<Relationship Id="rId{i}" Type="{_OFFICE}/worksheet" '
        f'Target="worksheets/sheet{i}.xml"/>'
        for i in numbers
    )
    styles = len(names) + 1
    links += f'<Relationship Id="rId{styles}" Type="{_OFFICE}/styles" '
    links += 'Target="styles.xml"/>'
    relations = f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" '
        f'ContentType="{kind}.worksheet+xml"/>'
        for i in numbers
    )
    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "[Content_Types].xml",
            f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
            '<Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            '<Override PartName="/xl/workbook.xml" '
            f'ContentType="{kind}.sheet.main+xml"/>{types}</Types>',
        )
        book.writestr(
            "_rels/.rels",
            f'{relations}<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        book.writestr(
            "xl/workbook.xml",
            f"{_HEAD}<workbook {_NAMES}><sheets>{listed}</sheets></workbook>",
        )
        book.writestr(
            "xl/_rels/workbook.xml.rels", f"{relations}{links}</Relationships>"
        )
        book.writestr("xl/styles.xml", _STYLES)
        for i, frame in zip(numbers, sheets.values(), strict=True):
            book.writestr(f"xl/worksheets/sheet{i}.xml", _sheet(frame, header))


def _sheet(frame, header):
    rows = [list(frame.columns)] if header else []
    rows += frame.astype(object).to_numpy().tolist()
    text = "".join(
        f'<row r="{i}">{"".join(_cell(value, i, j) for j, value in enumerate(row))}'
        "</row>"
        for i, row in enumerate(rows, start=1)
    )
    return f"{_HEAD}<worksheet {_NAMES}><sheetData>{text}</sheetData></worksheet>"


def _cell(value, row, column):
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    place = f'r="{letters}{row}"'
    if pd.isna(value):
        return ""
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{int(value)}</v></c>'
    if isinstance(value, dt.datetime):
        days = (value.replace(tzinfo=None) - _EPOCH) / dt.timedelta(days=1)
        return f'<c {place} s="1"><v>{days!r}</v></c>'
    if isinstance(value, dt.time):
        seconds = value.hour * 3600 + value.minute * 60 + value.second
        return f'<c {place} s="2"><v>{seconds / 86400!r}</v></c>'
    if isinstance(value, str):
        return f'<c {place} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c {place}><v>{value!r}</v></c>"
