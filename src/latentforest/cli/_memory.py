"""memory: what a fit will cost."""

import sys
import textwrap

from latentforest._base._errors import UsageError
from latentforest.cli._fit import Settings, check_word
from latentforest.cli._forecast import LEAF_ID, Forecast, forecast
from latentforest.cli._notes import Notes, in_bytes, in_rows, in_seconds
from latentforest.forest import FORESTS
from latentforest.reading import Dialect, open_files

_COUNT = 50_000  # rows counted at once


def foretell(
    settings: Settings,
    table: str | None,
    rows: int | None,
    columns: int | None,
    dialect: Dialect,
    notes: Notes,
) -> None:
    """Tell on standard output what a fit would cost; a table is only counted."""
    settings.check_choices()
    if settings.forest is not None:
        check_word("--forest", settings.forest, list(FORESTS))
    if table is not None:
        counted = _count(table, dialect, notes)
        rows, columns = rows or counted[0], columns or counted[1]
    if rows is None or columns is None:
        message = "Give a table, or --rows and --columns."
        raise UsageError(message)
    trees, refined, k = settings.n_trees, settings.refines, settings.components
    cost = forecast(
        rows,
        columns,
        trees,
        k,
        settings.forest_name,
        settings.jobs,
        refined=refined,
        auto=settings.auto,
    )
    size = f"{in_rows(rows)}, {columns} columns, {trees} trees, {k} coordinates"
    made = f"{settings.forest_name} forest{', refined' if refined else ''}"
    made += ", settings chosen" if settings.auto else ""
    headed = textwrap.fill(f"{size}, {made}", 80)
    sys.stdout.write(f"{headed}\n\n{_told(cost, rows * trees)}\n")


def _count(path: str, dialect: Dialect, notes: Notes) -> tuple[int, int]:
    n_rows = 0
    with open_files(path, dialect) as source, notes.progress("counting") as bar:
        for block in source.blocks(source.names[:1], _COUNT):
            n_rows += block.num_rows
            bar.reach(n_rows, source.done)
        return n_rows, len(source.data_names)


def _told(cost: Forecast, pairs: int) -> str:
    choice = "without --auto"
    if cost.choice_seconds:
        choice = f"of which {in_seconds(cost.choice_seconds)} choose settings"
    lines = [
        (
            "memory to fit",
            in_bytes(cost.fit_bytes),
            f"of which {in_bytes(LEAF_ID * pairs)} hold the leaves of the rows: "
            f"{LEAF_ID} bytes per row and tree",
        ),
        (
            "time to fit",
            in_seconds(cost.fit_seconds),
            f"{in_seconds(cost.fit_seconds / 2)} to {in_seconds(2 * cost.fit_seconds)} "
            f"on {cost.n_threads} threads, {choice}",
        ),
        (
            "model file",
            in_bytes(cost.file_bytes),
            f"{in_bytes(cost.encoder_bytes)} with --drop-training",
        ),
        (
            "time to encode",
            in_seconds(cost.encode_seconds),
            "for 100,000 rows; memory does not grow with their number",
        ),
    ]
    told = [
        textwrap.fill(f"{what:<16}{value:>9}   {why}", 80, subsequent_indent=" " * 28)
        for what, value, why in lines
    ]
    forecast_only = (
        "This is a forecast, usually right within a factor of two. Fewer trees or "
        "rows cost less in proportion; text columns with thousands of levels, such as "
        "ids, cost many times more: drop them."
    )
    return "\n".join([*told, "", textwrap.fill(forecast_only, 80)])
