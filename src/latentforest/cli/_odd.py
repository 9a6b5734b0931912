"""odd: scores of rows, the oddest of them, and the cells that make them so."""

import heapq
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
import pyarrow as pa

from latentforest._base._errors import DataError, UsageError
from latentforest._base._in_words import ROWS_FROM_0, in_rows, shown
from latentforest._base._types import Codes
from latentforest.cli._models import load_decoder
from latentforest.cli._notes import Notes
from latentforest.cli._odd_part import (
    OddCell,
    Part,
    cell_names,
    in_words,
    with_q_values,
)
from latentforest.cli._sink import Output
from latentforest.cli._spool import Spool
from latentforest.cli._tables import (
    block_rows,
    check_keep,
    kept_part,
    model_table,
    notations_of,
)
from latentforest.cli._training import noted_schema, read_whole, typed_frame
from latentforest.oddness import Discoveries, OddRows, check_contamination, odd_cells
from latentforest.reading import (
    STREAM,
    Dialect,
    Source,
    columns_to_read,
    file_codec,
    open_files,
)
from latentforest.table import TableSchema

ODD_CELL = 0.1  # p-value up to which a cell is shown
WIDTH, KEPT = 24, 60  # of a cell on the screen, and of one that names the row


@dataclass(frozen=True, slots=True)
class OddJob:
    """What is wanted."""

    files: tuple[str, ...]  # a model and a table, or a table alone
    out: str | None
    keep: tuple[str, ...]
    top: int
    contamination: str
    seed: int
    block_rows: int | None
    dialect: Dialect
    notes: Notes


@dataclass(frozen=True, slots=True)
class OddRow:
    """One of the oddest rows, as it is shown."""

    score: float
    number: int  # in the table, from 0
    kept: tuple[str, ...]
    cells: tuple[OddCell, ...]

    def __lt__(self, other: "OddRow") -> bool:
        # The least of a heap goes first: the most usual, and of equals the last.
        return (-self.score, -self.number) < (-other.score, -other.number)


def odd(job: OddJob) -> None:
    """Score the rows of a table, write them if wanted, and show the oddest."""
    if not 1 <= len(job.files) <= 2:
        message = "odd takes a model and a table, or a table alone."
        raise UsageError(message)
    if len(job.files) == 1 and PurePath(job.files[0]).suffix.lower() == ".lf":
        message = f"{job.files[0]} is a name for models. Give a table after it."
        raise UsageError(message)
    share = _share(job.contamination)
    output = None
    if job.out is not None:
        output = Output(job.out, job.dialect, job.files)
    with open_files(job.files[-1], job.dialect) as source:
        check_keep(source, job.keep, ("score", "decision", *cell_names()))
        if len(job.files) == 2:
            model = load_decoder(job.files[0])
            columns = columns_to_read(source, model.schema_)
            finder = model.odd_rows(share)
            schema = finder.schema_
            blocks = _blocks(job, source, columns, finder)
        else:
            finder, schema, columns, blocks = _of_table(job, source, share)
        oddest, found = _judge(job, source, finder, schema, columns, blocks, output)
    job.notes.say()
    shown = _shown(oddest, job.keep, found)
    if job.out == STREAM:  # which belongs to the rows that are written
        job.notes.say(shown)
    else:
        sys.stdout.write(shown)


def _share(text: str) -> str | float:
    if text == "auto":
        return text
    try:
        share = float(text)
        check_contamination(share)
    except ValueError as exc:
        message = (
            f"--contamination {text}: give auto, or a share above 0 and up to 0.5, "
            "such as 0.05."
        )
        raise UsageError(message) from exc
    return share


def _blocks(
    job: OddJob, source: Source, columns: list[str], finder: OddRows
) -> Iterator[tuple[Any, Codes]]:
    """Read a table block by block, as the model's codes."""
    to_read = list(dict.fromkeys([*job.keep, *columns]))
    first = 0
    for block in source.blocks(to_read, block_rows(job.block_rows, len(to_read))):
        rows = model_table(source, block, columns, finder.schema_, first)
        yield block, finder.codec_.encode(rows, to_nearest=False).values
        first += block.num_rows


