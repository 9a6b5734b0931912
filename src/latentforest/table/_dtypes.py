"""Which dtypes a column of each library may have, and how they keep cells.

A dtype is text that the libraries turn into an object again. Only texts of these
shapes ever reach them.
"""

import re

from latentforest.table._kinds import Storage

WIDTHS = "(8|16|32|64)"
ARROW_INTEGER = f"u?int{WIDTHS}"
ARROW_FLOAT = "(halffloat|float|double)"
ARROW_TEXT = "(large_)?string"
ARROW_DICTIONARY = (
    rf"dictionary<values=({ARROW_TEXT}|{ARROW_INTEGER}|{ARROW_FLOAT}|bool), "
    rf"indices={ARROW_INTEGER}, ordered=[01]>"
)
STRING = r"StringDtype\((python|pyarrow|pyarrow_numpy), (NA|nan)\)"
PANDAS_LEVELS = (
    rf"(object|bool|{STRING}|u?int{WIDTHS}|float(16|32|64)|boolean"
    rf"|U?Int{WIDTHS}|Float(32|64)|({ARROW_TEXT}|{ARROW_INTEGER}|double|bool)"
    r"\[pyarrow\])"
)

# Per library, what the text of a dtype says about how cells are kept.
SHAPES: dict[str, list[tuple[str, set[Storage]]]] = {
    "numpy": [
        ("bool", {Storage.boolean}),
        (rf"u?int{WIDTHS}|[<>][iu](1|2|4|8)", {Storage.integer}),
        (r"float(16|32|64|96|128)|[<>]f(2|4|8|12|16)", {Storage.float}),
        (r"[<>]U\d{1,6}", {Storage.text}),
        ("object:(None|NA|nan)", {Storage.boolean, Storage.float, Storage.text}),
    ],
    "pandas": [
        (r"bool|boolean|bool\[pyarrow\]", {Storage.boolean}),
        (rf"u?int{WIDTHS}|U?Int{WIDTHS}|{ARROW_INTEGER}\[pyarrow\]", {Storage.integer}),
        (
            rf"float(16|32|64|96|128)|Float(32|64)|({ARROW_FLOAT}|null)\[pyarrow\]",
            {Storage.float},
        ),
        (r"[<>][iu](1|2|4|8)", {Storage.integer}),
        (r"[<>]f(2|4|8)", {Storage.float}),
        (rf"{STRING}|{ARROW_TEXT}\[pyarrow\]", {Storage.text}),
        (
            rf"(category|ordered)\({PANDAS_LEVELS}\)|{ARROW_DICTIONARY}\[pyarrow\]",
            {Storage.dictionary},
        ),
        (
            "object:(None|NA|nan)",
            {Storage.boolean, Storage.integer, Storage.float, Storage.text},
        ),
    ],
    "polars": [
        ("Boolean", {Storage.boolean}),
        (r"U?Int(8|16|32|64|128)", {Storage.integer}),
        (r"Float(16|32|64)|Null", {Storage.float}),
        (r"String|Categorical(\(lexical\))?", {Storage.text}),
        ("Enum", {Storage.dictionary}),
    ],
    "pyarrow": [
        ("bool", {Storage.boolean}),
        (ARROW_INTEGER, {Storage.integer}),
        (rf"{ARROW_FLOAT}|null", {Storage.float}),
        (ARROW_TEXT, {Storage.text}),
        (ARROW_DICTIONARY, {Storage.dictionary}),
    ],
}


def fits(container: str, dtype: str, storage: Storage) -> bool:
    """Whether a library has such a dtype and keeps it in this way."""
    return any(
        storage in storages and re.fullmatch(shape, dtype)
        for shape, storages in SHAPES[container]
    )
