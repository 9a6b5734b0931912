"""All commands, with their options and their help."""

import sys
from typing import Annotated

import typer

from latentforest import __version__
from latentforest.cli import (
    _demo_command,
    _fit_command,
    _look_commands,
    _memory_command,
    _odd_commands,
    _stream_commands,
)

app = typer.Typer(
    name="latentforest",
    help="Autoencode tables with random forests: a table of mixed columns to a few "
    "numbers per row, and back.",
    epilog="Start with: latentforest demo. Files are read and written by suffix: "
    ".csv, .tsv (also .gz, .zst), .parquet, .feather, .arrow, .xlsx; - is a standard "
    "stream. Other workbooks, JSON lines and databases are read, too.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"latentforest {__version__}\n")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    pass


for _room in (
    _fit_command,
    _stream_commands,
    _odd_commands,
    _look_commands,
    _memory_command,
    _demo_command,
):
    _room.register(app)