def _of_table(
    job: OddJob, source: Source, share: str | float
) -> tuple[OddRows, TableSchema, list[str], Iterator[tuple[Any, Codes]]]:
    """Learn from the table itself; kept columns are names of rows, and not judged."""
    columns = [name for name in source.data_names if name not in job.keep]
    if not columns:
        message = "--keep names all columns: none is left to judge. Keep fewer."
        raise UsageError(message)
    whole = read_whole(source, [*job.keep, *columns], job.notes)
    if whole.num_rows < 2:
        rows = f"{source.label} has {in_rows(whole.num_rows)}"
        message = f"{rows}, which cannot be compared with others. Give a model, too."
        raise DataError(message)
    frame, read = typed_frame(source, whole.select(columns), {}, job.notes)
    finder = OddRows(share, random_state=job.seed).fit(frame)
    codes = finder.codec_.encode(frame, to_nearest=False).values
    n_block = block_rows(job.block_rows, whole.num_columns)
    blocks = (
        (whole.slice(first, n_block), codes[first : first + n_block])
        for first in range(0, len(codes), n_block)
    )
    return finder, noted_schema(finder.schema_, read), columns, blocks


def _judge(
    job: OddJob,
    source: Source,
    finder: OddRows,
    schema: TableSchema,
    columns: list[str],
    blocks: Iterator[tuple[Any, Codes]],
    output: Output | None,
) -> tuple[list[OddRow], Discoveries]:
    """Judge all rows, write them, and return the oddest, the oddest first.

    Q-values are among all cells: written rows wait for them in a temporary file.
    """
    codec, names = file_codec(schema), np.array(columns, dtype=object)
    ways = notations_of(schema)
    oddest: list[OddRow] = []
    n_rows = n_odd = 0
    found = finder.oddness_.discoveries()
    with Spool() as waiting:
        with job.notes.progress(source.label) as bar:
            for block, codes in blocks:
                cells = odd_cells(finder.oddness_, codec, codes)
                found.add(cells.p_values)
                scores = cells.scores
                part = Part(block.select(columns), codec, names, codes, cells, ways)
                kept = kept_part(source, block, job.keep).columns
                _gather(oddest, job.top, n_rows, scores, part, kept)
                n_odd += int((scores < finder.offset_).sum())
                n_rows += len(codes)
                bar.reach(n_rows, source.done)
                if output is not None:
                    made = part.table(scores, scores - finder.offset_)
                    heads = [*job.keep, *made.column_names]
                    waiting.write(pa.table([*kept, *made.columns], names=heads))
        if output is not None:
            _write(output, waiting, found)
    if output is not None:
        job.notes.say(f"{in_rows(n_rows)} written to {output.label}")
    job.notes.say(f"Odd, with a decision below 0: {n_odd:,} of {in_rows(n_rows)}")
    if oddest:
        job.notes.say(ROWS_FROM_0)
    return sorted(oddest, key=lambda row: (row.score, row.number)), found


def _write(output: Output, waiting: Spool, found: Discoveries) -> None:
    """Write the rows that waited for their q-values."""
    sink: Any = None
    with ExitStack() as stack:
        for block in waiting.blocks():
            whole = with_q_values(block, found)
            if sink is None:
                sink = stack.enter_context(output.open(whole.schema, {}))
            sink.write(whole)


def _gather(
    oddest: list[OddRow], top: int, first: int, scores: Any, part: Part, kept: Any
) -> None:
    """Keep the oddest rows so far."""
    for row in np.argsort(scores, kind="stable")[:top]:
        cells = tuple(part.cell(row, rank) for rank in range(part.largest.shape[1]))
        names = tuple(in_words(column[int(row)].as_py()) for column in kept)
        heapq.heappush(
            oddest, OddRow(float(scores[row]), first + int(row), names, cells)
        )
        if len(oddest) > top:
            heapq.heappop(oddest)


def _shown(
    oddest: list[OddRow], keep: tuple[str, ...], discoveries: Discoveries
) -> str:
    lines = []
    for row in oddest:
        named = "".join(
            f"  {shown(name, KEPT)} {shown(value, KEPT)}"
            for name, value in zip(keep, row.kept, strict=True)
        )
        lines.append(f"row {row.number}  score {row.score:.1f}{named}")
        # The oddest cell that is not as expected, and others that are odd, too.
        first, *more = [c for c in row.cells if not c.as_expected] or row.cells
        cells = [first, *(c for c in more if c.p_value <= ODD_CELL)]
        q_values = discoveries.q_values(np.array([cell.p_value for cell in cells]))
        words = [[shown(word, WIDTH) for word in cell[:3]] for cell in cells]
        wide, found, _ = (max(map(len, column)) for column in zip(*words, strict=True))
        lines += [
            f"    {column:{wide}}  {value:{found}}  expected {wanted} "
            f"(p {cell.p_value:.2g}, q {q_value:.2g})"
            for (column, value, wanted), cell, q_value in zip(
                words, cells, q_values, strict=True
            )
        ]
    return "\n".join(lines) + "\n" if lines else ""
