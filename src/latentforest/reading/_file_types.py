"""Rows of a model as files hold them: pyarrow tables of one fixed schema."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from latentforest._base._types import Codes
from latentforest.reading._date_notation import DateNotation
from latentforest.reading._notation import Notation
from latentforest.table import (
    ColumnKind,
    ColumnSpec,
    Storage,
    TableCodec,
    TableSchema,
    arrow_type,
)

_INTEGER = re.compile(r"(u?int)(8|16|32|64)")


def file_codec(schema: TableSchema) -> TableCodec:
    """Return a codec that turns codes into pyarrow tables of one fixed schema.

    Types are those of the fitted table, whatever its library was; the same for every
    block, also for one that has no missing cell.
    """
    columns = tuple(
        replace(spec, name=str(spec.name), dtype=str(_file_type(spec)))
        for spec in schema.columns
    )
    return TableCodec.from_schema(TableSchema(columns, "pyarrow"))


def file_schema(codec: TableCodec) -> Any:
    """Return the pyarrow schema of the tables that a codec builds."""
    empty: Codes = np.empty((0, codec.schema_.n_columns))
    return codec.decode(empty).schema


def _file_type(spec: ColumnSpec) -> Any:
    if spec.storage is Storage.datetime and _is_written_as_date(spec):
        return pa.date32()
    if spec.storage.is_time or spec.storage is Storage.decimal:
        return arrow_type(spec)
    if spec.storage is Storage.boolean:
        return pa.bool_()
    if spec.storage is Storage.integer:
        found = _INTEGER.search(spec.dtype.lower())
        return pa.type_for_alias("".join(found.groups())) if found else pa.int64()
    if spec.storage is Storage.float:
        short = spec.dtype.lower() in {"float", "float32", "float16", "halffloat"}
        return pa.float32() if short else pa.float64()
    if spec.storage is Storage.text:
        return pa.string()
    ordered = spec.kind is ColumnKind.ordered
    levels = pa.array(spec.levels) if spec.levels else pa.array([], pa.string())
    return pa.dictionary(pa.int32(), levels.type, ordered=ordered)


def _is_written_as_date(spec: ColumnSpec) -> bool:
    cells = Notation.from_text(spec.notation).cells
    return isinstance(cells, DateNotation) and not cells.has_time
