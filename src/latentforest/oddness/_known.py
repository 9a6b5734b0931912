"""Training rows, told apart from new ones: each is judged without itself."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest.table import EncodedTable

Rows = NDArray[np.int64]
PRIME = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class KnownRows:
    """Where training rows stand among those that others are measured by."""

    values: Codes  # of the training rows
    order: Rows  # the rows by their key
    keys: NDArray[np.uint64]  # sorted
    at_points: Rows  # (n_rows,) place among the points; -1: not there
    at_learned: Rows  # (n_rows,) place among the rows that trees were grown on
    measured: Floats  # (3, n_rows) what was measured of the rows, each left out

    @classmethod
    def of_table(
        cls, table: EncodedTable, points_at: Rows, learned_at: Rows
    ) -> "KnownRows":
        """Remember the rows of a table; copies stand where the first of them does."""
        keys = _keys(table.values)
        order = np.argsort(keys, kind="stable")
        number = table.distinct_rows()
        return cls(
            table.values,
            order,
            keys[order],
            _places(number, points_at),
            _places(number, learned_at),
            np.empty((3, 0)),
        )

    def with_measures(self, measured: Floats) -> "KnownRows":
        """Return the rows with what was measured of them."""
        return replace(self, measured=measured)

    def places(self, codes: Codes) -> tuple[Rows, Rows]:
        """Places of rows among points and learned rows; -1 where they are new."""
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
        return (
            np.where(known, self.at_points[row], -1),
            np.where(known, self.at_learned[row], -1),
        )


def _places(number: NDArray[np.integer], rows: Rows) -> Rows:
    """For every row, the place of its first copy among some of the rows, or -1."""
    first = np.full(int(number.max()) + 1, -1)
    first[number[rows[::-1]]] = np.arange(len(rows))[::-1]
    return first[number]


def _keys(codes: Codes) -> NDArray[np.uint64]:
    """Return one number per row, the same for copies; -0 is 0, and NaN is NaN."""
    rows = codes + 0.0
    rows[np.isnan(rows)] = np.nan
    keys = np.zeros(len(rows), np.uint64)
    for column in np.ascontiguousarray(rows.T).view(np.uint64):
        keys = (keys ^ column) * PRIME
        keys ^= keys >> np.uint64(29)
    return keys
