"""The command ``memory``."""

import sys
import textwrap
from typing import Annotated

import typer

from latentforest._base._errors import UsageError
from latentforest.cli import _options as options
from latentforest.cli._dialect_options import reads_tables
from latentforest.cli._fit import Settings, check_word
from latentforest.cli._forecast import LEAF_ID, Forecast, forecast
from latentforest.cli._notes import Notes, in_bytes, in_rows, in_seconds
from latentforest.forest import FORESTS
from latentforest.reading import Dialect, Source

_COUNT = 50_000  # rows counted at once


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "memory",
        epilog="Example: latentforest memory --rows 1000000 --columns 30 --trees 200",
    )(_memory)


@reads_tables
def _memory(
    dialect: Dialect,
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]",
            help="Table whose rows and columns are counted.",
            show_default=False,
        ),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option("--rows", min=1, help="Number of rows, instead of a table."),
    ] = None,
    columns: Annotated[
        int | None,
        typer.Option("--columns", min=1, help="Number of columns, instead of a table."),
    ] = None,
    trees: Annotated[
        int | None,
        typer.Option(
            "--trees",
            min=1,
            help="Number of trees.",
            show_default="50; 500 with --forest",
        ),
    ] = None,
    components: Annotated[
        int, typer.Option("-k", "--components", min=1, help="Coordinates per row.")
    ] = 2,
    forest: options.Forest = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, help="Threads.", show_default="all cores"),
    ] = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Forecast time and memory of a fit, before it starts."""
    settings = Settings(components, forest=forest, trees=trees, jobs=jobs)
    if forest is not None:
        check_word("--forest", forest, list(FORESTS))
    if table is not None:
        counted = _count(table, dialect, Notes(quiet=quiet))
        rows, columns = rows or counted[0], columns or counted[1]
    if rows is None or columns is None:
        message = "Give a table, or --rows and --columns."
        raise UsageError(message)
    trees, refined = settings.n_trees, settings.refines
    cost = forecast(
        rows, columns, trees, components, settings.forest_name, jobs, refined=refined
    )
    size = (
        f"{in_rows(rows)}, {columns} columns, {trees} trees, {components} coordinates"
    )
    made = f"{settings.forest_name} forest{', refined' if refined else ''}"
    headed = textwrap.fill(f"{size}, {made}", 80)
    sys.stdout.write(f"{headed}\n\n{_told(cost, rows * trees)}\n")


def _count(path: str, dialect: Dialect, notes: Notes) -> tuple[int, int]:
    n_rows = 0
    with Source(path, dialect) as source, notes.progress("counting") as bar:
        for block in source.blocks(source.names[:1], _COUNT):
            n_rows += block.num_rows
            bar.reach(n_rows, source.done)
        return n_rows, len(source.data_names)


def _told(cost: Forecast, pairs: int) -> str:
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
            f"on {cost.n_threads} threads, without --auto",
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
