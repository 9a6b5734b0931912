"""The table that fit is given: rows to learn from, and rows that are held back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest import RFAE
from latentforest._base._errors import DataError, UsageError
from latentforest._base._in_words import counted, in_rows
from latentforest._long import rows_seed
from latentforest.cli._check_cells import check_cells
from latentforest.cli._held_back import hold_back, is_held
from latentforest.cli._notes import Notes
from latentforest.reading import (
    STREAM,
    Column,
    Dialect,
    FileBatches,
    Kinds,
    Source,
    files_of,
    frame_of,
    open_files,
    read_columns,
)
from latentforest.table import (
    Batches,
    ColumnSpec,
    Derived,
    EncodedTable,
    Kept,
    TableCodec,
    TableSchema,
    learn,
    read_rows,
    split_rows,
)

LARGE = 2**28  # bytes; a longer file is read in pieces
MOST_HELD = 50_000  # rows of a long table that a report is on


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part of a table fit shall learn from."""

    kinds: Kinds
    drop: Sequence[str] = ()
    target: str | None = None
    test: float | None = None  # share of the rows to hold back

    def names(self, source: Source) -> list[str]:
        """Return the columns to read, the target among them."""
        source.require(self.drop, "columns to drop")
        source.require(self.kinds, "columns of --kind")
        if self.target is not None:
            source.require([self.target], "target")
        if self.target in self.drop:
            message = f"--drop {self.target}: the target is never encoded anyway."
            raise UsageError(message)
        names = [name for name in source.data_names if name not in self.drop]
        if not any(name != self.target for name in names):
            raise self._none_left(source)
        return names

    def _none_left(self, source: Source) -> DataError:
        given = ["--drop"] if self.drop else []
        given += ["--target"] if self.target is not None else []
        if not given:
            return DataError(f"{source.label} has no columns. Give a table with some.")
        verb = "names" if len(given) == 1 else "name"
        fewer = "Drop fewer." if self.drop else "Give a table with more."
        return DataError(
            f"{' and '.join(given)} {verb} all columns of {source.label}: no column is "
            f"left to fit. {fewer}"
        )

    def check_target(self, y: Any) -> None:
        """Refuse a target with gaps."""
        count = int(import_module("pandas").isna(y).sum())
        if count:
            cells = "cell" if count == 1 else "cells"
            message = (
                f"Target {self.target!r} has {count} missing {cells}. "
                "Fill them, or leave these rows out."
            )
            raise DataError(message)


@dataclass(frozen=True, slots=True)
class Training:
    """A table to learn from."""

    table: EncodedTable
    y: Any  # the target of all rows to learn from, kept or not; or None
    held: Any  # a frame of rows that are held back, or None


def read_training(
    path: str,
    dialect: Dialect,
    notes: Notes,
    wanted: Wanted,
    model: RFAE,
    seed: int | None,
) -> Training:
    """Read the table, without columns to drop and with the target apart."""
    if is_long(path):
        return _read_long(path, dialect, notes, wanted, model)
    with open_files(path, dialect) as source:
        names = wanted.names(source)
        frame, columns = read_frame(source, names, wanted.kinds, notes)
    y = None
    if wanted.target is not None:
        y = frame.pop(wanted.target)
        wanted.check_target(y)
        y = y.to_numpy()
    label = "standard input" if path == STREAM else path
    check_rows(len(frame), model.n_components, label)
    columns_read = counted(frame.shape[1], "column")
    notes.say(f"{in_rows(len(frame))}, {columns_read} read from {label}")
    codec = TableCodec(dict(wanted.kinds) or None)
    encoded = codec.fit_encode(frame)
    known, held = hold_back(encoded, wanted.test, model.n_components, seed)
    if len(held):  # what is held back shall not be known by its levels either
        encoded = codec.fit_encode(frame.iloc[known])
        kept = Kept(len(known), model.max_samples, rows_seed(model.random_state))
        rows = kept.rows()
        kept = replace(kept, numbers=known[rows])  # as the file counts them
        schema = encoded.schema.renumbered(lambda rows: known[rows])
        encoded = EncodedTable(schema, encoded.values[rows], kept)
    return Training(
        with_notations(encoded, columns),
        None if y is None else y[known],
        frame.iloc[held] if len(held) else None,
    )


def check_rows(n_rows: int, n_components: int, label: str) -> None:
    """Refuse tables that are too short for a map."""
    if n_rows < 2:
        message = f"{label} has {in_rows(n_rows)}; a map needs at least two."
        raise DataError(message)
    if n_rows <= n_components:
        message = (
            f"--components {n_components} needs more rows than that; {label} "
            f"has {n_rows}. Lower --components, or add rows."
        )
        raise DataError(message)


def is_long(path: str) -> bool:
    """Whether a table is read in pieces: a folder, and a file that is large."""
    if path == STREAM:
        return False
    files = files_of(path)
    return len(files) > 1 or (
        Path(path).is_file() and Path(path).stat().st_size > LARGE
    )


