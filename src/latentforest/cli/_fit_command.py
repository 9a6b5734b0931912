"""The command ``fit``."""

from typing import Annotated, Any

import typer

from latentforest.cli import _options as options
from latentforest.cli._dialect_options import reads_tables
from latentforest.cli._interrupts import loading
from latentforest.cli._notes import Notes
from latentforest.cli._words import DECODERS

_EXAMPLE = "Example: latentforest fit customers.csv -o customers.lf -k 4 --seed 1"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("fit", epilog=_EXAMPLE)(_fit)


@reads_tables
def _fit(
    dialect: Any,
    table: options.Table,
    out: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            help="Model file to write, usually with the suffix .lf. An existing file "
            "is kept, unless --force is given.",
            show_default=False,
        ),
    ],
    components: Annotated[
        int,
        typer.Option("-k", "--components", min=1, help="Coordinates per row."),
    ] = 2,
    auto: options.Auto = False,
    time_budget: Annotated[
        float | None,
        typer.Option(
            "--time-budget",
            min=0,
            help="Seconds that --auto may take to choose.",
            show_default="no limit",
        ),
    ] = None,
    paper: options.Paper = False,
    forest: options.Forest = None,
    trees: options.Trees = None,
    leaf_size: Annotated[
        int | None,
        typer.Option(
            "--leaf-size",
            min=1,
            help="Smallest number of rows in a leaf.",
            show_default="by forest",
        ),
    ] = None,
    decoder: Annotated[
        str | None,
        typer.Option(
            "--decoder",
            help=f"One of {', '.join(DECODERS)}.",
            show_default="auto",
        ),
    ] = None,
    refine: options.Refine = None,
    max_samples: options.MaxSamples = None,
    test: Annotated[
        float | None,
        typer.Option(
            "--test",
            metavar="SHARE",
            min=0,
            max=0.9,
            help="Share of the rows to hold back, such as 0.2; what they lose is "
            "reported. They are not in the model.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="COLUMN",
            help="Column that a supervised forest learns; it is not encoded.",
            show_default=False,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop",
            metavar="COLUMN",
            help="Column to leave out, such as an id. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="COLUMN=KIND",
            help="What a column means: continuous, integer, boolean, category, "
            "ordered or datetime; text in order as COLUMN=ordered:low,mid,high. Can "
            "be repeated.",
            show_default="inferred",
        ),
    ] = None,
    unseen: Annotated[
        str,
        typer.Option(
            "--unseen",
            help="Categories that fit has not seen: missing treats the cell as missing "
            "and says so, error refuses the table.",
        ),
    ] = "missing",
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            min=0,
            help="The same seed gives the same model.",
            show_default="random",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, help="Threads.", show_default="all cores"),
    ] = None,
    drop_training: Annotated[
        bool,
        typer.Option(
            "--drop-training",
            help="Save only what encode needs, without the training rows: a model "
            "that cannot decode.",
        ),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite an existing model file.")
    ] = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """Fit a model on a table and save it."""
    with loading():
        from latentforest.cli._fit import Settings, fit, read_kinds  # noqa: PLC0415
    settings = Settings(
        components=components,
        auto=auto,
        time_budget=time_budget,
        paper=paper,
        forest=forest,
        trees=trees,
        leaf_size=leaf_size,
        decoder=decoder,
        refine=refine,
        max_samples=max_samples,
        unseen=unseen,
        seed=seed,
        jobs=jobs,
        target=target,
        drop=tuple(drop or ()),
        kinds=read_kinds(kind or []),
    )
    notes = Notes(quiet=quiet)
    with notes.plain_warnings():
        fit(
            table,
            out,
            settings,
            dialect,
            notes,
            drop_training=drop_training,
            force=force,
            test=test,
        )
