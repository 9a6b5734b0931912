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

ARROW_DECIMAL = r"decimal(32|64|128|256)\(\d{1,2}, -?\d{1,2}\)"
ZONE = r"[A-Za-z0-9_+:/-]{1,60}"
NUMPY_UNIT = "(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)"
UNIT = "(s|ms|us|ns)"
ARROW_DATE = r"date(32\[day\]|64\[ms\])"
ARROW_TIME = r"time(32\[(s|ms)\]|64\[(us|ns)\])"
ARROW_INSTANT = rf"timestamp\[{UNIT}(, tz={ZONE})?\]"
ARROW_DURATION = rf"duration\[{UNIT}\]"

MISSING = "object:(None|NA|nan|NaT)"
OBJECTS: list[tuple[str, set[Storage]]] = [
    (
        MISSING,
        {
            *(Storage.boolean, Storage.float, Storage.text),
            *(Storage.datetime, Storage.date, Storage.time, Storage.duration),
        },
    ),
    (rf"{MISSING}:{UNIT}", {Storage.datetime, Storage.duration}),
    (rf"{MISSING}:\d{{1,2}}", {Storage.decimal}),
]
# Where a dtype names its time zone.
_ZONED = re.compile(rf"(?:datetime64|timestamp|Datetime).\w+, (?:tz=)?({ZONE})[\])]")

MATRIX: list[tuple[str, set[Storage]]] = [
    ("bool", {Storage.boolean}),
    (rf"u?int{WIDTHS}|[<>][iu](1|2|4|8)", {Storage.integer}),
    (r"float(16|32|64|96|128)|[<>]f(2|4|8|12|16)", {Storage.float}),
]

# Per library, what the text of a dtype says about how cells are kept.
SHAPES: dict[str, list[tuple[str, set[Storage]]]] = {
    "anndata": MATRIX,
    "numpy": [
        *MATRIX,
        (r"[<>]U\d{1,6}", {Storage.text}),
        (rf"datetime64\[{NUMPY_UNIT}\]|[<>]M8\[{NUMPY_UNIT}\]", {Storage.datetime}),
        (rf"timedelta64\[{NUMPY_UNIT}\]|[<>]m8\[{NUMPY_UNIT}\]", {Storage.duration}),
        *OBJECTS,
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
            rf"datetime64\[{UNIT}(, {ZONE})?\]|{ARROW_INSTANT}\[pyarrow\]",
            {Storage.datetime},
        ),
        (
            rf"timedelta64\[{UNIT}\]|{ARROW_DURATION}\[pyarrow\]",
            {Storage.duration},
        ),
        (rf"{ARROW_DATE}\[pyarrow\]", {Storage.date}),
        (rf"{ARROW_TIME}\[pyarrow\]", {Storage.time}),
        (rf"{ARROW_DECIMAL}\[pyarrow\]", {Storage.decimal}),
        (MISSING, {Storage.integer}),
        *OBJECTS,
    ],
    "polars": [
        ("Boolean", {Storage.boolean}),
        (r"U?Int(8|16|32|64|128)", {Storage.integer}),
        (r"Float(16|32|64)|Null", {Storage.float}),
        (r"String|Categorical(\(lexical\))?", {Storage.text}),
        ("Enum", {Storage.dictionary}),
        (rf"Datetime\((ms|us|ns)(, {ZONE})?\)", {Storage.datetime}),
        (r"Duration\((ms|us|ns)\)", {Storage.duration}),
        (r"Decimal\(\d{1,2}, \d{1,2}\)", {Storage.decimal}),
        ("Date", {Storage.date}),
        ("Time", {Storage.time}),
    ],
    "pyarrow": [
        ("bool", {Storage.boolean}),
        (ARROW_INTEGER, {Storage.integer}),
        (rf"{ARROW_FLOAT}|null", {Storage.float}),
        (ARROW_TEXT, {Storage.text}),
        (ARROW_DICTIONARY, {Storage.dictionary}),
        (ARROW_DECIMAL, {Storage.decimal}),
        (ARROW_INSTANT, {Storage.datetime}),
        (ARROW_DURATION, {Storage.duration}),
        (ARROW_DATE, {Storage.date}),
        (ARROW_TIME, {Storage.time}),
    ],
}


def fits(container: str, dtype: str, storage: Storage, zone: str | None = None) -> bool:
    """Whether a library has such a dtype and keeps it in this way.

    Dates and times also need the zone that their dtype names; objects name none.
    """
    if zone is not None and not dtype.startswith("object"):
        found = _ZONED.match(dtype)
        if zone != (found.group(1) if found else ""):
            return False
    return any(
        storage in storages and re.fullmatch(shape, dtype)
        for shape, storages in SHAPES[container]
    )
