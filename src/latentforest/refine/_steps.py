"""One Gauss–Newton step for each row through the plane at its place. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest.decode._local_linear import FARTHEST

DAMPING = 0.1


@compiled
def step_rows(
    points,
    cells,
    queries,
    wanted,
    rows,
    distances,
    ridge,
    begin,
    end,
    loss,
    move,
):
    """Fill, for some queries, what the plane loses there and where to go from there.

    The plane is that of `LocalLinearDecoder`: fitted to the neighbours' ``cells`` with
    weights exp(−2 r²), and followed as far as its ``extrapolate`` says. With slopes B
    and the error e = x − h(z), the step is (B Bᵀ + damping)⁻¹ B e, no longer than the
    distance of the farthest neighbour. Cells that are NaN in ``wanted`` do not count.
    """
    n_neighbors, n_components, n_cells = rows.shape[1], points.shape[1], cells.shape[1]
    weights = np.empty(n_neighbors)
    near = np.empty((n_neighbors, n_components))
    values = np.empty((n_neighbors, n_cells))
    middle, mean, error = np.empty(n_components), np.empty(n_cells), np.empty(n_cells)
    for q in range(begin, end):
        farthest, total = distances[q, n_neighbors - 1], 0.0
        for k in range(n_neighbors):
            ratio = distances[q, k] / farthest if farthest > 0.0 else 0.0
            weights[k] = np.exp(-2.0 * ratio * ratio)
            total += weights[k]
        middle[:] = 0.0
        mean[:] = 0.0
        for k in range(n_neighbors):
            weights[k] /= total
            row = rows[q, k]
            for c in range(n_components):
                middle[c] += weights[k] * points[row, c]
            for c in range(n_cells):
                mean[c] += weights[k] * cells[row, c]
        for k in range(n_neighbors):
            row, root = rows[q, k], np.sqrt(weights[k])
            for c in range(n_components):
                near[k, c] = root * (points[row, c] - middle[c])
            for c in range(n_cells):
                values[k, c] = root * (cells[row, c] - mean[c])
        scatter = np.dot(near.T, near)
        largest = 0.0
        for c in range(n_components):
            largest = max(largest, scatter[c, c])
        for c in range(n_components):
            scatter[c, c] += (ridge + 1e-9) * scatter[c, c] + 1e-12 * largest
            if scatter[c, c] == 0.0:
                scatter[c, c] = 1.0
        slopes = np.linalg.solve(scatter, np.dot(near.T, values))
        offset = queries[q] - middle
        direction = np.linalg.solve(scatter, offset)
        asked = np.dot(direction, offset)
        shrink = 1.0
        if asked > FARTHEST * n_components:
            shrink = np.sqrt(FARTHEST * n_components / asked)
        fitted = np.dot(offset, slopes)
        lost = 0.0
        for c in range(n_cells):
            error[c] = wanted[q, c] - mean[c] - shrink * fitted[c]
            if np.isnan(error[c]):
                error[c] = 0.0
                for e in range(n_components):
                    slopes[e, c] = 0.0
            lost += error[c] * error[c]
        loss[q] = lost
        curvature = np.dot(slopes, slopes.T)
        largest = 0.0
        for c in range(n_components):
            largest = max(largest, curvature[c, c])
        for c in range(n_components):
            curvature[c, c] += DAMPING * curvature[c, c] + 1e-6 * largest
            if curvature[c, c] == 0.0:
                curvature[c, c] = 1.0
        step = np.linalg.solve(curvature, np.dot(slopes, error))
        length = np.sqrt(np.dot(step, step))
        scale = farthest / length if length > farthest else 1.0
        for c in range(n_components):
            move[q, c] = scale * step[c]
