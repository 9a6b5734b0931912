"""Tables in pieces: the contract that files and engines fill, and what fit asks of it.

Nothing that is learned depends on how a table is cut: surveys of pieces merge to that
of the whole, and which rows are kept is a matter of their numbers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import SchemaError
from latentforest._base._types import Codes
from latentforest.table._codec import TableCodec
from latentforest.table._frames import index_of, rows_of
from latentforest.table._kept import Kept
from latentforest.table._schema import EncodedTable, TableSchema
from latentforest.table._table_survey import TableSurvey

T = TypeVar("T")


class Batches(ABC):
    """A table in pieces, which can be read again and again, cut in the same places.

    A piece is a table of pandas, polars or pyarrow, or an array, with the columns of
    all others. It may be empty.
    """

    label = "the table"
    _lengths: list[int] | None = None

    @abstractmethod
    def map(
        self, work: Callable[..., T], *arguments: Sequence[Any], what: str = ""
    ) -> Iterator[T]:
        """Yield ``work(piece, …)`` for every piece, in the order of the rows.

        Parameters
        ----------
        work : callable
            What to do; it can be pickled, and may be called again if it is lost.
        *arguments : sequences
            Further arguments, one of each per piece.
        what : str, default=""
            What to call the pass over the table on a progress bar.
        """

    def stream(self, work: Callable[..., T], *, what: str = "") -> Iterator[T]:
        """Yield as ``map`` does what is as long as the pieces: few of them wait."""
        return self.map(work, what=what)

    def gather(
        self, work: Callable[..., Codes], *arguments: Sequence[Any], width: int
    ) -> Any:
        """Return what ``work`` makes of the pieces as one array; Dask's is lazy.

        Parameters
        ----------
        work : callable
            From a piece to as many rows of floats.
        *arguments : sequences
            Further arguments, one of each per piece.
        width : int
            Columns of the array.
        """
        made = self.map(work, *arguments)
        return np.concatenate([np.empty((0, width)), *made])

    def gather_tables(self, work: Callable[..., Codes], codec: TableCodec) -> Any:
        """Return the codes that ``work`` gives as one table; Dask's is lazy."""
        return codec.decode(self.gather(work, width=codec.schema_.n_columns))

    def lengths(self) -> list[int]:
        """Return the number of rows in each piece, counted once."""
        if self._lengths is None:
            self._lengths = list(self.map(len, what="counting rows"))
        return self._lengths

    def note_lengths(self, lengths: Sequence[int]) -> None:
        """Take note of the number of rows in each piece, which somebody has counted."""
        self._lengths = list(lengths)

    def told(self, schema: TableSchema) -> TableSchema:
        """Return the schema with what the source knows of how cells were written."""
        return schema


@dataclass(eq=False)
class Whole(Batches):
    """A table in memory: one piece."""

    table: Any

    def map(
        self, work: Callable[..., T], *arguments: Sequence[Any], what: str = ""
    ) -> Iterator[T]:
        """Work on the table."""
        yield work(self.table, *(values[0] for values in arguments))


@dataclass(eq=False)
class Derived(Batches):
    """A table made from another one, piece by piece."""

    batches: Batches
    change: Callable[[Any], Any]

    def map(
        self, work: Callable[..., T], *arguments: Sequence[Any], what: str = ""
    ) -> Iterator[T]:
        """Work on the changed pieces."""
        return self.batches.map(
            partial(_after, work, self.change), *arguments, what=what
        )

    def told(self, schema: TableSchema) -> TableSchema:
        """Return the schema with what the source knows of how cells were written."""
        return self.batches.told(schema)


def _after(
    work: Callable[..., T], change: Callable[[Any], Any], piece: Any, *given: Any
) -> T:
    return work(change(piece), *given)


def learn(codec: TableCodec, batches: Batches) -> list[int]:
    """Fit a codec on a table in pieces; return the number of rows in each."""
    lengths: list[int] = []
    whole: TableSurvey | None = None
    look = partial(_survey, codec.kinds)
    for survey in batches.map(look, what="looking at all rows"):
        lengths.append(0 if survey is None else survey.n_rows)
        if survey is not None:
            whole = survey if whole is None else whole.merge(survey)
    if whole is None:
        message = f"{batches.label} has no rows. Give at least two."
        raise SchemaError(message)
    index = index_of(batches.table) if isinstance(batches, Whole) else None
    codec.settle(batches.told(whole.schema().labelled(index)))
    batches.note_lengths(lengths)
    return lengths


def _survey(kinds: Any, piece: Any) -> TableSurvey | None:
    """Look at a piece; one without rows says nothing."""
    return TableSurvey.of(piece, kinds) if len(piece) else None


def read_rows(
    codec: TableCodec,
    batches: Batches,
    lengths: Sequence[int],
    kept: Kept,
    caller: str,
) -> EncodedTable:
    """Encode the rows of a table in pieces that are kept, in order of their numbers."""
    own, _ = split_rows(kept.rows(), lengths)
    work = partial(_encode_rows, codec, caller)
    encoded = list(batches.map(work, own, lengths, what="reading the kept rows"))
    return EncodedTable(codec.schema_, np.concatenate(encoded), kept)


def split_rows(
    rows: NDArray[np.int64], lengths: Sequence[int]
) -> tuple[list[NDArray[np.int64]], list[slice]]:
    """Say which rows of each piece are chosen, and where these stand among all."""
    ends = np.cumsum(lengths)
    cuts = np.searchsorted(rows, [0, *ends])
    places = [slice(a, b) for a, b in pairwise(cuts)]
    begins = ends - lengths
    own = [rows[place] - begin for place, begin in zip(places, begins, strict=True)]
    return own, places


def _encode_rows(
    codec: TableCodec, caller: str, piece: Any, rows: NDArray[np.int64], n_rows: int
) -> Codes:
    found = len(piece)
    if found != n_rows:
        message = (
            f"A part of the table had {n_rows} rows when it was first read, and has "
            f"{found} now. Give a table that stays as it is while a model is fitted."
        )
        raise SchemaError(message)
    if not len(rows):
        return np.empty((0, codec.schema_.n_columns))
    part = piece if len(rows) == n_rows else rows_of(piece, rows)
    return codec.encode(part, caller=caller).values
