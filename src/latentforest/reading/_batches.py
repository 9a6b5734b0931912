"""Files and folders as pieces of one table, read again for every pass."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from latentforest._base._checks import listed
from latentforest._base._errors import DataError
from latentforest._base._progress import progress
from latentforest._base._warn import warn
from latentforest.reading._cells import joined, read_words, trimmed, truths, without
from latentforest.reading._column import Column
from latentforest.reading._dialect import Dialect, Kinds
from latentforest.reading._exact import check_finite
from latentforest.reading._files import Paths, files_of
from latentforest.reading._for_model import columns_to_read, table_for
from latentforest.reading._formats import format_of
from latentforest.reading._frames import frame_of, is_text
from latentforest.reading._infer import infer_columns
from latentforest.reading._notation import Notation
from latentforest.reading._number_notation import NumberNotation
from latentforest.reading._source import Source
from latentforest.reading._values import words_of
from latentforest.reading._word_survey import WordSurvey
from latentforest.table import Batches, TableSchema

T = TypeVar("T")
PIECE = 2**16  # rows
_IN_PIECES = {"csv", "tsv", "parquet", "feather", "arrow"}


class FileBatches(Batches):
    """The rows of one or more files, in the order of the files' names.

    Parameters
    ----------
    paths : path, pattern or list of paths
        A file, a folder of files, or a pattern such as ``"rows/*.parquet"``.
    kinds : mapping or None, default=None
        What the user says of columns.
    dialect : Dialect or None, default=None
        How text is written; None works it out.
    names : sequence of str or None, default=None
        The columns to read; None reads all.
    schema : TableSchema or None, default=None
        The columns of a fitted model, which then say how cells are read.
    progress : bool, default=False
        Show on standard error how far each pass is.

    Notes
    -----
    Text files, Parquet, Feather and Arrow are read in pieces; workbooks, JSON lines
    and databases each at once.
    """

    def __init__(
        self,
        paths: Paths,
        *,
        kinds: Mapping[Any, Any] | None = None,
        dialect: Dialect | None = None,
        names: Sequence[str] | None = None,
        schema: TableSchema | None = None,
        progress: bool = False,
    ) -> None:
        self.paths = files_of(paths)
        self.label = self.paths[0] if len(self.paths) == 1 else _label(paths)
        self.kinds: Kinds = {str(name): kind for name, kind in (kinds or {}).items()}
        self.dialect = dialect or Dialect(in_python=True)
        self._schema, self._progress = schema, progress
        with Source(self.paths[0], self.dialect) as source:
            self.names = list(source.data_names if names is None else names)
            if schema is not None:
                self.names = columns_to_read(source, schema)
            self.notes = list(source.notes)
        self._columns: dict[str, Column] | None = None

    @property
    def columns(self) -> dict[str, Column]:
        """How columns of text are read, decided over all rows."""
        if self._columns is None:
            self._columns = self._infer()
        return self._columns

    def map(
        self, work: Callable[..., T], *arguments: Sequence[Any], what: str = ""
    ) -> Iterator[T]:
        """Work on the pieces, file by file."""
        columns, first = {} if self._schema is not None else self.columns, 0
        for number, (source, table) in enumerate(self._tables(what or "reading")):
            if self._schema is not None:
                rows = table_for(source, table, self.names, self._schema, first)
            else:
                rows = frame_of(
                    {
                        name: self._values(columns.get(name), name, cells, first)
                        for name, cells in zip(self.names, table.columns, strict=True)
                    }
                )
            first += len(rows)
            yield work(rows, *(values[number] for values in arguments))

    def told(self, schema: TableSchema) -> TableSchema:
        """Return the schema with the notations of the columns."""
        noted = {n: c for n, c in self.columns.items() if c.notation or c.told}
        specs = tuple(
            spec if str(spec.name) not in noted else noted[str(spec.name)].noted(spec)
            for spec in schema.columns
        )
        return replace(schema, columns=specs)

    def _tables(self, what: str) -> Iterator[tuple[Source, Any]]:
        """Yield the pieces as the files have them, each with its file."""
        n_rows = 0
        with progress(what if self._progress else None, unit=" rows") as bar:
            for path in self.paths:
                with Source(path, self.dialect) as source:
                    source.require(self.names, "columns of the first file")
                    n_told = len(source.notes)
                    for table in self._pieces(source, path):
                        n_rows += table.num_rows
                        one = len(self.paths) == 1
                        bar.reach(n_rows, source.done if one else None)
                        yield source, table.select(self.names)
                    shown = source.notes[n_told:]  # by reading all of it
                    self.notes += [note for note in shown if note not in self.notes]

    def _pieces(self, source: Source, path: str) -> Iterator[Any]:
        if format_of(path, self.dialect.stream_format).kind in _IN_PIECES:
            several = len(self.paths) > 1
            return source.blocks(self.names, PIECE, may_be_empty=several)
        with progress(None) as bar:
            return iter([source.whole(self.names, bar)])

    def _infer(self) -> dict[str, Column]:
        """Find out how columns of text are written."""
        surveys: dict[str, WordSurvey] = {}
        typed, commas = True, False
        for source, table in self._tables("finding out how cells are written"):
            typed, commas = typed and not source.is_text, source.commas_are_decimal
            for name, cells in zip(self.names, table.columns, strict=True):
                if is_text(cells.type):
                    survey = surveys.setdefault(name, WordSurvey())
                    survey.add(joined(words_of(cells)))
        words = {name: survey.result() for name, survey in surveys.items()}
        found = infer_columns(
            {name: cells for name, (cells, _) in words.items()},
            self.dialect,
            self.kinds,
            commas_are_decimal=commas,
            counts={name: counts for name, (_, counts) in words.items()},
        )
        # Text of digits may be meant as text where the file could say number.
        kept = {n: c for n, c in found.items() if not typed or c.is_disguised}
        self.notes += [column.note for column in kept.values() if column.note]
        if self.dialect.in_python:
            for note in self.notes:
                warn(note)
        return kept

    def _values(self, column: Column | None, name: str, cells: Any, first: int) -> Any:
        """Read a piece of a column in the way that was found for all of it."""
        if column is None or not is_text(cells.type):
            return cells
        kind, notation = column.values.type, Notation.from_text(column.notation)
        missing = self.dialect.missing_in(self.kinds.get(name)) | set(notation.gaps)
        cells = joined(words_of(cells))
        if is_text(kind):
            return without(trimmed(cells) if self.dialect.strip else cells, missing)
        words = without(trimmed(cells), missing)
        way = notation.cells or NumberNotation()
        if pa.types.is_boolean(kind):
            values = truths(words)
        elif pa.types.is_integer(kind) and notation.cells is None:
            values = pc.cast(pc.utf8_ltrim(words, "+"), kind)
        elif pa.types.is_null(kind) or way.is_plain:
            values = read_words(name, words, first, "", (way,), self.dialect)
        elif isinstance(way, NumberNotation):
            values = way.read(words, whole=pa.types.is_integer(kind))
            check_finite(name, words, values, first, self.dialect)
        else:
            values = way.read(words)
        bad = pc.index(pc.and_(pc.is_null(values), pc.is_valid(words)), value=True)
        if bad.as_py() >= 0:
            word = words[bad.as_py()].as_py()
            message = (
                f"Column {name!r} holds {word!r}, and nearly all other cells are "
                f"written like {way.example}. Correct the cell, or give "
                f"{self.dialect.option('na', word)} if it means missing."
            )
            raise DataError(message)
        return values.cast(kind)


def _label(paths: Paths) -> str:
    if isinstance(paths, str | PathLike):
        return fspath(paths)
    return listed([fspath(path) for path in paths], 2)
