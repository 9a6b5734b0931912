"""Training rows, told apart from new ones: each is judged without itself."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest.table import EncodedTable

Rows = NDArray[np.int64]
PRIME = np.uint64(0x9E3779B97F4A7C15)


class Places(NamedTuple):
    """Where rows are among those that others are measured by; −1: nowhere."""

    at_points: Rows  # (n_rows,) among the points
    at_learned: Rows  # (n_rows,) among the rows that trees were grown on
    fold: Rows  # (n_rows,) which a third of the trees was grown without


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Where training rows stand among those that others are measured by."""

    values: Codes  # of the training rows
    order: Rows  # the rows by their key
    keys: NDArray[np.uint64]  # sorted
    own: Places  # of the training rows; copies stand where the first of them does
    copy: Rows  # (n_rows,) of learned rows, where another one like it was learned
    measured: Floats  # (3, n_rows) what was measured of the rows, each left out

    @classmethod
    def of_table(
        cls, table: EncodedTable, points_at: Rows, learned_at: Rows, fold: Rows
    ) -> "KnownRows":
        """Remember the rows of a table, and the fold of each."""
        keys = _keys(table.values)
        order = np.argsort(keys, kind="stable")
        number = table.distinct_rows()
        return cls(
            table.values,
            order,
            keys[order],
            Places(
                _places(number, points_at),
                _places(number, learned_at),
                fold[_places(number, np.arange(table.n_rows))],
            ),
            _copies(number, learned_at),
            np.empty((3, 0)),
        )

    def with_measures(self, measured: Floats) -> "KnownRows":
        """Return the rows with what was measured of them."""
        return replace(self, measured=measured)

    def places(self, codes: Codes) -> Places:
        """Find rows among the training rows."""
        keys = _keys(codes)
        row = np.full(len(codes), -1)
        at = np.searchsorted(self.keys, keys, side="left")
        open_ = np.arange(len(codes))
        while len(open_):  # rows of one key are seldom different, but may be
            inside = at[open_] < len(self.keys)
            open_ = open_[inside]
            open_ = open_[self.keys[at[open_]] == keys[open_]]
            found = self.order[at[open_]]
            mine, theirs = codes[open_], self.values[found]
            same = ((mine == theirs) | (np.isnan(mine) & np.isnan(theirs))).all(axis=1)
            row[open_[same]] = found[same]
            open_ = open_[~same]
            at[open_] += 1
        known = row >= 0
        return Places(*(np.where(known, place[row], -1) for place in self.own))


def _places(number: NDArray[np.integer], rows: Rows) -> Rows:
    """For every row, the place of its first copy among some of the rows, or -1."""
    first = np.full(int(number.max()) + 1, -1)
    first[number[rows[::-1]]] = np.arange(len(rows))[::-1]
    return first[number]


def _copies(number: NDArray[np.integer], rows: Rows) -> Rows:
    """For every row that is among some, the place there of its second copy, or -1."""
    is_second = _places(number, rows)[rows] != np.arange(len(rows))
    second = np.flatnonzero(is_second)
    found = np.full(len(number), -1)
    if len(second):
        at = _places(number, rows[second])[rows]
        found[rows] = np.where(at >= 0, second[at], -1)
    return found


def _keys(codes: Codes) -> NDArray[np.uint64]:
    """Return one number per row, the same for copies; -0 is 0, and NaN is NaN."""
    rows = codes + 0.0
    rows[np.isnan(rows)] = np.nan
    keys = np.zeros(len(rows), np.uint64)
    for column in np.ascontiguousarray(rows.T).view(np.uint64):
        keys = (keys ^ column) * PRIME
        keys ^= keys >> np.uint64(29)
    return keys
