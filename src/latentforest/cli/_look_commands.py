"""The commands ``inspect``, ``plot`` and ``explore``."""

from typing import Annotated, Any

import typer

from latentforest.cli import _options as options
from latentforest.cli._dialect_options import reads_tables
from latentforest.cli._interrupts import loading
from latentforest.cli._notes import Notes
from latentforest.cli._words import PLOTS


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("inspect", epilog="Example: latentforest inspect customers.lf")(
        _inspect
    )
    app.command(
        "plot",
        epilog="Example: latentforest plot customers.lf new.csv -o new.png "
        "--color-by region",
    )(_plot)
    app.command(
        "explore",
        epilog="Example: latentforest explore customers.lf -o customers.html "
        "--color-by region --sample 5000",
    )(_explore)


def _inspect(
    model: options.Model,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write JSON instead of text.")
    ] = False,
    debug: options.Debug = False,
) -> None:
    """Show what is in a model file: columns, forest, spectrum, sizes, versions."""
    with loading():
        from latentforest.cli._inspect import inspect  # noqa: PLC0415
    inspect(model, as_json=as_json)


@reads_tables
def _plot(
    dialect: Any,
    model: options.Model,
    out: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            help="Picture to write: .png, .svg or .pdf. An existing file is "
            "overwritten.",
            show_default=False,
        ),
    ],
    table: options.OptionalTable = None,
    what: Annotated[
        str,
        typer.Option("--what", help=f"One of {', '.join(PLOTS)}."),
    ] = "scatter",
    color_by: options.ColorBy = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Draw a picture of a model and of rows."""
    with loading():
        from latentforest.cli import _look  # noqa: PLC0415
    notes = Notes(quiet=quiet)
    with notes.plain_warnings():
        _look.draw(model, table, out, what, color_by, dialect, notes)


@reads_tables
def _explore(
    dialect: Any,
    model: options.Model,
    out: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            help="Page to write. An existing file is overwritten.",
            show_default=False,
        ),
    ],
    table: options.OptionalTable = None,
    color_by: options.ColorBy = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="A,B,…",
            help="Columns to put into the page, separated by commas.",
            show_default="all of the model",
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            min=1,
            help="Draw at most this many rows at random.",
            show_default="all",
        ),
    ] = None,
    image_shape: Annotated[
        str | None,
        typer.Option(
            "--image-shape",
            metavar="HxW",
            help="Height and width, where rows are pictures, such as 28x28.",
            show_default=False,
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option("--title", help="Heading of the page.", show_default=False),
    ] = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Write a page to walk through the latent space, for any browser.

    The rows that it shows are in the file.
    """
    with loading():
        from latentforest.cli import _look  # noqa: PLC0415
    notes = Notes(quiet=quiet)
    with notes.plain_warnings():
        _look.explore(
            model,
            table,
            out,
            dialect,
            notes,
            color_by=color_by,
            columns=None if columns is None else columns.split(","),
            sample=sample,
            image_shape=_look.read_shape(image_shape),
            title=title,
        )
