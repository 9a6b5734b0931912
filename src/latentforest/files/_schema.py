"""The columns of the table, to JSON and back, with every field checked."""

import math
from importlib.util import find_spec
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import ModelFileError
from latentforest._base._types import Codes
from latentforest.files._dtypes import fits
from latentforest.files._section import Section
from latentforest.files._values import damaged, encode_name, encode_value
from latentforest.table import ColumnKind, ColumnSpec, TableCodec, TableSchema
from latentforest.table._kinds import Storage
from latentforest.table._schema import Container

MOST_DECIMALS = 15
# Room that a fixed-width text may have beyond its longest level.
WIDE_TEXT = 64
LEVEL_TYPES: dict[Storage, tuple[type, ...]] = {
    Storage.boolean: (bool,),
    Storage.integer: (int,),
    Storage.float: (int, float),
    Storage.text: (str,),
    Storage.dictionary: (str, int, float, bool),
}


def encode_schema(schema: TableSchema) -> dict[str, Any]:
    """Return the schema as JSON holds it."""
    return {
        "container": schema.container,
        "columns": [_encode_column(column) for column in schema.columns],
    }


def _encode_column(column: ColumnSpec) -> dict[str, Any]:
    what = f"a level of column {column.name!r}"
    data = column.to_dict()
    data["name"] = encode_name(column.name)
    data["levels"] = [encode_value(level, what=what) for level in column.levels]
    return data


def decode_schema(section: Section) -> TableSchema:
    """Rebuild a schema, or say which column is wrong."""
    container = section.text("container")
    if container not in get_args(Container):
        raise damaged(f"{container[:40]!r} is no library of tables")
    parts = section.sections("columns")
    if not parts:
        raise damaged("the table has no columns")
    schema = TableSchema(
        tuple(_decode_column(part, container) for part in parts),
        container,  # type: ignore[arg-type]
    )
    kinds = {column.dtype.partition(":")[0] for column in schema.columns}
    if container == "numpy" and len(kinds) > 1:
        raise damaged("the columns of an array have several dtypes")
    _try_to_build(schema)
    return schema


def _decode_column(section: Section, container: str) -> ColumnSpec:
    name = section.value("name")
    if not _is_name(name, container):
        raise damaged(f"{name!r} is no name of a column")
    if section.text("kind") not in list(ColumnKind):
        raise damaged(f"the kind of column {name!r} is not known")
    if section.text("storage") not in list(Storage):
        raise damaged(f"the storage of column {name!r} is not known")
    column = ColumnSpec(
        name,
        ColumnKind(section.text("kind")),
        tuple(section.values("levels")),
        _decimals(section),
        _bound(section, "lower"),
        _bound(section, "upper"),
        section.flag("has_missing"),
        section.text("dtype"),
        Storage(section.text("storage")),
        section.text("reason"),
    )
    if not fits(container, column.dtype, column.storage):
        raise damaged(
            f"the dtype {column.dtype[:40]!r} of column {name!r} is not known"
        )
    _check_levels(column)
    _check_range(column)
    return column


def _is_name(name: Any, container: str) -> bool:
    if container != "pandas":
        return isinstance(name, str)
    try:
        return hash(name) is not None
    except TypeError:
        return False


def _decimals(section: Section) -> int | None:
    if not section.has("decimals"):
        return None
    return section.integer("decimals", lowest=0, highest=MOST_DECIMALS)


def _bound(section: Section, key: str) -> float:
    return section.number(key) if section.has(key) else math.nan


def _check_levels(column: ColumnSpec) -> None:
    types = LEVEL_TYPES[column.storage]
    if column.kind is ColumnKind.boolean:
        types = (bool,)
    legal = all(
        type(level) in types and level == level  # noqa: PLR0124 (NaN is no level)
        for level in column.levels
    )
    if not legal:
        raise damaged(f"column {column.name!r} has levels that do not fit its dtype")
    if column.dtype[1:2] == "U":
        longest = max((len(str(level)) for level in column.levels), default=0)
        if int(column.dtype[2:]) > max(WIDE_TEXT, 16 * longest):
            raise damaged(f"the text of column {column.name!r} is far too wide")


def _check_range(column: ColumnSpec) -> None:
    lower, upper = column.lower, column.upper
    if math.isnan(lower) and math.isnan(upper):
        return
    legal = lower <= upper
    if not column.is_number:
        levels = range(column.n_levels)
        legal = legal and lower in levels and upper in levels
    if not legal:
        raise damaged(f"column {column.name!r} has the range {lower} to {upper}")
    whole = column.kind is ColumnKind.integer or column.storage is Storage.integer
    if column.is_number and whole and column.decimals != 0:
        raise damaged(f"the integers of column {column.name!r} have decimals")


def _try_to_build(schema: TableSchema) -> None:
    """Make three rows as decoders will, so that nothing is left to fail later."""
    if schema.container != "numpy" and find_spec(schema.container) is None:
        return  # decoding will say which package is missing
    codes = np.full((3, schema.n_columns), np.nan)
    for number, column in enumerate(schema.columns):
        if column.is_number:
            if column.storage.is_numeric:
                codes[:2, number] = column.lower, column.upper
        elif column.levels:
            codes[:2, number] = 0, column.n_levels - 1
    try:
        TableCodec.from_schema(schema).decode(codes)
    except Exception as exc:
        reason = " ".join(f"{type(exc).__name__}: {exc}".split())
        message = (
            f"{schema.container} builds no table with the columns of the model "
            f"({reason}). Install the {schema.container} that it was saved with, or "
            "get another copy of the file."
        )
        raise ModelFileError(message) from exc


def check_codes(schema: TableSchema, codes: Codes, what: str) -> None:
    """Refuse codes that no row of the table can have."""
    for number, column in enumerate(schema.columns):
        present = codes[:, number]
        present = present[~np.isnan(present)]
        if not _legal(column, present).all():
            raise damaged(f"{what} holds cells that column {column.name!r} cannot have")


def _legal(column: ColumnSpec, present: NDArray[np.float64]) -> NDArray[np.bool_]:
    if column.is_number:
        # A column of text that is a number by decree has no cells.
        return np.isfinite(present) & column.storage.is_numeric
    whole = present == np.rint(present)
    return whole & (present >= 0) & (present < column.n_levels)
