"""Numbers as people say them, and texts as they can be shown."""

import re

_CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def in_bytes(count: float) -> str:
    """Return a number of bytes in words."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError


def in_seconds(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def in_rows(count: int) -> str:
    """Return a number of rows in words."""
    return counted(count, "row")


ROWS_FROM_0 = "Rows are numbered from 0: the first one below the names is row 0"


def row_of_file(number: int) -> str:
    """Name a row of a file by its number, which counts from 0."""
    return f"row {number:,} (the first is row 0)"


def counted(count: int, what: str) -> str:
    """Return a number of things in words."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def visible(text: str) -> str:
    r"""Return a text whose control characters are written out, such as ``\x1b``.

    Sent to a terminal as they are, they would colour, move or hide what follows. Those
    that turn the direction of writing, and halves of characters, count too.
    """
    return _CONTROLS.sub(lambda sign: ascii(sign[0])[1:-1], text)


def shown(text: str, width: int) -> str:
    """Return a text as it is shown: visible, and no wider than so many characters."""
    text = visible(text)
    return text if len(text) <= width else text[: width - 1] + "…"
