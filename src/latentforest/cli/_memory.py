"""memory: what a fit will cost."""

import sys
from dataclasses import replace
from typing import Any

from latentforest import RFAE
from latentforest._base._errors import UsageError
from latentforest._forecast import Forecast, forecast
from latentforest._plan import Plan
from latentforest._planned import size_of
from latentforest.cli._fit import Settings
from latentforest.cli._notes import Notes
from latentforest.cli._training import is_long, read_frame
from latentforest.reading import STREAM, Dialect, FileBatches, open_files


def foretell(
    settings: Settings,
    table: str | None,
    rows: int | None,
    columns: int | None,
    levels: list[int],
    dialect: Dialect,
    notes: Notes,
) -> None:
    """Tell on standard output what a fit would cost; a table is only counted."""
    settings.check_choices()
    model, numbers = settings.model(), (rows, columns, *levels)
    if table is not None:
        if any(number is not None for number in numbers):
            message = (
                "A table and --rows, --columns or --levels cannot be combined. Give a "
                "table, or numbers instead of one."
            )
            raise UsageError(message)
        cost = _of_table(model, table, dialect, notes)
    elif rows is None or columns is None:
        message = "Give a table, or --rows and --columns."
        raise UsageError(message)
    elif len(levels) > columns:
        message = (
            f"--levels is given {len(levels)} times, once for each category, but "
            f"--columns {columns} is less. Raise it."
        )
        raise UsageError(message)
    else:
        cost = model.estimate(rows=rows, columns=columns, levels=levels)
    sys.stdout.write(f"{cost}\n")


def _of_table(model: RFAE, table: str, dialect: Dialect, notes: Notes) -> Forecast:
    if table == STREAM:
        with open_files(table, dialect) as source:
            frame, _ = read_frame(source, source.data_names, {}, notes)
        return model.estimate(frame)
    rows: Any = FileBatches(table, dialect=dialect, progress=notes.shows_progress)
    # fit holds a file in memory; a folder, and a large file, is read in pieces.
    size = replace(size_of(rows, model), in_memory=not is_long(table))
    for note in rows.notes:
        notes.warn(note)
    return forecast(Plan.of(model), size)
