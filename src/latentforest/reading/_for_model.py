"""Blocks of files as a fitted model wants them."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import pyarrow as pa

from latentforest._base._errors import DataError
from latentforest.reading._cells import read_cells
from latentforest.reading._frames import is_text
from latentforest.reading._source import Source
from latentforest.reading._values import words_of
from latentforest.table import ColumnSpec, TableSchema

Check = Callable[[Source, str, Any, int], Any]


def columns_to_read(source: Source, schema: TableSchema) -> list[str]:
    """Columns of a file in the order of the model's; others are passed over.

    A model that was fitted on an array knows no names: a file with as many columns
    is then read in its own order.
    """
    wanted = [str(name) for name in schema.names]
    nameless = schema.container == "numpy" and not set(wanted) <= set(source.names)
    if nameless and len(source.data_names) == len(wanted):
        return list(source.data_names)
    if not any(name in source.names for name in wanted) and wanted[0] == "x0":
        message = (
            f"{source.label}: the columns of the model have no names but x0, x1, …. If "
            f"the file has none either, give {source.dialect.no_header}."
        )
        raise DataError(message)
    # A model that was fitted with them may have blanks around names.
    bare = {name: name.strip() for name in wanted if name not in source.names}
    wanted = [bare.get(name, name) for name in wanted]
    source.require(wanted, "columns of the model")
    return wanted


def table_for(
    source: Source,
    block: Any,
    columns: Sequence[str],
    schema: TableSchema,
    first: int,
    *,
    check: Check = lambda source, name, cells, first: cells,
) -> Any:
    """Return a block of a file as a table that a model takes.

    Parameters
    ----------
    source : Source
        The file.
    block : pyarrow table
        Some of its rows.
    columns : sequence of str
        Its columns, in the order of the model's.
    schema : TableSchema
        The model's columns, which say how words are read.
    first : int
        Number of the first row, for messages.
    check : callable
        What looks at the cells of each column before they are used.
    """
    cells = [
        check(source, name, _cells(source, spec, block.column(name), first), first)
        for name, spec in zip(columns, schema.columns, strict=True)
    ]
    names = [str(name) for name in schema.names]
    table = pa.table(dict(zip(names, cells, strict=True)))
    if all(isinstance(name, str) for name in schema.names):
        return table
    frame = table.to_pandas()
    frame.columns = import_module("pandas").Index(schema.names, tupleize_cols=False)
    return frame


def _cells(source: Source, spec: ColumnSpec, cells: Any, first: int) -> Any:
    named = any(isinstance(level, str) for level in spec.levels)
    if is_text(cells.type) and (source.is_text or spec.notation):
        return read_cells(spec, words_of(cells), source.dialect, first)
    # A workbook may hold numbers where the model has names that look like them.
    return words_of(cells) if source.is_text and named else cells
