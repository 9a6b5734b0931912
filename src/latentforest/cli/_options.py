"""Options that several commands share, with the words of their help."""

from typing import Annotated

import typer

from latentforest.cli._words import FORESTS

Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="Model file, made by fit.", show_default=False
    ),
]
Table = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="Table: .csv, .tsv, .jsonl (also .gz, .zst), .parquet, .feather, .arrow, "
        ".xlsx, .ods, .sqlite or .duckdb; - reads standard input.",
        show_default=False,
    ),
]
Forest = Annotated[
    str | None,
    typer.Option(
        "--forest",
        help=f"One of auto, {', '.join(FORESTS)}.",
        show_default="auto: completely_random, or supervised with --target",
    ),
]
Auto = Annotated[
    bool,
    typer.Option(
        "--auto", help="Choose forest, refinement and decoder on held-back rows."
    ),
]
Paper = Annotated[
    bool, typer.Option("--paper", help="Use the settings of the paper's benchmark.")
]
Trees = Annotated[
    int | None,
    typer.Option(
        "--trees",
        min=1,
        help="Number of trees.",
        show_default="50; 500 where rows are not refined",
    ),
]
Refine = Annotated[
    str | None,
    typer.Option(
        "--refine",
        metavar="ROUNDS",
        help="Rounds in which rows are moved until they decode best, auto to "
        "choose, or none to keep the forest's own map.",
        show_default="4, none with --forest or --decoder",
    ),
]
MaxSamples = Annotated[
    str | None,
    typer.Option(
        "--max-samples",
        metavar="ROWS",
        help="Rows of a long table that are kept, drawn at random; none keeps all.",
        show_default="100000",
    ),
]
OptionalTable = Annotated[
    str | None,
    typer.Argument(
        metavar="[TABLE]",
        help="Rows to show; without it the training rows.",
        show_default=False,
    ),
]
Out = Annotated[
    str,
    typer.Option(
        "-o",
        "--output",
        help="Where to write, format by suffix; - writes to standard output. An "
        "existing file is overwritten.",
        show_default=False,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="COLUMN",
        help="Column of the input to copy to the output, such as an id. Can be "
        "repeated.",
        show_default=False,
    ),
]
BlockRows = Annotated[
    int | None,
    typer.Option(
        "--block-rows",
        min=1,
        help="Rows held in memory at once. The result does not depend on it.",
        show_default="up to 50,000",
    ),
]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="Put an apostrophe before text in CSV output that begins with =, +, -, @ "
        "or a control character, so that no spreadsheet runs it as a formula. Numbers "
        "stay as they are.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Debug = Annotated[
    bool, typer.Option("--debug", help="Show the whole traceback of an error.")
]
ColorBy = Annotated[
    str | None,
    typer.Option(
        "--color-by",
        metavar="COLUMN",
        help="Column that colours the points: one of the model, or any other column "
        "of the table; or the word oddness.",
        show_default=False,
    ),
]
