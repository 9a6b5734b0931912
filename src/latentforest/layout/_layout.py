"""Lay out a graph of neighbours in a few coordinates.

The forces are those of t-SNE (van der Maaten and Hinton, 2008), whose repulsion is
estimated from rows drawn at random, so that any number of coordinates will do and a
round costs O(n). openTSNE and umap-learn lay out graphs too: the former in one or two
coordinates and ten times as slowly here, the latter with results that depend on the
number of threads.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from latentforest._base._parallel import Workers, blocks_of
from latentforest._base._types import Coords, Floats
from latentforest.layout._graph import NeighbourGraph
from latentforest.layout._layout_loops import pull_rows, push_rows

ROUNDS, FEWER_ROUNDS, MANY_ROWS = 400, 250, 50_000  # the second from so many rows on
GATHERING = 0.25  # of the rounds, in which neighbours pull harder: groups can form
HARDER = 12.0
# And later: with 1, as in t-SNE, groups touch; with 4 they are UMAP's. With 2 clusters
# are found as with 4, while neighbours are kept and rows decoded as with 1.
STILL_HARDER = 2.0
FAR_ROWS = 20  # drawn at random for each row and round
SLOWER_FROM = 0.5  # of the rounds; from there steps become smaller, down to 0
EARLY_MOMENTUM, MOMENTUM = 0.5, 0.8
START_SPREAD = 1e-2
ROW_BLOCK = 4_096


def lay_out(
    graph: NeighbourGraph,
    start: Coords,
    rng: np.random.Generator,
    *,
    relax: int = 0,
    n_jobs: int | None = None,
) -> Coords:
    """Move rows from their start until neighbours lie together and others apart.

    Gradient descent, with momentum, on −a Σ_ij p_ij log q_ij + log Σ_ij q_ij, where p
    are the weights of the graph and q_ij = 1 / (1 + ‖y_i − y_j‖²). With a = 1 that is
    the Kullback–Leibler divergence between p and q; here neighbours count twice, a = 2.

    Parameters
    ----------
    graph : NeighbourGraph
        The rows and their neighbours.
    start : array of float, shape (n_rows, n_components)
        Where rows begin; only relative distances count, but for ``relax``.
    rng : numpy.random.Generator
        Draws the rows that push, in each round.
    relax : int, default=0
        If positive, the start is a layout already, of these rows and others that are
        gone: so many rounds move rows from where they lie, without gathering them.
    n_jobs : int or None, default=None
        Threads; results are the same for any number.

    Returns
    -------
    array of float, shape (n_rows, n_components)
    """
    n_rows = len(start)
    # In an order of chance, rows at a distance drawn for all are rows drawn at random.
    order = rng.permutation(n_rows)
    n_rounds = ROUNDS if n_rows < MANY_ROWS else FEWER_ROUNDS
    n_rounds = relax or n_rounds
    shifts = rng.integers(1, max(n_rows, 2), size=(n_rounds, FAR_ROWS))
    middle = start.mean(axis=0)
    spread = np.abs(start - middle).max()
    scale = 1.0 if relax else START_SPREAD / (spread or 1.0)
    coords = (start - middle)[order] * scale
    # Single precision, half as much to read: chance moves rows by more than rounding.
    coords = coords.astype(np.float32)
    graph = graph.take(order)
    speed, pull = np.zeros_like(coords), np.empty_like(coords)
    push, near = np.empty_like(coords.T, order="C"), np.empty_like(coords[:, 0])
    twice, total = np.concatenate([push, push], axis=1), 0.0
    forces = pull, push, near
    length = max(n_rows / HARDER, 50.0)
    blocks = list(blocks_of(n_rows, ROW_BLOCK))
    share = (n_rows - 1) / FAR_ROWS  # of all rows, those that are drawn stand for
    with Workers(n_jobs) as workers:
        for number in range(n_rounds if n_rows > 2 else 0):
            twice[:, :n_rows] = twice[:, n_rows:] = coords.T
            work = partial(_add_forces, graph, coords, twice, shifts[number], forces)
            workers.run(work, blocks)
            found = near.sum(dtype=np.float64) * share
            # Estimates from one round scatter.
            total = found if number == 0 else 0.8 * total + 0.2 * found
            gathering = number < GATHERING * n_rounds and not relax
            speed *= EARLY_MOMENTUM if gathering else MOMENTUM
            slower = (1 - number / n_rounds) / (1 - SLOWER_FROM)
            step = 4.0 * length * min(1.0, slower)
            harder = HARDER if gathering else STILL_HARDER
            speed -= np.float32(step * harder / n_rows) * pull
            speed += np.float32(step * share / total) * push.T
            coords += speed
    laid_out = np.empty(coords.shape)
    laid_out[order] = coords
    return laid_out + middle if relax else laid_out


def _add_forces(
    graph: NeighbourGraph,
    coords: Coords,
    twice: Floats,
    shifts: NDArray[np.int64],
    forces: tuple[Coords, Floats, Floats],
    block: tuple[int, int],
) -> None:
    pull, push, near = forces
    pull_rows(*graph, coords, *block, pull)
    push_rows(twice, shifts, *block, push, near)
