"""The command ``demo``."""

from typing import Annotated

import typer

from latentforest.cli import _options as options
from latentforest.cli._interrupts import loading
from latentforest.cli._notes import Notes
from latentforest.cli._words import FOLDER


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo", epilog="Example: latentforest demo --folder first-try")(_demo)


def _demo(
    folder: Annotated[
        str, typer.Option("--folder", help="Where to put the files; made if need be.")
    ] = FOLDER,
    debug: options.Debug = False,
) -> None:
    """Fit on the Palmer penguins: a table, a model, a picture and a page to open."""
    with loading():
        from latentforest._base._optional import require  # noqa: PLC0415
        from latentforest.demo import run_demo  # noqa: PLC0415
    require("matplotlib", extra="plot").use("Agg")
    with Notes().plain_warnings():
        run_demo(folder)
