"""Principal components of cells, of which there may be very many."""

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.sparse import csr_array

from latentforest._base._parallel import blocks_of, one_blas_thread
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Bools, Coords, Floats
from latentforest.refine._cells import Cells
from latentforest.refine._start import Hints, Near, RowMap, RowsToRefine, Start

NEGLIGIBLE_SHARE = 1e-12  # of the largest variance
NEGLIGIBLE_LENGTH = 1e-10
MANY_CELLS = 2_000  # beyond, no matrix of cells is formed
BLOCK_ROWS = 2_048
# The search for a few axes: more vectors than axes, products and rounds.
MORE_VECTORS, DEPTH, ROUNDS, TOLERANCE = 8, 8, 20, 1e-9


@dataclass(frozen=True, slots=True)
class LinearStart(Start):
    """Principal components of the cells: the best start where columns are linear."""

    name: ClassVar[str] = "linear"

    mean: Floats  # (n_cells,)
    axes: Floats  # (n_components, n_cells); zeros beyond the rank

    def put(self, new: NewSection) -> None:
        """Write mean and axes to a model file."""
        new.array("centre", self.mean)
        new.array("axes", self.axes)

    @classmethod
    def take(cls, section: Section, n_components: int, cells: Cells) -> Self:
        """Read mean and axes from a model file."""
        return cls(
            section.coords("centre", (cells.n_cells,)),
            section.coords("axes", (n_components, cells.n_cells)),
        )

    @classmethod
    def fit(cls, cells: Cells, n_components: int) -> Self:
        """Find the axes of largest variance; the largest entry of each is positive."""
        find = _few_axes if cells.n_cells > MANY_CELLS else _all_axes
        mean, values, vectors = find(cells, n_components)
        axes = np.zeros((n_components, len(mean)))
        spread = values > NEGLIGIBLE_SHARE * values[-1]
        found = vectors[:, spread][:, ::-1][:, :n_components].T
        signs = np.sign(np.take_along_axis(found, np.abs(found).argmax(1)[:, None], 1))
        axes[: len(found)] = found * signs
        return cls(mean, axes)

    @classmethod
    def begin(cls, rows: RowsToRefine) -> tuple[Self, Coords]:
        """Find the axes; the forest is not asked."""
        start = cls.fit(rows.cells, rows.n_components)
        return start, start.place(rows.cells)

    def begin_again(self, rows: RowsToRefine, coords: Coords, rounds: int) -> Coords:
        """Project the rows on the same axes, which a few rows hardly turn."""
        return self.place(rows.cells)

    def places(
        self, cells: Cells, hints: Hints, refined: RowMap, near: Near | None
    ) -> list[Coords]:
        """Project the rows on the axes."""
        return [self.place(cells)]

    def place(self, cells: Cells) -> Coords:
        """Coordinates of rows given by their cells; gaps count as the mean."""
        coords = np.empty((len(cells.values), len(self.axes)))
        for begin, end in blocks_of(len(coords), BLOCK_ROWS):
            part = cells.take(slice(begin, end))
            if cells.n_cells > MANY_CELLS:
                coords[begin:end] = _CentredCells(part, self.mean).times(self.axes.T)
                continue
            dense = part.dense()
            centred = np.where(np.isnan(dense), 0.0, dense - self.mean)
            # A matrix product would round a row differently in another batch.
            coords[begin:end] = np.einsum(
                "ij,kj->ik", centred, self.axes, optimize=False
            )
        return coords


def _all_axes(cells: Cells, n_components: int) -> tuple[Floats, Floats, Floats]:
    """Mean of the cells, and all variances with their axes, rising."""
    dense = cells.dense()
    filled = np.where(np.isnan(dense), cells.mean(), dense)
    mean = filled.mean(axis=0)
    with one_blas_thread:
        covariance = (filled - mean).T @ (filled - mean) / len(filled)
        return mean, *np.linalg.eigh(covariance)


