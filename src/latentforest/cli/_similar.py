"""similar: training rows that are like the rows of a table."""

import sys
from typing import Any

import pyarrow as pa
from pandas import isna

from latentforest._base._errors import DataError
from latentforest._base._in_words import in_rows, shown
from latentforest.cli._look import read_rows
from latentforest.cli._models import load_decoder
from latentforest.cli._notes import Notes
from latentforest.cli._sink import Output
from latentforest.cli._tables import notations_of
from latentforest.reading import Dialect

SHOWN, ACROSS, WIDTH = 5, 5, 14  # rows of the table, rows side by side, of a cell


def similar(
    model_path: str, path: str, n: int, out: str | None, dialect: Dialect, notes: Notes
) -> None:
    """Find rows, and write or show them beside the rows they are like."""
    output = None if out is None else Output(out, dialect, (model_path, path))
    model = load_decoder(model_path)
    if output is not None and "row" in map(str, model.schema_.names):
        message = (
            "The table has a column named row, which the result needs for itself. "
            "Rename it."
        )
        raise DataError(message)
    rows, _ = read_rows(model, path, dialect, (), notes)
    found = model.similar(rows, n)
    found.columns = [str(name) for name in found.columns]
    # Rows of files are counted from 1; the given row is none of the training rows.
    counted = found.iloc[:, 1].astype("Int64") + 1
    found[found.columns[1]] = counted.where(counted > 0)
    row = (found.iloc[:, 0] == 0).cumsum()
    if output is None:
        _show(found, row, notes)
        return
    found.insert(0, "row", row)
    table = pa.Table.from_pandas(found, preserve_index=False).replace_schema_metadata()
    with output.open(table.schema, notations_of(model.schema_)) as sink:
        sink.write(table)
    notes.say(f"{in_rows(len(found))} written to {output.label}")


def _show(found: Any, row: Any, notes: Notes) -> None:
    """Show rows side by side, one line per column."""
    for number in range(1, min(SHOWN, int(row.max())) + 1):
        part = found[(row == number).to_numpy()].iloc[: 1 + ACROSS]
        _, at, kernel = (part.iloc[:, column] for column in range(3))
        heads = [f"row {number}", *(f"like {i}" for i in at.iloc[1:])]
        shares = ["kernel", *(f"{value:.3f}" for value in kernel.iloc[1:])]
        lines = [("", heads), ("", shares)]
        lines += [(name, list(map(_text, part[name]))) for name in part.columns[3:]]
        sys.stdout.write(_aligned(lines) + "\n")
    if int(row.max()) > SHOWN:
        notes.say(f"{in_rows(int(row.max()) - SHOWN)} more: write them with -o.")


def _aligned(lines: list[tuple[str, list[str]]]) -> str:
    cells = [[shown(cell, WIDTH) for cell in (name, *values)] for name, values in lines]
    wide = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rows = (
        "  ".join(f"{cell:{size}}" for cell, size in zip(row, wide, strict=True))
        for row in cells
    )
    return "".join(f"{row.rstrip()}\n" for row in rows)


def _text(value: Any) -> str:
    return "missing" if isna(value) else str(value)
