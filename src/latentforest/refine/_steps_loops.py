"""One Gauss–Newton step for each row through the plane at its place. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest.neighbours import plane_as_slopes, regularise
from latentforest.refine._cells_loops import local_starts, write_cells, write_wanted

DAMPING = 0.1
LEAST_CURVATURE = 1e-6  # of the largest


@compiled
def step_rows(
    points,
    dense,
    values,
    fill,
    is_number,
    start,
    queries,
    wanted,
    rows,
    distances,
    ridge,
    loss,
    move,
):
    """Fill, for each query, what the plane loses there and where to go from there.

    The plane is that of `LocalLinearDecoder`, fitted to the neighbours' cells, which
    are given as `Cells`: ``values``, with gaps that count as ``fill``; ``dense`` are
    all cells, or nothing. With slopes B and the error e = x − h(z), the step is
    (B Bᵀ + damping)⁻¹ B e, no longer than the distance of the farthest neighbour. Gaps
    in ``wanted`` do not count.
    """
    n_neighbors, n_components = rows.shape[1], points.shape[1]
    local = local_starts(start, is_number, n_neighbors)
    n_cells = local[-1]
    slots, order = np.full(np.diff(start).max(), -1), np.arange(n_neighbors)
    weights, near = np.empty(n_neighbors), np.empty((n_neighbors, n_components))
    centred = np.empty((n_neighbors, n_cells))
    written = np.empty((0 if len(dense) else n_neighbors, n_cells))
    middle, mean = np.empty(n_components), np.empty(n_cells)
    aim, error = np.empty(n_cells), np.empty(n_cells)
    for q in range(len(queries)):
        cells, own = dense, rows[q]
        write_wanted(wanted[q], is_number, start, local, aim)
        if not len(dense):
            write_cells(
                values,
                rows[q],
                wanted[q],
                fill,
                is_number,
                start,
                local,
                slots,
                written,
                aim,
            )
            cells, own = written, order
        slopes, rise, farthest = plane_as_slopes(
            points,
            queries[q],
            rows[q],
            distances[q],
            ridge,
            cells,
            own,
            weights,
            near,
            middle,
            centred,
            mean,
        )
        lost = 0.0
        for c in range(n_cells):
            error[c] = aim[c] - mean[c] - rise[c]
            if np.isnan(error[c]):
                error[c] = 0.0
                for e in range(n_components):
                    slopes[e, c] = 0.0
            lost += error[c] * error[c]
        loss[q] = lost
        curvature = np.dot(slopes, slopes.T)
        regularise(curvature, DAMPING, LEAST_CURVATURE)
        step = np.linalg.solve(curvature, np.dot(slopes, error))
        length = np.sqrt(np.dot(step, step))
        scale = farthest / length if length > farthest else 1.0
        for c in range(n_components):
            move[q, c] = scale * step[c]
