"""The table that fit is given: its values, and how they were written."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from latentforest._base._errors import DataError, UsageError
from latentforest.cli._check_cells import check_cells
from latentforest.cli._notes import Notes
from latentforest.reading import Column, Dialect, Source, frame_of, read_columns
from latentforest.table import ColumnSpec, EncodedTable, TableSchema


@dataclass(frozen=True, slots=True)
class Training:
    """A table to learn from."""

    frame: Any
    y: Any  # the target, or None
    columns: dict[str, Column]


def read_training(
    path: str,
    dialect: Dialect,
    notes: Notes,
    kinds: Mapping[str, str],
    drop: Collection[str],
    target: str | None,
) -> Training:
    """Read the table, without columns to drop and with the target apart."""
    with Source(path, dialect) as source:
        source.require(drop, "columns to drop")
        source.require(kinds, "columns of --kind")
        if target is not None:
            source.require([target], "target")
        names = [name for name in source.data_names if name not in drop]
        if target in drop:
            message = f"--drop {target}: the target is never encoded anyway."
            raise UsageError(message)
        frame, columns = read_frame(source, names, kinds, notes)
    if target is None:
        return Training(frame, None, columns)
    y = frame.pop(target)
    if y.isna().any():
        count = int(y.isna().sum())
        cells = "cell" if count == 1 else "cells"
        message = (
            f"Target {target!r} has {count} missing {cells}. "
            "Fill them, or leave these rows out."
        )
        raise DataError(message)
    return Training(frame, y.to_numpy(), columns)


def read_frame(
    source: Source, names: Sequence[str], kinds: Mapping[str, str], notes: Notes
) -> tuple[Any, dict[str, Column]]:
    """Read whole columns as a pandas frame, and how they were written."""
    return typed_frame(source, read_whole(source, names, notes), kinds, notes)


def read_whole(source: Source, names: Sequence[str], notes: Notes) -> Any:
    """Read whole columns as they are written."""
    for note in source.notes:
        notes.warn(note)
    with notes.progress(f"reading {source.label}") as bar:
        return source.whole(names, bar)


def typed_frame(
    source: Source, table: Any, kinds: Mapping[str, str], notes: Notes
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
    return EncodedTable(noted_schema(table.schema, columns), table.values)


def noted_schema(schema: TableSchema, columns: Mapping[str, Column]) -> TableSchema:
    """Return a schema that knows how its columns were written."""
    specs = tuple(_noted(spec, columns[str(spec.name)]) for spec in schema.columns)
    return TableSchema(specs, schema.container)


def _noted(spec: ColumnSpec, column: Column) -> ColumnSpec:
    reason = spec.reason.replace("set by kinds", "set by --kind")
    if column.told:
        # What looks like numbers is no id to be dropped.
        first = reason.partition(";")[0] if "look like" in column.told else reason
        reason = f"{first}, {column.told}"
    return replace(spec, notation=column.notation, reason=reason)
