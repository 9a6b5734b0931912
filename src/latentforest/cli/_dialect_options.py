"""The options that say how tables are written, given to commands that read them."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from latentforest.cli._interrupts import loading

Separator = Annotated[
    str | None,
    typer.Option(
        "--separator",
        metavar="CHAR",
        help="Character between cells of text tables, such as ';', or the word tab.",
        show_default="found; written: comma, tab in .tsv",
    ),
]
Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar="CHAR",
        help="Decimal sign of numbers in text, . or ,",
        show_default="found",
    ),
]
Thousands = Annotated[
    str | None,
    typer.Option(
        "--thousands",
        metavar="CHAR",
        help="What parts thousands in text: , or . or ' or the word space.",
        show_default="found",
    ),
]
Na = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        metavar="WORD",
        help="Another word that means missing in text, besides the empty cell, NA, "
        "NaN, null, None and the like. Can be repeated.",
        show_default=False,
    ),
]
OnlyNa = Annotated[
    bool,
    typer.Option(
        "--only-na", help="Only the empty cell and the words of --na mean missing."
    ),
]
Strip = Annotated[
    bool, typer.Option("--strip/--no-strip", help="Take away blanks around text.")
]
Dates = Annotated[
    str | None,
    typer.Option(
        "--dates",
        metavar="ORDER",
        help="Order of numbers in dates: day-first (31.12.2021), month-first "
        "(12/31/2021) or year-first (20211231).",
        show_default="found",
    ),
]
LastYear = Annotated[
    int | None,
    typer.Option(
        "--last-year",
        metavar="YEAR",
        help="Latest year that two digits mean in dates: with 2025, 52 is 1952.",
        show_default="2068",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Encoding of text tables, such as cp1252.",
        show_default="UTF-8, or UTF-16 with its mark",
    ),
]
Quotes = Annotated[
    bool,
    typer.Option(
        "--quotes/--no-quotes",
        help="Whether a quote at the beginning of a cell opens text that may hold "
        "separators and lines; if not, it is a sign like others.",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line holds the names of the columns.",
        show_default="found",
    ),
]
SkipRows = Annotated[
    int | None,
    typer.Option(
        "--skip-rows",
        min=0,
        metavar="N",
        help="Lines before the names of the columns, such as titles.",
        show_default="found",
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet",
        "--table",
        metavar="NAME",
        help="Which sheet of a workbook, or which table of a database.",
        show_default="the only one",
    ),
]
StreamFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="Format of standard input and output (-): csv, tsv, jsonl (read only), "
        "parquet, feather, arrow.",
        show_default="csv",
    ),
]
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "separator": (Separator, None),
    "decimal": (Decimal, None),
    "thousands": (Thousands, None),
    "dates": (Dates, None),
    "na": (Na, None),
    "only_na": (OnlyNa, False),
    "strip": (Strip, True),
    "last_year": (LastYear, None),
    "encoding": (Encoding, None),
    "quotes": (Quotes, True),
    "header": (Header, None),
    "skip_rows": (SkipRows, None),
    "sheet": (Sheet, None),
    "stream_format": (StreamFormat, None),
}


def reads_tables(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command all options of how tables are written, as one ``dialect``."""

    @functools.wraps(command)
    def run(**given: Any) -> None:
        with loading():
            from latentforest.reading import Dialect  # noqa: PLC0415

        said = {name: given.pop(name) for name in _OPTIONS}
        said["na"] = tuple(said["na"] or ())
        command(dialect=Dialect(**said), **given)

    own = inspect.signature(command)
    kept = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in own.parameters.items()
        if name != "dialect"
    ]
    added = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind
        )
        for name, (kind, default) in _OPTIONS.items()
    ]
    last = {"quiet", "debug"}
    ordered = [
        *(p for p in kept if p.name not in last),
        *added,
        *(p for p in kept if p.name in last),
    ]
    run.__signature__ = own.replace(parameters=ordered)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in ordered}
    return run
