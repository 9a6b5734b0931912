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
from latentforest._base._parallel import blocks_of
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Codes
from latentforest._base._values import damaged
from latentforest.table._codec import TableCodec
from latentforest.table._frames import open_table, rows_of
from latentforest.table._schema import EncodedTable, TableSchema
from latentforest.table._table_survey import TableSurvey

T = TypeVar("T")
_BLOCK = 2**20
MOST_ROWS = 2**40  # of a table
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Batches(ABC):
    """A table in pieces, which can be read again and again, cut in the same places.

    A piece is a table of pandas, polars or pyarrow, or an array, with the columns of
    all others.
    """

    label = "the table"

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
        """Return the number of rows in each piece."""
        return list(self.map(_length, what="counting rows"))

    def note_lengths(self, lengths: Sequence[int]) -> None:  # noqa: B027 (need not)
        """Take note of the number of rows in each piece, which somebody has counted."""

    def told(self, schema: TableSchema) -> TableSchema:
        """Return the schema with what the source knows of how cells were written."""
        return schema


@dataclass(frozen=True, eq=False)
class Whole(Batches):
    """A table in memory: one piece."""

    table: Any

    def map(
        self, work: Callable[..., T], *arguments: Sequence[Any], what: str = ""
    ) -> Iterator[T]:
        """Work on the table."""
        yield work(self.table, *(values[0] for values in arguments))


@dataclass(frozen=True, slots=True)
class Kept:
    """Which rows of a table a model keeps; the others are placed like new ones.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    most : int or None, default=None
        Rows to keep at most; None keeps all.
    seed : int, default=0
        What decides which ones.
    """

    n_rows: int
    most: int | None = None
    seed: int = 0

    @property
    def is_all(self) -> bool:
        """Whether all rows are kept."""
        return self.most is None or self.n_rows <= self.most

    @property
    def count(self) -> int:
        """How many rows are kept."""
        return self.n_rows if self.most is None else min(self.n_rows, self.most)

    def rows(self) -> NDArray[np.int64]:
        """Return the numbers of the rows, in order: those with the lowest hashes.

        A hash is one of seed and row number, so no row knows of pieces or workers, and
        fewer rows are some of more.
        """
        if self.is_all:
            return np.arange(self.n_rows, dtype=np.int64)
        # A few more than are wanted lie below a bound; most rows need no sorting.
        share = (self.count + 10.0 * self.count**0.5 + 10.0) / self.n_rows
        bound = np.uint64(min(share, 1.0) * (2.0**64 - 2.0**12))
        found = []
        for begin, end in blocks_of(self.n_rows, _BLOCK):
            numbers = np.arange(begin, end, dtype=np.uint64)
            hashes = _hashes(numbers, self.seed)
            low = hashes <= bound
            found.append(np.stack([hashes[low], numbers[low]]))
        hashes, numbers = np.concatenate(found, axis=1)
        chosen = numbers[np.argsort(hashes)[: self.count]]
        assert len(chosen) == self.count, "a draw ten standard errors off"
        return np.sort(chosen).astype(np.int64)

    def put(self, new: NewSection) -> None:
        """Write to a model file."""
        new.data |= {"n_rows": self.n_rows, "most": self.most, "seed": self.seed}

    @classmethod
    def take(cls, manifest: Section, n_known: int) -> "Kept":
        """Read from a model file; older ones keep all rows they know."""
        if not manifest.has("kept"):
            return cls(n_known)
        section = manifest.section("kept")
        most = section.integer("most", lowest=1) if section.has("most") else None
        kept = cls(
            section.integer("n_rows", lowest=1, highest=MOST_ROWS),
            most,
            section.integer("seed", lowest=0, highest=2**63),
        )
        if n_known and kept.count != n_known:
            raise damaged(f"{n_known} rows are kept, but {kept.count} should be")
        return kept


def _hashes(numbers: Any, seed: int) -> Any:
    """Numbers of rows, mixed (the finish of SplitMix64): no two are the same."""
    mixed = numbers * _GOLDEN + np.uint64(seed)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


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
    codec.schema_ = batches.told(whole.schema())
    batches.note_lengths(lengths)
    return lengths


def _survey(kinds: Any, piece: Any) -> TableSurvey | None:
    """Look at a piece; one without rows says nothing."""
    return TableSurvey.of(piece, kinds) if len(piece) else None


def _length(piece: Any) -> int:
    return open_table(piece).n_rows if len(piece) else 0


def read_rows(
    codec: TableCodec,
    batches: Batches,
    lengths: Sequence[int],
    rows: NDArray[np.int64],
    caller: str,
) -> EncodedTable:
    """Encode the chosen rows of a table in pieces, in order of their numbers."""
    own, _ = split_rows(rows, lengths)
    work = partial(_encode_rows, codec, caller)
    encoded = list(batches.map(work, own, lengths, what="reading the kept rows"))
    return EncodedTable(codec.schema_, np.concatenate(encoded))


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
    found = _length(piece)
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
