"""Files, and frames with text in them, as pandas frames of values."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, BinaryIO

import pyarrow as pa

from latentforest._base._checks import listed
from latentforest._base._errors import DataError
from latentforest._base._progress import progress
from latentforest.reading._column import Column
from latentforest.reading._dialect import Dialect, Kinds
from latentforest.reading._formats import STREAM
from latentforest.reading._infer import infer_columns
from latentforest.reading._source import Source
from latentforest.reading._values import word_of, words_of

_TEXT = {"string", "mixed", "mixed-integer", "mixed-integer-float"}


def read_columns(source: Source, table: Any, kinds: Kinds) -> dict[str, Column]:
    """Read the columns of a whole table of a file, every one with its own type.

    As ``pandas.read_csv`` reads plain text, but for three things: integers with gaps
    stay integers, words with leading zeros stay text, and floats are read to the last
    bit. Files that have types are believed, but for text that is written as amounts,
    percents or dates.
    """
    cells = dict(zip(table.column_names, table.columns, strict=True))
    typed = not source.is_text
    text = {
        name: words_of(column) for name, column in cells.items() if is_text(column.type)
    }
    found = infer_columns(
        text, source.dialect, kinds, commas_are_decimal=source.commas_are_decimal
    )
    out = {}
    for name, written in cells.items():
        column = found.get(name, Column(written))
        # Text of digits may be meant as text where the file could say number.
        believed = typed and not column.is_disguised
        out[name] = Column(written) if believed else column
    return out


def read_file(path: str, dialect: Dialect) -> tuple[Any, list[str]]:
    """Return a file as a pandas frame, and notes on how it was read."""
    with Source(path, dialect) as source:
        return _read_all(source)


def read_stream(stream: BinaryIO, dialect: Dialect) -> tuple[Any, list[str]]:
    """Return an open CSV file as a pandas frame, and notes on how it was read."""
    with Source(STREAM, dialect, stream) as source:
        return _read_all(source)


def _read_all(source: Source) -> tuple[Any, list[str]]:
    with progress(None) as bar:
        table = source.whole(source.data_names, bar)
    columns = read_columns(source, table, {})
    notes = [*source.notes, *(c.note for c in columns.values() if c.note)]
    return frame_of({name: c.values for name, c in columns.items()}), notes


def is_text(kind: Any) -> bool:
    """Whether cells of a pyarrow type are words."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def frame_of(columns: Mapping[str, Any]) -> Any:
    """Return a pandas frame in which integers and booleans with gaps stay so."""
    pd = import_module("pandas")
    return pd.DataFrame({name: series_of(cells) for name, cells in columns.items()})


def series_of(column: Any) -> Any:
    """Return a pandas series of a pyarrow column."""
    pd = import_module("pandas")
    kind = column.type
    if column.null_count and pa.types.is_integer(kind):
        # pandas writes the nullable dtypes with capitals: Int8, UInt16.
        name = str(kind).replace("uint", "UInt").replace("int", "Int")
        dtype = pd.api.types.pandas_dtype(name)
        return column.to_pandas(types_mapper=lambda _: dtype)
    if column.null_count and pa.types.is_boolean(kind):
        return column.to_pandas(types_mapper=lambda _: pd.BooleanDtype())
    if pa.types.is_date(kind) or pa.types.is_time(kind) or pa.types.is_decimal(kind):
        return column.to_pandas(types_mapper=pd.ArrowDtype)  # else Python's objects
    return column.to_pandas()


def clean_frame(frame: Any, dialect: Dialect) -> tuple[Any, list[str]]:
    """Read the text columns of a pandas frame as those of a file; also return notes."""
    names = [str(name) for name in frame.columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        message = (
            f"Column names must be distinct, given more than once: {listed(repeated)}. "
            "Rename these columns."
        )
        raise DataError(message)
    text = {}
    for name, (_, series) in zip(names, frame.items(), strict=True):
        words = _series_words(series)
        if words is not None:
            text[name] = words
    found = infer_columns(text, dialect, {})
    out = frame.copy()
    for place, name in enumerate(names):
        column = found.get(name)
        if column is None or column.values.equals(text[name]):
            continue
        series = series_of(column.values)
        series.index = frame.index
        out[frame.columns[place]] = series
    return out, [column.note for column in found.values() if column.note]


def _series_words(series: Any) -> Any:
    """Return the words of a column of text; None if it is none."""
    pd = import_module("pandas")
    if isinstance(series.dtype, pd.CategoricalDtype):
        return None
    if pd.api.types.infer_dtype(series, skipna=True) not in _TEXT:
        return None
    missing = series.isna()
    try:
        words = [
            "" if gone else word_of(cell)
            for cell, gone in zip(series, missing, strict=True)
        ]
    except TypeError:  # lists and the like: not for us
        return None
    return pa.array(words, pa.string())
