"""Distances to neighbours as weights of a graph."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from latentforest._base._types import Floats


class NeighbourGraph(NamedTuple):
    """Weights between rows: symmetric, of sum 1 for each row on average."""

    starts: NDArray[np.int64]  # (n_rows + 1,) where the neighbours of a row begin
    # Numba reads faster at places that cannot be negative.
    rows: NDArray[np.uint32]
    weights: NDArray[np.float32]

    def take(self, order: NDArray[np.int64]) -> "NeighbourGraph":
        """Return the graph with its rows in another order."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        size = np.diff(self.starts)[order]
        ends = np.cumsum(size)
        at = np.arange(len(self.rows)) - np.repeat(ends - size, size)
        at += np.repeat(self.starts[order], size)
        starts = np.concatenate([[0], ends])
        rows = place[self.rows[at]].astype(np.uint32)
        return NeighbourGraph(starts, rows, self.weights[at])


def neighbour_graph(rows: NDArray[np.int64], squares: Floats) -> NeighbourGraph:
    """Weigh neighbours by w_ij = exp(−d²_ij / 2 s²_i), s_i a third of the way out.

    The weights of each row are divided by their sum, then w_ij and w_ji are averaged.

    Parameters
    ----------
    rows : array of int, shape (n_rows, n_neighbors)
        Neighbours of each row, nearest first; −1 for none.
    squares : array of float, shape (n_rows, n_neighbors)
        Squared distances.
    """
    n_rows, n_neighbors = rows.shape
    none = rows < 0
    unit = squares[:, n_neighbors // 3, None]
    unit = np.where(np.isfinite(unit) & (unit > 0), unit, 1.0)
    weights = np.where(none, 0.0, np.exp(-0.5 * np.where(none, 0.0, squares) / unit))
    # A row that is farther from all than exp can tell has neighbours all the same.
    weights = np.where(none, 0.0, np.maximum(weights, 1e-12))
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
    ends = np.arange(0, rows.size + 1, n_neighbors)
    one_way = sp.csr_array(
        (weights.ravel(), np.maximum(rows, 0).ravel(), ends), (n_rows, n_rows)
    )
    both = sp.csr_array((one_way + one_way.T) / 2)
    both.eliminate_zeros()
    both.sort_indices()
    return NeighbourGraph(
        both.indptr.astype(np.int64),
        both.indices.astype(np.uint32),
        both.data.astype(np.float32),
    )
