"""Which rows of a long table a model keeps."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of
from latentforest._base._section import NewSection, Section
from latentforest._base._values import damaged
from latentforest.table._labels import labels_of, put_labels, take_labels

MOST_ROWS = 2**40  # of a table
_BLOCK = 2**20
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Kept:
    """Which rows of a table a model keeps; the others are placed like new ones.

    Parameters
    ----------
    n_rows : int
        Rows that ``fit`` was given.
    most : int or None, default=None
        Rows to keep at most; None keeps all.
    seed : int, default=0
        What decides which ones.
    numbers : array of int of shape (count,) or None, default=None
        Numbers of the kept rows in the user's table, in rising order, where ``fit``
        was not given all its rows; None: those of ``rows``.
    labels : array of int or str of shape (count,) or None, default=None
        What the index of the user's table calls the kept rows; None: nothing else.
    """

    n_rows: int
    most: int | None = None
    seed: int = 0
    numbers: NDArray[np.int64] | None = None
    labels: NDArray[Any] | None = None

    @property
    def is_all(self) -> bool:
        """Whether all rows are kept."""
        return self.most is None or self.n_rows <= self.most

    @property
    def count(self) -> int:
        """How many rows are kept."""
        return self.n_rows if self.most is None else min(self.n_rows, self.most)

    def rows(self) -> NDArray[np.int64]:
        """Return which of the given rows are kept: those with the lowest hashes.

        A hash is one of seed and row number, so no row knows of pieces or workers, and
        fewer rows are some of more. Worked out when first asked for.
        """
        return self._rows

    @cached_property
    def _rows(self) -> NDArray[np.int64]:
        if self.is_all:
            return np.arange(self.n_rows, dtype=np.int64)
        # A few more than are wanted lie below a bound; most rows need no sorting.
        share = (self.count + 10.0 * self.count**0.5 + 10.0) / self.n_rows
        bound = np.uint64(min(share, 1.0) * (2.0**64 - 2.0**12))
        found = []
        for begin, end in blocks_of(self.n_rows, _BLOCK):
            numbers = np.arange(begin, end, dtype=np.uint64)
            hashes = hashes_of(numbers, self.seed)
            low = hashes <= bound
            found.append(np.stack([hashes[low], numbers[low]]))
        hashes, numbers = np.concatenate(found, axis=1)
        chosen = numbers[np.argsort(hashes)[: self.count]]
        assert len(chosen) == self.count, "a draw ten standard errors off"
        return np.sort(chosen).astype(np.int64)

    def in_table(self) -> NDArray[np.int64]:
        """Return the numbers of the kept rows in the user's table, from 0."""
        return self.rows() if self.numbers is None else self.numbers

    def names(self) -> NDArray[Any]:
        """Return what the kept rows are called: their labels, or else their numbers."""
        return self.in_table() if self.labels is None else self.labels

    def labelled(self, index: Any) -> "Kept":
        """Return it with the labels of the table's index, if it has one."""
        rows = slice(None) if self.is_all else self.rows()
        return replace(self, labels=labels_of(index, rows))

    def put(self, new: NewSection, *, drop_training: bool) -> None:
        """Write to a model file; labels and numbers only beside the rows themselves."""
        new.data |= {"n_rows": self.n_rows, "most": self.most, "seed": self.seed}
        if drop_training:
            return
        if self.numbers is not None:
            new.array("skipped", np.diff(self.numbers, prepend=-1) - 1)
        if self.labels is not None:
            put_labels(self.labels, new)

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
        numbers = labels = None
        if n_known and section.holds("skipped"):
            numbers = _numbers(section, n_known)
        if n_known and section.holds("labels"):
            labels = take_labels(section, n_known)
        return replace(kept, numbers=numbers, labels=labels)


def _numbers(section: Section, n_known: int) -> NDArray[np.int64]:
    """Read the numbers of the kept rows: how many were skipped before each."""
    skipped = section.array("skipped", np.int64, (n_known,))
    if skipped.min() < 0 or skipped.sum(dtype=np.float64) > MOST_ROWS:
        raise damaged(f"{section.path('skipped')} are not numbers of rows")
    numbers: NDArray[np.int64] = np.cumsum(skipped + 1) - 1
    return numbers


def hashes_of(numbers: Any, seed: int) -> Any:
    """Numbers of rows, mixed (the finish of SplitMix64): no two are the same."""
    mixed = numbers * _GOLDEN + np.uint64(seed)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