def _few_axes(cells: Cells, n_components: int) -> tuple[Floats, Floats, Floats]:
    """Mean of the cells, and the largest variances with their axes, rising.

    Block Krylov: the products of a few vectors V with the covariance S span
    [V, SV, …, SᵖV]; the next round begins with the best axes there. Unlike with ARPACK,
    variances may be equal or zero, and nothing is drawn on the way.
    """
    mean = cells.mean()
    centred = _CentredCells(cells, mean)
    size = min(n_components + MORE_VECTORS, *centred.shape)
    depth = max(1, min(DEPTH, len(mean) // size - 1))
    vectors = np.random.default_rng(0).normal(size=(len(mean), size))
    # Products on one thread are rounded in one way.
    with one_blas_thread:
        for _ in range(ROUNDS):
            basis, image = np.empty((len(mean), 0)), np.empty((len(cells.values), 0))
            for _ in range(depth + 1):
                vectors = _new_directions(vectors, basis)
                if not vectors.shape[1]:
                    break
                seen = centred.times(vectors)
                basis, image = np.hstack([basis, vectors]), np.hstack([image, seen])
                vectors = centred.back(seen)
            values, turn = np.linalg.eigh(image.T @ image)
            values, turn = values[-size:], turn[:, -size:]
            vectors = basis @ turn
            error = centred.back(image @ turn) - values * vectors
            if np.abs(error[:, -n_components:]).max() <= TOLERANCE * values[-1]:
                break
    return mean, values / len(cells.values), vectors


def _new_directions(vectors: Floats, basis: Floats) -> Floats:
    """Orthonormal vectors for what the basis lacks; rounding errors are left out."""
    lengths = np.linalg.norm(vectors, axis=0)
    vectors = vectors / np.where(lengths > 0, lengths, 1.0)
    vectors, sizes, _ = qr(
        vectors - basis @ (basis.T @ vectors), mode="economic", pivoting=True
    )
    vectors = vectors[:, np.abs(np.diag(sizes)) > NEGLIGIBLE_LENGTH]
    return np.linalg.qr(vectors - basis @ (basis.T @ vectors))[0]


class _CentredCells:
    """The matrix of all cells less their mean, 0 in gaps, which is never formed.

    It is A − K M: A holds the known cells, numbers less their mean; K says which
    categories are known, M holds the means of their cells.
    """

    def __init__(self, cells: Cells, mean: Floats) -> None:
        values, start, is_number = cells.values, cells.start, cells.is_number
        self.shape = len(values), cells.n_cells
        known, column = ~np.isnan(values), np.arange(len(is_number))
        at = start[:-1] + np.where(known & ~is_number, values, 0).astype(np.int64)
        # A category without levels has no cell to ask for.
        given = np.where(is_number, values - mean[np.minimum(at, len(mean) - 1)], 1.0)
        self.cells = _rows_of(given, at, known, cells.n_cells)
        self.known = _rows_of(
            np.ones_like(values),
            np.broadcast_to(column, values.shape),
            known & ~is_number,
            len(column),
        )
        self.mean = csr_array(
            (mean, np.arange(len(mean)), start), (len(column), len(mean))
        )

    def times(self, vectors: Floats) -> Floats:
        """Product with vectors of cells; each row is computed on its own."""
        product: Floats = self.cells @ vectors - self.known @ (self.mean @ vectors)
        return product

    def back(self, vectors: Floats) -> Floats:
        """Product of the transposed matrix with vectors of rows."""
        product: Floats = self.cells.T @ vectors
        return product - self.mean.T @ (self.known.T @ vectors)


def _rows_of(
    data: Floats, at: NDArray[np.integer], mask: Bools, width: int
) -> csr_array:
    """Sparse rows: some data, and the places they lie at."""
    ends = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
    return csr_array((data[mask], at[mask], ends), (len(data), width))
