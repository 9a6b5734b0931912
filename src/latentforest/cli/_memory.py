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
from latentforest.cli._training import read_training
from latentforest.reading import STREAM, Dialect, FileBatches, files_of


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
        return model.estimate(read_training(table, dialect, notes, {}, (), None).frame)
    paths = files_of(table)
    source: Any = FileBatches(paths, dialect=dialect, progress=notes.shows_progress)
    # fit holds a file in memory; a folder is read in pieces, in Python.
    size = replace(size_of(source, model), in_memory=len(paths) == 1)
    for note in source.notes:
        notes.warn(note)
    return forecast(Plan.of(model), size)
