"""One Gauss–Newton step for each row through the plane at its place. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled, compiled_inner
from latentforest._base._solve_loops import dot, factorise, solve_vector
from latentforest.neighbours import plane_as_slopes, regularise
from latentforest.refine._cells_loops import local_starts, write_cells, write_wanted

DAMPING = 0.1
LEAST_CURVATURE = 1e-6  # of the largest


@compiled_inner
def _step(wanted, local, error, slopes, farthest, curvature, step):
    """Fill the step (B Bᵀ + damping)⁻¹ B e, no longer than ``farthest``; return |e|².

    Errors of columns in which ``wanted`` has a gap do not count.
    """
    for column in range(len(wanted)):
        if np.isnan(wanted[column]):
            for c in range(local[column], local[column + 1]):
                error[c] = 0.0
                for e in range(len(slopes)):
                    slopes[e, c] = 0.0
    for e in range(len(slopes)):
        step[e] = dot(slopes[e], error)
        for f in range(e, len(slopes)):
            curvature[e, f] = dot(slopes[e], slopes[f])
    regularise(curvature, DAMPING, LEAST_CURVATURE)
    factorise(curvature)
    solve_vector(curvature, step)
    length = np.sqrt(dot(step, step))
    scale = farthest / length if length > farthest else 1.0
    for e in range(len(slopes)):
        step[e] *= scale
    return dot(error, error)


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
    slopes = np.empty((n_components, n_cells))
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
        for c in range(n_cells):
            rise[c] = aim[c] - mean[c] - rise[c]
        loss[q] = _step(wanted[q], local, rise, slopes, farthest, room[3:], move[q])