def _read_long(
    path: str, dialect: Dialect, notes: Notes, wanted: Wanted, model: RFAE
) -> Training:
    """Look at all rows of a table in pieces, and read those that the model keeps."""
    with open_files(path, dialect) as source:
        names = wanted.names(source)
    bars = notes.shows_progress
    files = FileBatches(
        path, kinds=wanted.kinds, dialect=dialect, names=names, progress=bars
    )
    rows: Batches = files
    seed, held, known = rows_seed(model.random_state), None, None
    if wanted.test:
        held_share = min(wanted.test, MOST_HELD / sum(files.lengths()))
        rows = Derived(files, partial(_part, wanted.test, seed, False))
        parts = list(files.map(partial(_held_back, wanted.test, held_share, seed)))
        held = import_module("pandas").concat(
            [part for part, _ in parts], ignore_index=True
        )
        known = [bits for _, bits in parts]
    y = None
    if wanted.target is not None:
        y = np.concatenate(list(rows.map(partial(_cells, wanted.target))))
        wanted.check_target(y)
        rows = Derived(rows, partial(_without, wanted.target))
        held = None if held is None else held.drop(columns=wanted.target)
    codec = TableCodec(dict(wanted.kinds) or None)
    lengths = learn(codec, rows)
    for note in files.notes:
        notes.warn(note)
    check_rows(sum(lengths), model.n_components, path)
    columns = counted(len(codec.schema_.columns), "column")
    kept = Kept(sum(lengths), model.max_samples, seed)
    if known is not None:
        number = partial(_numbers_in_files, lengths, known, files.lengths())
        kept = replace(kept, numbers=number(kept.rows()))
        codec.settle(codec.schema_.renumbered(number))
    n_rows = sum(files.lengths()) if wanted.test else kept.n_rows
    notes.say(f"{in_rows(n_rows)}, {columns} found in {path}")
    if not kept.is_all:
        notes.say(
            f"{kept.count:,} of them, drawn at random, are what forest and map are "
            "made of; kinds, levels and ranges of columns come from all"
        )
    table = read_rows(codec, rows, lengths, kept, "fit")
    return Training(_in_words(table), y, held)


def _part(share: float, seed: int, wanted: bool, frame: Any) -> Any:
    return frame[is_held(frame, share, seed) == wanted]


def _held_back(share: float, held_share: float, seed: int, frame: Any) -> Any:
    """Return the rows of a piece to report on, and as bits which are learned from."""
    known = ~is_held(frame, share, seed)
    return _part(held_share, seed, True, frame), np.packbits(known)


def _numbers_in_files(
    lengths: Sequence[int],
    known: Sequence[Any],
    sizes: Sequence[int],
    rows: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the numbers of some rows in all files together, from 0.

    Of each piece there are ``lengths`` rows to learn from, as the bits of ``known``
    say, among its ``sizes`` rows.
    """
    own, _ = split_rows(rows, lengths)
    begins = np.cumsum([0, *sizes[:-1]])
    parts = [
        begin + np.flatnonzero(np.unpackbits(bits, count=size))[part]
        for begin, part, bits, size in zip(begins, own, known, sizes, strict=True)
    ]
    return np.concatenate(parts)


def _cells(name: str, frame: Any) -> Any:
    return frame[name].to_numpy()


def _without(name: str, frame: Any) -> Any:
    return frame.drop(columns=name)


def read_frame(
    source: Source, names: Sequence[str], kinds: Kinds, notes: Notes
) -> tuple[Any, dict[str, Column]]:
    """Read whole columns as a pandas frame, and how they were written."""
    return typed_frame(source, read_whole(source, names, notes), kinds, notes)


def read_whole(source: Source, names: Sequence[str], notes: Notes) -> Any:
    """Read whole columns as they are written."""
    n_told = notes.warn_each(source.notes)
    with notes.progress(f"reading {source.label}") as bar:
        table = source.whole(names, bar)
    notes.warn_each(source.notes, n_told)  # what reading has shown
    return table


def typed_frame(
    source: Source, table: Any, kinds: Kinds, notes: Notes
) -> tuple[Any, dict[str, Column]]:
    """Work out what columns hold; also return how they were written."""
    columns = read_columns(source, table, kinds)
    for name, column in columns.items():
        check_cells(source, name, column.values)
        if column.note:
            notes.warn(column.note)
    return frame_of({name: c.values for name, c in columns.items()}), columns


def with_notations(table: EncodedTable, columns: Mapping[str, Column]) -> EncodedTable:
    """Return the table with a schema that knows how its columns were written."""
    return replace(table, schema=noted_schema(table.schema, columns))


def noted_schema(schema: TableSchema, columns: Mapping[str, Column]) -> TableSchema:
    """Return a schema that knows how its columns were written."""
    specs = tuple(_noted(spec, columns[str(spec.name)]) for spec in schema.columns)
    return TableSchema(specs, schema.container)


def _in_words(table: EncodedTable) -> EncodedTable:
    """Return the table with reasons in the words of the command line."""
    specs = tuple(_noted(spec, None) for spec in table.schema.columns)
    return replace(table, schema=TableSchema(specs, table.schema.container))


def _noted(spec: ColumnSpec, column: Column | None) -> ColumnSpec:
    spec = spec if column is None else column.noted(spec)
    return replace(spec, reason=spec.reason.replace("set by kinds", "set by --kind"))
