"""How many rows a table has, before all of it is read, and whether there is room."""

from pathlib import Path
from typing import Any

from latentforest._base._errors import RoomError
from latentforest._plan import Size
from latentforest._planned import check_room
from latentforest.cli._notes import Notes
from latentforest.reading import Dialect, Source

_COUNT = 50_000  # rows counted at once
# A row of text has a character per cell; packed files hold several times their size.
_CELLS_PER_BYTE = 20


def check_table(path: str, model: Any, dialect: Dialect, notes: Notes) -> None:
    """Refuse a table that there is clearly no room for; streams cannot be counted."""
    if not Path(path).is_file():
        return
    with Source(path, dialect) as source:
        n_columns = max(1, len(source.data_names))
    most = _CELLS_PER_BYTE * Path(path).stat().st_size // n_columns
    try:
        check_room(model, Size(max(1, most), n_columns), is_read=False)
    except RoomError:  # it may still be small enough
        size = Size(max(1, _count(path, dialect, notes)), n_columns)
        check_room(model, size, is_read=False)


def _count(path: str, dialect: Dialect, notes: Notes) -> int:
    n_rows = 0
    with Source(path, dialect) as source, notes.progress("counting") as bar:
        for block in source.blocks(source.names[:1], _COUNT):
            n_rows += block.num_rows
            bar.reach(n_rows, source.done)
    return n_rows
