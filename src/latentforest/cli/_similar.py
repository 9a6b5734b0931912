"""similar: training rows that are like the rows of a table."""

import sys
from typing import Any

import pyarrow as pa
from pandas import isna

from latentforest._base._errors import DataError
from latentforest._base._in_words import ROWS_FROM_0, in_rows, shown
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
    # The given row is none of the training rows.
    number = found.iloc[:, 1].astype("Int64")
    found[found.columns[1]] = number.where(number >= 0)
    row = (found.iloc[:, 0] == 0).cumsum() - 1
    if output is None:
        _show(found, row, model.row_labels_ is not None, notes)
        return
    found.insert(0, "row", row)
    table = pa.Table.from_pandas(found, preserve_index=False).replace_schema_metadata()
    with output.open(table.schema, notations_of(model.schema_)) as sink:
        sink.write(table)
    notes.say(f"{in_rows(len(found))} written to {output.label}")


def _show(found: Any, row: Any, has_labels: bool, notes: Notes) -> None:
    """Show rows side by side, one line per column."""
    n_rows, n_ours = int(row.max()) + 1, 4 if has_labels else 3
    for number in range(min(SHOWN, n_rows)):
        part = found[(row == number).to_numpy()].iloc[: 1 + ACROSS]
        kernel, names = part.iloc[:, 2], part.iloc[:, 3 if has_labels else 1]
        heads = [f"row {number}", *(f"like {name}" for name in names.iloc[1:])]
        shares = ["kernel", *(f"{value:.3f}" for value in kernel.iloc[1:])]
        lines = [("", heads), ("", shares)]
        cells = part.columns[n_ours:]
        lines += [(name, list(map(_text, part[name]))) for name in cells]
        sys.stdout.write(_aligned(lines) + "\n")
    notes.say(ROWS_FROM_0)
    if n_rows > SHOWN:
        notes.say(f"{in_rows(n_rows - SHOWN)} more: write them with -o.")


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
