"""The commands ``odd`` and ``similar``."""

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
        "odd",
        epilog="Examples: latentforest odd customers.csv --keep id, or latentforest "
        "odd customers.lf new.csv -o scored.csv --keep id",
    )(reads_tables(_odd))
    app.command(
        "similar",
        epilog="Example: latentforest similar customers.lf new.csv -n 3",
    )(reads_tables(_similar))


OptionalOut = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        help="Where to write all rows, format by suffix. An existing file is "
        "overwritten.",
        show_default=False,
    ),
]


def _odd(
    dialect: Any,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="[MODEL] TABLE",
            help="A model file and a table; or a table alone, which is then compared "
            "with itself.",
            show_default=False,
        ),
    ],
    out: OptionalOut = None,
    keep: options.Keep = None,
    top: Annotated[
        int, typer.Option("--top", min=0, help="How many of the oddest rows to show.")
    ] = 10,
    contamination: Annotated[
        str,
        typer.Option(
            "--contamination",
            metavar="SHARE",
            help="Share of the training rows that counts as odd, up to 0.5.",
            show_default="auto: 0.01",
        ),
    ] = "auto",
    seed: Annotated[
        int, typer.Option("--seed", help="Seed, where a table comes alone.")
    ] = 0,
    block_rows: options.BlockRows = None,
    safe_csv: options.SafeCsv = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Find odd rows: how odd each one is, and which of its cells surprise.

    Shows the oddest rows with their most surprising cells, and what was expected there.
    With -o all rows are written, with score (0 is usual, lower is odder), decision
    (below 0: odd) and three cells each. p tells how seldom a usual cell surprises as
    much; q, which share of all cells of the file with a q up to that is usual. Without
    a model q is 1, and columns of --keep are not judged.
    """
    with loading():
        from latentforest.cli._odd import OddJob, odd  # noqa: PLC0415
    job = OddJob(
        tuple(files),
        out,
        tuple(keep or ()),
        top,
        contamination,
        seed,
        block_rows,
        replace(dialect, safe_csv=safe_csv),
        Notes(quiet=quiet),
    )
    with job.notes.plain_warnings():
        odd(job)


def _similar(
    dialect: Any,
    model: options.Model,
    table: options.Table,
    n: Annotated[
        int, typer.Option("-n", "--rows", min=1, help="Rows to find for each row.")
    ] = 5,
    out: OptionalOut = None,
    safe_csv: options.SafeCsv = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Find training rows that are like given rows, by the forest's kernel.

    Shows them side by side; with -o writes, for each row, itself and those like it.
    """
    with loading():
        from latentforest.cli._similar import similar  # noqa: PLC0415
    notes = Notes(quiet=quiet)
    with notes.plain_warnings():
        similar(model, table, n, out, replace(dialect, safe_csv=safe_csv), notes)
