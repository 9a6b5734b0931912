"""Decode coordinates of which each carries columns of its own."""

from copy import copy
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from latentforest._base._section import Section
from latentforest._base._types import Codes, Coords, Floats
from latentforest.decode._bounds import code_bounds
from latentforest.decode._context import DecoderContext, Rows
from latentforest.decode._contract import SpreadingDecoder
from latentforest.neighbours import CellSpread
from latentforest.table import EncodedTable, TableSchema


class Line(NamedTuple):
    """What lies along one coordinate."""

    columns: NDArray[np.integer]
    places: Floats  # (n_places,) ascending
    codes: Codes  # (n_places, n_columns) of these columns
    straight: bool  # a single number, without gaps

    @classmethod
    def of_rows(cls, table: EncodedTable, columns: Rows, places: Floats) -> "Line":
        """Take one of the rows at each place."""
        found, first = np.unique(places, return_index=True)
        codes = table.values[np.ix_(first, columns)]
        straight = len(columns) == 1 and table.schema.is_number[columns[0]]
        return cls(columns, found, codes, straight and not np.isnan(codes).any())

    def at(self, where: Floats) -> Codes:
        """Cells of the nearest place; a number alone goes on between and beyond."""
        if self.straight and len(self.places) > 1:
            return self._on_line(where)[:, None]
        after = np.searchsorted((self.places[1:] + self.places[:-1]) / 2, where)
        return self.codes[after]

    def _on_line(self, where: Floats) -> Floats:
        # Half of a difference is finite where the whole is not.
        places, codes = self.places, self.codes[:, 0] / 2
        inside = np.interp(where, places, codes)
        slope = (codes[-1] - codes[0]) / (places[-1] - places[0])
        beyond = where - np.clip(where, places[0], places[-1])
        largest = np.finfo(np.float64).max
        with np.errstate(over="ignore"):
            return np.clip(2 * (inside + slope * beyond), -largest, largest)


class PackedDecoder(SpreadingDecoder):
    """Copy the columns that each coordinate carries from the place next to it.

    For coordinates of ``Refinement(start="packed")``. Columns of different coordinates
    come from different training rows, so that what was never seen together can come
    back together. A number that has a coordinate for itself goes on between the
    training rows, and with ``extrapolate`` beyond them.

    Parameters
    ----------
    extrapolate : bool, default=False
        Let a number that has a coordinate for itself leave its training range, but not
        change its sign where that of all training rows is the same.
    n_jobs : int or None, default=None
        Threads; not needed here.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, Refinement
    >>> table = load_iris(as_frame=True).frame
    >>> model = RFAE(2, refine=Refinement(start="packed"), random_state=0).fit(table)
    >>> model.decoder_
    PackedDecoder()
    >>> model.score(table) > 0.99
    True
    """

    def __init__(self, *, extrapolate: bool = False, n_jobs: int | None = None) -> None:
        self.extrapolate = extrapolate
        self.n_jobs = n_jobs

    def needs(self) -> frozenset[str]:
        """Return what is needed: which columns each coordinate carries."""
        return frozenset({"columns"})

    def check(self) -> None:
        """Check the parameters; there are none that could be wrong."""

    def learn(self, context: DecoderContext, rng: np.random.Generator) -> None:
        """Note what lies along each coordinate; ``rng`` is not needed."""
        assert context.columns is not None, "the decoder says that it needs them"
        self.table_, self.columns_ = context.table, context.columns
        self._lay(context.coords)

    def _lay(self, coords: Coords) -> None:
        self.coords_ = coords
        self.lines_ = [
            Line.of_rows(self.table_, columns, places)
            for columns, places in zip(self.columns_, coords.T, strict=True)
        ]

    def keep(self, rows: Rows, context: DecoderContext | None = None) -> Self:
        """Return a decoder that knows the given rows only."""
        fewer = copy(self)
        if context is None:
            fewer.table_ = self.table_.take(rows)
            fewer._lay(self.coords_[rows])
        else:
            fewer.learn(context, self.rng_)
        return fewer

    def decode(self, coords: Coords) -> Codes:
        """Read off each coordinate the cells of its columns."""
        schema = self.table_.schema
        codes = np.empty((len(coords), schema.n_columns))
        for line, where in zip(self.lines_, coords.T, strict=True):
            codes[:, line.columns] = line.at(where)
        return np.clip(codes, *code_bounds(schema, np.inf if self.extrapolate else 0.0))

    def decode_with_spread(self, coords: Coords) -> tuple[Codes, CellSpread]:
        """Decode. A single row stands behind each cell: there is no other opinion."""
        codes = self.decode(coords)
        return codes, _certain(self.table_.schema, codes)

    def take(self, section: Section, context: DecoderContext) -> None:
        """Note what lies along each coordinate again."""
        super().take(section, context)
        self.learn(context, self.rng_)


def _certain(schema: TableSchema, codes: Codes) -> CellSpread:
    """No spread for numbers, and all the weight for one level, or for missing."""
    n_levels = schema.n_levels
    n_codes = np.where(schema.is_number, 0, n_levels + 1)
    start = np.cumsum(n_codes, dtype=np.int64) - n_codes
    std = np.where(schema.is_number & ~np.isnan(codes), 0.0, np.nan)
    shares = np.zeros((len(codes), int(n_codes.sum())))
    for column in np.flatnonzero(~schema.is_number):
        level = np.where(np.isnan(codes[:, column]), n_levels[column], codes[:, column])
        at = start[column] + level.astype(np.int64)
        shares[np.arange(len(codes)), at] = 1.0
    return CellSpread(std, shares, start)
