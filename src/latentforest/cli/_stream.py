"""encode, decode and reconstruct: files of any length in constant memory."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from latentforest._autoencoder import RFAE
from latentforest._base._complete import completed
from latentforest._base._errors import DataError
from latentforest._base._in_words import in_rows
from latentforest._base._names import coordinate_names
from latentforest._base._types import Bools, Coords
from latentforest._odd_rows import outside
from latentforest.cli._models import load, load_decoder
from latentforest.cli._notes import Notes
from latentforest.cli._sink import Output, check_output
from latentforest.cli._tables import (
    block_rows,
    check_keep,
    coords_of,
    kept_part,
    model_table,
    notations_of,
)
from latentforest.metrics import Distortion, RunningDistortion
from latentforest.reading import (
    Dialect,
    Source,
    columns_to_read,
    file_codec,
    file_schema,
    open_files,
)
from latentforest.table import RowSet

FAR_ROWS = (
    "rows that lie far from all training rows: {:,}. A number of theirs is outside the "
    "training range by more than a tenth of it; see latentforest odd."
)
FAR_POSITIONS = (
    "positions that lie far from any training row: {:,}. What is decoded there is "
    "hardly more than a guess."
)


@dataclass(frozen=True, slots=True)
class Job:
    """What the three commands have in common."""

    model: str
    table: str
    out: str
    keep: tuple[str, ...]
    block_rows: int | None
    dialect: Dialect
    notes: Notes


def encode(job: Job) -> None:
    """Write the coordinates of the rows of a table."""
    output, model = _open_output(job), load(job.model)
    names = coordinate_names(model.encoder_.n_components)
    schema = pa.schema([(name, pa.float64()) for name in names])
    far = _Far(FAR_ROWS)
    with open_files(job.table, job.dialect) as source:
        columns = columns_to_read(source, model.schema_)

        def work(block: Any, first: int) -> Any:
            rows = model_table(source, block, columns, model.schema_, first)
            coords, is_far = _coords(model, rows)
            far.add(is_far)
            return pa.table(dict(zip(names, coords.T, strict=True)))

        _run(job, source, columns, schema, work, output, {})
    far.warn(job.notes)


def decode(job: Job) -> None:
    """Write the rows of the table at given coordinates."""
    output, model = _open_output(job), load_decoder(job.model)
    names = coordinate_names(model.encoder_.n_components)
    codec, far = file_codec(model.schema_), _Far(FAR_POSITIONS)
    with open_files(job.table, job.dialect) as source:
        source.require(names, "coordinates")
        one_more = coordinate_names(len(names) + 1)[-1]
        if one_more in source.names:
            message = (
                f"{source.label} has a column {one_more}, but the model has "
                f"{len(names)} coordinates. Give coordinates of this model."
            )
            raise DataError(message)

        def work(block: Any, first: int) -> Any:
            coords = coords_of(source, block, names, first)
            far.add(model.reach_.is_far(model.decoder_.check_coords(coords)))
            return codec.decode(_codes(model, coords))

        notations = notations_of(model.schema_)
        _run(job, source, names, file_schema(codec), work, output, notations)
    far.warn(job.notes)


def reconstruct(job: Job, report: str | None) -> None:
    """Write the rows as they come back, and say what was lost."""
    output, model = _open_output(job), load_decoder(job.model)
    if report is not None:
        check_output(report, (job.model, job.table, job.out))
    codec, far = file_codec(model.schema_), _Far(FAR_ROWS)
    lost = RunningDistortion(model.schema_, model.yardstick_)
    known = RowSet(model.encoder_.trained_on("decoding").table.values)
    n_known = 0
    with open_files(job.table, job.dialect) as source:
        columns = columns_to_read(source, model.schema_)

        def work(block: Any, first: int) -> Any:
            nonlocal n_known
            rows = model_table(source, block, columns, model.schema_, first)
            codes = model.codec_.encode(rows).values
            n_known += int(known.holds(codes).sum())
            far.add(outside(model.schema_, codes))
            back = codec.decode(_codes(model, model.encoder_.locate(codes)))
            lost.add(rows, back)
            return back

        schema, notations = file_schema(codec), notations_of(model.schema_)
        n_rows = _run(job, source, columns, schema, work, output, notations)
    far.warn(job.notes)
    result = lost.result()
    job.notes.say(f"\n{result}")
    if n_known:
        job.notes.say(trained_on(n_known, n_rows))
    if report is not None:
        found = {"rows": n_rows, "training_rows": n_known, **_as_json(result)}
        with completed(report) as unfinished:
            unfinished.write_text(json.dumps(found, indent=2, default=str) + "\n")
        job.notes.say(f"Report: {report}")


def trained_on(n_known: int, n_rows: int) -> str:
    """Say that a report is one on training rows, or on some of them."""
    how_many = "All" if n_known == n_rows else f"{n_known:,} of {in_rows(n_rows)}"
    return (
        f"{how_many} were trained on; rows that the model has not seen lose more. "
        "fit --test holds some back."
    )


def _as_json(lost: Distortion) -> dict[str, Any]:
    columns = [
        {
            "name": c.name,
            "kind": str(c.kind),
            "distortion": _number(c.distortion),
            "guess": _number(c.guess),
            "relative": _number(c.relative),
        }
        for c in lost.columns
    ]
    means = {"mean": lost.mean, "guess": lost.guess, "relative": lost.relative}
    return {key: _number(x) for key, x in means.items()} | {"columns": columns}


def _number(value: float) -> float | None:
    return None if value != value else value  # noqa: PLR0124 (JSON has no NaN)


def _coords(model: RFAE, rows: Any) -> tuple[Coords, Bools]:
    """Coordinates of rows, and which of them are far from the training rows."""
    codes = model.codec_.encode(rows, caller=type(model).__name__).values
    return model.encoder_.locate(codes), outside(model.schema_, codes)


class _Far:
    """Counts what lies far from all training rows."""

    def __init__(self, message: str) -> None:
        self._message, self._n_far = message, 0

    def add(self, is_far: Bools) -> None:
        self._n_far += int(is_far.sum())

    def warn(self, notes: Notes) -> None:
        if self._n_far:
            notes.warn(self._message.format(self._n_far))


def _codes(model: RFAE, coords: Coords) -> Any:
    return model.decoder_.decode(model.decoder_.check_coords(coords))


def _open_output(job: Job) -> Output:
    return Output(job.out, job.dialect, (job.model, job.table))


def _run(
    job: Job,
    source: Source,
    columns: Sequence[str],
    schema: Any,
    work: Callable[[Any, int], Any],
    output: Output,
    notations: dict[str, Any],
) -> int:
    """Read blocks, work on each, write it, and count the rows."""
    n_told = job.notes.warn_each(source.notes)
    check_keep(source, job.keep, schema.names)
    to_read = list(dict.fromkeys([*job.keep, *columns]))
    n_block = block_rows(job.block_rows, max(len(to_read), len(schema)))
    blocks = _numbered(source.blocks(to_read, n_block))
    n_rows = 0
    what = output.label
    with job.notes.progress(what) as bar:
        # The first block is done before anything is opened for writing.
        first, block = next(blocks)
        made = work(block, first)
        kept = kept_part(source, block, job.keep)
        whole = pa.schema([*kept.schema, *schema])
        with output.open(whole, notations) as sink:
            while True:
                sink.write(pa.table([*kept.columns, *made.columns], schema=whole))
                n_rows += block.num_rows
                bar.reach(n_rows, source.done)
                following = next(blocks, None)
                if following is None:
                    break
                first, block = following
                kept = kept_part(source, block, job.keep)
                made = work(block, first)
    job.notes.warn_each(source.notes, n_told)  # what reading has shown
    job.notes.say(f"{in_rows(n_rows)} written to {what}")
    return n_rows


def _numbered(blocks: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    first = 0
    for block in blocks:
        yield first, block
        first += block.num_rows
