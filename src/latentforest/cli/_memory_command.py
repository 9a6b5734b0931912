"""The command ``memory``."""

from typing import Annotated, Any

import typer

from latentforest.cli import _options as options
from latentforest.cli._dialect_options import reads_tables
from latentforest.cli._interrupts import loading
from latentforest.cli._notes import Notes


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        "memory",
        epilog="Example: latentforest memory --rows 1000000 --columns 30 --trees 200",
    )(_memory)


@reads_tables
def _memory(
    dialect: Any,
    table: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE]",
            help="Table whose rows, columns and levels are counted: a file, a folder "
            "of files, or a pattern in quotes.",
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
    levels: Annotated[
        list[int] | None,
        typer.Option(
            "--levels",
            min=1,
            help="Levels of a column that is a category. Can be repeated, once for "
            "each such column.",
            show_default="only numbers",
        ),
    ] = None,
    components: Annotated[
        int, typer.Option("-k", "--components", min=1, help="Coordinates per row.")
    ] = 2,
    auto: options.Auto = False,
    paper: options.Paper = False,
    forest: options.Forest = None,
    trees: options.Trees = None,
    refine: options.Refine = None,
    max_samples: options.MaxSamples = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, help="Threads.", show_default="all cores"),
    ] = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Forecast time and memory of a fit, before it starts."""
    with loading():
        from latentforest.cli._fit import Settings  # noqa: PLC0415
        from latentforest.cli._memory import foretell  # noqa: PLC0415
    settings = Settings(
        components,
        auto=auto,
        paper=paper,
        forest=forest,
        trees=trees,
        refine=refine,
        max_samples=max_samples,
        jobs=jobs,
    )
    notes = Notes(quiet=quiet)
    with notes.plain_warnings():
        foretell(settings, table, rows, columns, levels or [], dialect, notes)
