"""Rows that stand for others: the peaks of the density of a map."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import blocks_of
from latentforest._base._types import Coords, Floats, Ints
from latentforest.neighbours import NeighbourSearch

FEWEST, MOST = 3, 100  # neighbours that tell how dense a place is
ROW_BLOCK = 8_192  # rows whose neighbours are held at a time
PAIRS = 1_000_000  # distances that are held at a time


class Peaks(NamedTuple):
    """Rows at peaks of the density, the most outstanding first."""

    rows: NDArray[np.int64]  # (n_peaks,)
    stand_for: NDArray[np.int64]  # (n_peaks,) rows that lead there, itself counted


def density_peaks(coords: Coords, n: int, *, n_jobs: int | None = None) -> Peaks:
    """Find the rows that are far from any denser row, seen from where they are dense.

    A place is as dense as the distance r to its k-th neighbour is small. With δ the
    distance to the nearest denser row, rows are taken in order of δ / r. That is at
    least 1 at a peak, where none of the k neighbours is denser, and at most 1 for all
    others: an outlier is far from all rows, but has denser neighbours. Each row leads
    to its nearest denser one, and so on to one of the peaks that are taken (density
    peak clustering: Rodriguez and Laio, Science 344, 2014). So the rows lie spread over
    the map, none has to be moved or averaged, and there is no starting point to choose.

    k is half of the rows for which one of ``n`` would stand, from 3 to 100. Copies of a
    row are less dense than the first of them. Fewer than ``n`` come back where there
    are fewer different places.
    """
    n_rows = len(coords)
    k = min(max(min(n_rows // (2 * n), MOST), FEWEST), n_rows - 1)
    if k < 1:
        return Peaks(np.zeros(n_rows, np.int64), np.ones(n_rows, np.int64))
    near, radius = _neighbours(coords, k, n_jobs)
    rank = np.empty(n_rows, np.int64)
    order = np.argsort(radius, kind="stable")  # of equals, the first row is denser
    rank[order] = np.arange(n_rows)

    parent = np.arange(n_rows)
    for first, stop in blocks_of(n_rows, ROW_BLOCK):
        denser = rank[near[first:stop]] < rank[first:stop, None]
        some, nearest = denser.any(axis=1), denser.argmax(axis=1)
        rows = np.flatnonzero(some)
        parent[first + rows] = near[first + rows, nearest[rows]]
    apart = np.sqrt(np.square(coords - coords[parent]).sum(axis=1))
    alone = np.flatnonzero(parent == np.arange(n_rows))
    parent[alone], apart[alone] = _nearest_denser(coords, rank, alone)

    places = radius[radius > 0]
    # Where more than k rows coincide, the density has no bound.
    least = places.min() if len(places) else 1.0
    outstanding = apart / np.maximum(radius, least)
    taken = np.lexsort((rank, -outstanding))[:n]
    taken = taken[(apart[taken] > 0) | (rank[taken] == 0)]
    parent[taken] = taken
    while not np.array_equal(further := parent[parent], parent):
        parent = further
    return Peaks(taken, np.bincount(parent, minlength=n_rows)[taken])


def peaks_of_groups(
    coords: Coords, group: NDArray[np.int64], n: int, *, n_jobs: int | None = None
) -> Peaks:
    """Find peaks in each group of rows alone, group after group."""
    found = []
    for number in range(int(group.max()) + 1):
        members = np.flatnonzero(group == number)
        peaks = density_peaks(coords[members], n, n_jobs=n_jobs)
        found.append(Peaks(members[peaks.rows], peaks.stand_for))
    rows, stand_for = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Peaks(rows, stand_for)


def _neighbours(coords: Coords, k: int, n_jobs: int | None) -> tuple[Ints, Floats]:
    """Return the k nearest others of each row, and the distance to the last of them.

    Block by block: all distances at once would be most of the memory.
    """
    near, radius = np.empty((len(coords), k), np.int32), np.empty(len(coords))
    search = NeighbourSearch(coords)
    for first, stop in blocks_of(len(coords), ROW_BLOCK):
        own = np.arange(first, stop)
        found = search.nearest(coords[own], k + 1, n_jobs=n_jobs).without(own)
        near[own], radius[own] = found.rows, found.distances[:, -1]
    return near, radius


def _nearest_denser(
    coords: Coords, rank: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Floats]:
    """Return the nearest denser row, and how far it is, of rows with none near by.

    There are few of these. The densest row of all has the farthest row's distance.
    """
    parent, apart = rows.copy(), np.empty(len(rows))
    for first, stop in blocks_of(len(rows), max(PAIRS // len(coords), 1)):
        part = rows[first:stop]
        squares = np.zeros((len(part), len(coords)))
        for column in coords.T:
            squares += (column[part, None] - column) ** 2
        farthest = squares.max(axis=1)
        squares[rank >= rank[part, None]] = np.inf
        parent[first:stop] = squares.argmin(axis=1)
        apart[first:stop] = np.sqrt(squares.min(axis=1))
        top = rank[part] == 0
        parent[first:stop][top] = part[top]
        apart[first:stop][top] = np.sqrt(farthest[top])
    return parent, apart
