"""One Gauss–Newton step for each row through the plane at its place. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest._base._solve_loops import add_product, factorise, solve_vector
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
    weights = np.empty(n_neighbors)
    near, weighted = np.empty((2, n_neighbors, n_components))
    written = np.empty((0 if len(dense) else n_neighbors, n_cells))
    room = np.empty((n_components + 3, n_components))
    slopes, falling = (
        np.empty((n_components, n_cells)),
        np.empty((n_cells, n_components)),
    )
    mean, rise, aim = np.empty((3, n_cells))
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
        farthest = plane_as_slopes(
            points,
            queries[q],
            rows[q],
            distances[q],
            ridge,
            cells,
            own,
            weights,
            near,
            weighted,
            room,
            mean,
            rise,
            slopes,
        )
        step, curvature = room[0], room[3:]
        step[:] = 0.0
        lost = 0.0
        for c in range(n_cells):
            error = aim[c] - mean[c] - rise[c]
            counts = not np.isnan(error)
            if counts:
                lost += error * error
            for e in range(n_components):
                falling[c, e] = slopes[e, c] if counts else 0.0
                step[e] += falling[c, e] * error if counts else 0.0
        curvature[:] = 0.0
        add_product(falling, falling, 1, curvature)
        loss[q] = lost
        regularise(curvature, DAMPING, LEAST_CURVATURE)
        factorise(curvature)
        solve_vector(curvature, step)
        length = 0.0
        for e in range(n_components):
            length += step[e] * step[e]
        length = np.sqrt(length)
        scale = farthest / length if length > farthest else 1.0
        for e in range(n_components):
            move[q, e] = scale * step[e]
