"""The commands ``encode``, ``decode`` and ``reconstruct``."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from latentforest.cli import _options as options
from latentforest.cli._dialect_options import reads_tables
from latentforest.cli._interrupts import loading
from latentforest.cli._notes import Notes


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command(
        "encode",
        epilog="Example: latentforest encode customers.lf new.csv -o new_z.csv "
        "--keep id",
    )(_encode)
    app.command(
        "decode",
        epilog="Example: latentforest decode customers.lf new_z.csv -o new_rows.csv",
    )(_decode)
    app.command(
        "reconstruct",
        epilog="Example: latentforest reconstruct customers.lf new.csv -o back.csv "
        "--report lost.json",
    )(_reconstruct)


@reads_tables
def _encode(
    dialect: Any,
    model: options.Model,
    table: options.Table,
    out: options.Out,
    keep: options.Keep = None,
    block_rows: options.BlockRows = None,
    safe_csv: options.SafeCsv = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Write the latent coordinates of rows, in columns z1, z2 and so on.

    Columns are found by name, in any order; others are ignored.
    """
    with loading():
        from latentforest.cli import _stream  # noqa: PLC0415
    job = _stream.Job(
        model,
        table,
        out,
        tuple(keep or ()),
        block_rows,
        replace(dialect, safe_csv=safe_csv),
        Notes(quiet=quiet),
    )
    with job.notes.plain_warnings():
        _stream.encode(job)


@reads_tables
def _decode(
    dialect: Any,
    model: options.Model,
    coords: Annotated[
        str,
        typer.Argument(
            metavar="COORDS",
            help="Table with the columns z1, z2, …; - reads standard input.",
            show_default=False,
        ),
    ],
    out: options.Out,
    keep: options.Keep = None,
    block_rows: options.BlockRows = None,
    safe_csv: options.SafeCsv = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Write the rows at latent coordinates: columns, types and levels as fitted."""
    with loading():
        from latentforest.cli import _stream  # noqa: PLC0415
    job = _stream.Job(
        model,
        coords,
        out,
        tuple(keep or ()),
        block_rows,
        replace(dialect, safe_csv=safe_csv),
        Notes(quiet=quiet),
    )
    with job.notes.plain_warnings():
        _stream.decode(job)


@reads_tables
def _reconstruct(
    dialect: Any,
    model: options.Model,
    table: options.Table,
    out: options.Out,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE.json",
            help="Also write the distortion of every column to this file.",
            show_default=False,
        ),
    ] = None,
    keep: options.Keep = None,
    block_rows: options.BlockRows = None,
    safe_csv: options.SafeCsv = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Encode rows, decode them again, and report how much each column lost.

    0 is a perfect column; beside it stands what guessing would lose: the mean of a
    number, the commonest level.
    """
    with loading():
        from latentforest.cli import _stream  # noqa: PLC0415
    job = _stream.Job(
        model,
        table,
        out,
        tuple(keep or ()),
        block_rows,
        replace(dialect, safe_csv=safe_csv),
        Notes(quiet=quiet),
    )
    with job.notes.plain_warnings():
        _stream.reconstruct(job, report)
