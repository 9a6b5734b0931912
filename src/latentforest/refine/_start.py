"""Where refinement may begin, beside the forest's coordinates."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, svds
from threadpoolctl import threadpool_limits

from latentforest._base._parallel import blocks_of
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Bools, Coords, Floats
from latentforest.refine._cells import Cells

NEGLIGIBLE_SHARE = 1e-12  # of the largest variance
MANY_CELLS = 2_000  # beyond, no matrix of cells is formed
BLOCK_ROWS = 2_048


@dataclass(frozen=True, slots=True)
class LinearStart:
    """Principal components of the cells: the best start where columns are linear."""

    mean: Floats  # (n_cells,)
    axes: Floats  # (n_components, n_cells); zeros beyond the rank

    def put(self, new: NewSection) -> None:
        """Write mean and axes to a model file."""
        new.array("centre", self.mean)
        new.array("axes", self.axes)

    @classmethod
    def take(cls, section: Section, n_components: int, n_cells: int) -> "LinearStart":
        """Read mean and axes from a model file."""
        return cls(
            section.coords("centre", (n_cells,)),
            section.coords("axes", (n_components, n_cells)),
        )

    @classmethod
    def fit(cls, cells: Cells, n_components: int) -> "LinearStart":
        """Find the axes of largest variance; the largest entry of each is positive."""
        find = _few_axes if cells.n_cells > MANY_CELLS else _all_axes
        mean, values, vectors = find(cells, n_components)
        axes = np.zeros((n_components, len(mean)))
        spread = values > NEGLIGIBLE_SHARE * values.max(initial=0.0)
        found = vectors[:, spread][:, ::-1][:, :n_components].T
        signs = np.sign(np.take_along_axis(found, np.abs(found).argmax(1)[:, None], 1))
        axes[: len(found)] = found * signs
        return cls(mean, axes)

    def place(self, cells: Cells) -> Coords:
        """Coordinates of rows given by their cells; gaps count as the mean."""
        coords = np.empty((len(cells.values), len(self.axes)))
        for begin, end in blocks_of(len(coords), BLOCK_ROWS):
            part = cells.take(slice(begin, end))
            if cells.n_cells > MANY_CELLS:
                coords[begin:end] = _CentredCells(part, self.mean) @ self.axes.T
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
    covariance = (filled - mean).T @ (filled - mean) / len(filled)
    return mean, *np.linalg.eigh(covariance)


def _few_axes(cells: Cells, n_components: int) -> tuple[Floats, Floats, Floats]:
    """Mean of the cells, and the largest variances with their axes, rising."""
    mean = cells.mean()
    n_rows = len(cells.values)
    n_axes = min(n_components, n_rows - 1)
    if n_axes == 0:
        return mean, np.zeros(0), np.zeros((len(mean), 0))
    begin = np.random.default_rng(0).normal(size=min(n_rows, len(mean)))
    # Products on one thread are rounded in one way.
    with threadpool_limits(1):
        _, sizes, axes = svds(_CentredCells(cells, mean), n_axes, v0=begin)
    rising = np.argsort(sizes)
    return mean, sizes[rising] ** 2 / n_rows, axes[rising].T


class _CentredCells(LinearOperator):
    """The matrix of all cells less their mean, 0 in gaps, which is never formed.

    It is A − K M: A holds the known cells, numbers less their mean; K says which
    categories are known, M holds the means of their cells.
    """

    def __init__(self, cells: Cells, mean: Floats) -> None:
        values, start, is_number = cells.values, cells.start, cells.is_number
        super().__init__(np.float64, (len(values), cells.n_cells))
        known = ~np.isnan(values)
        at = start[:-1] + np.where(known & ~is_number, values, 0).astype(np.int64)
        less = values - np.where(is_number, mean[at], 0.0)
        self.cells = _rows_of(np.where(is_number, less, 1.0), at, known, cells.n_cells)
        column = np.broadcast_to(np.arange(len(is_number)), values.shape)
        ones = np.ones(values.shape)
        self.known = _rows_of(ones, column, known & ~is_number, len(is_number))
        self.mean = csr_array(
            (mean, np.arange(cells.n_cells), start), (len(is_number), cells.n_cells)
        )

    def _matmat(self, X: Floats) -> Floats:
        return self.cells @ X - self.known @ (self.mean @ X)

    def _rmatmat(self, X: Floats) -> Floats:
        return self.cells.T @ X - self.mean.T @ (self.known.T @ X)

    _matvec, _rmatvec = _matmat, _rmatmat


def _rows_of(
    data: Floats, at: NDArray[np.integer], mask: Bools, width: int
) -> csr_array:
    """Sparse rows: some data, and the places they lie at."""
    ends = np.concatenate([[0], np.cumsum(mask.sum(axis=1))])
    return csr_array((data[mask], at[mask], ends), (len(data), width))
