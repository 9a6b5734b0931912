"""The plane that is fitted to the neighbours of a point. Compiled.

With weights w_i = exp(−2 r_i²) that sum to 1, r_i the distance relative to the farthest
neighbour, z̄ and C the weighted mean and covariance of the neighbours' coordinates and
x̄ the mean of their cells, the plane's value at z is

    h(z) = x̄ + Bᵀ (z − z̄),   B = (C + ρ diag C)⁻¹ Σ_i w_i (z_i − z̄) (x_i − x̄)ᵀ.

It is needed in two forms: as weights of the neighbours, which cost the same for any
number of cells, and as slopes B.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled, compiled_inner
from latentforest._base._solve_loops import (
    add_product,
    factorise,
    solve_columns,
    solve_vector,
)

# Squared Mahalanobis distance from the middle of the neighbours, in units of their
# own mean, beyond which a plane is not followed.
FARTHEST = 16.0
LEAST_RIDGE = 1e-9
LEAST_SPREAD = 1e-12  # of the largest
ROUNDING = 1e-14  # of a mean


@compiled_inner
def _gather(points, rows, distances, weights, near, middle):
    """Fill w, z̄ and z_i; return the distance of the farthest neighbour."""
    n_neighbors = len(rows)
    farthest, total = distances[n_neighbors - 1], 0.0
    for k in range(n_neighbors):
        ratio = distances[k] / farthest if farthest > 0.0 else 0.0
        weight = np.exp(-2.0 * ratio * ratio)
        weights[k] = weight
        total += weight
    middle[:] = 0.0
    for k in range(n_neighbors):
        weight, row = weights[k] / total, rows[k]
        weights[k] = weight
        for c in range(len(middle)):
            place = points[row, c]
            near[k, c] = place
            middle[c] += weight * place
    return farthest


@compiled_inner
def _centre(query, weights, near, middle, offset, weighted, scatter):
    """Fill z − z̄, w_i (z_i − z̄) and the upper half of C; near becomes z_i − z̄.

    Differences that z̄ owes to rounding are 0, or neighbours that coincide would have
    a slope.
    """
    n_neighbors, n_components = near.shape
    for c in range(n_components):
        offset[c] = query[c] - middle[c]
    for k in range(n_neighbors):
        weight = weights[k]
        for c in range(n_components):
            gap = near[k, c] - middle[c]
            gap = gap if abs(gap) > ROUNDING * abs(middle[c]) else 0.0
            near[k, c] = gap
            weighted[k, c] = weight * gap
    scatter[:] = 0.0
    add_product(weighted, near, scatter)


@compiled_inner
def regularise(matrix, share, floor):
    """Add a share of the diagonal to it, and a bit of its largest entry.

    A direction without spread gets 1 instead: it has no slope.
    """
    largest = 0.0
    for c in range(len(matrix)):
        largest = max(largest, matrix[c, c])
    for c in range(len(matrix)):
        matrix[c, c] += share * matrix[c, c] + floor * largest
        if matrix[c, c] == 0.0:
            matrix[c, c] = 1.0


@compiled_inner
def _followed(asked, reach, follow, n_components):
    """Share of the way from z̄ to z that the plane is followed.

    ``asked`` is the squared Mahalanobis distance of z, ``reach`` the largest part of
    it that a neighbour covers.
    """
    if follow:
        limit = FARTHEST * n_components
        return np.sqrt(limit / asked) if asked > limit else 1.0
    return reach / asked if asked > reach else 1.0


@compiled
def plane_as_weights(
    points,
    queries,
    rows,
    distances,
    ridges,
    follow,
    begin,
    end,
    average,
    linear,
):
    """Fill, for some queries, weights with Σ_i average_i x_i = x̄, Σ_i linear_i x_i = h.

    These are w_i and w_i (1 + (z_i − z̄)ᵀ (C + ρ diag C)⁻¹ (z − z̄)); one ``linear``
    for each of the ridges.
    """
    n_neighbors, n_components = rows.shape[1], points.shape[1]
    near, weighted = np.empty((2, n_neighbors, n_components))
    scatter, regular = np.empty((2, n_components, n_components))
    middle, offset, slope = np.empty((3, n_components))
    for q in range(begin, end):
        _gather(points, rows[q], distances[q], average[q], near, middle)
        _centre(queries[q], average[q], near, middle, offset, weighted, scatter)
        for r in range(len(ridges)):
            regular[:] = scatter
            regularise(regular, ridges[r] + LEAST_RIDGE, LEAST_SPREAD)
            slope[:] = offset
            factorise(regular)
            solve_vector(regular, slope)
            asked, reach = 0.0, 0.0
            for c in range(n_components):
                asked += slope[c] * offset[c]
            for k in range(n_neighbors):
                height = 0.0
                for c in range(n_components):
                    height += slope[c] * near[k, c]
                linear[r, q, k] = height
                reach = max(reach, height)
            share = _followed(asked, reach, follow, n_components)
            for k in range(n_neighbors):
                linear[r, q, k] = average[q, k] * (1.0 + share * linear[r, q, k])


@compiled_inner
def _add_cells(cells, own, weights, weighted, mean, slopes):
    """Fill x̄ = Σ_i w_i x_i and Σ_i w_i (z_i − z̄) x_iᵀ, which need no x_i − x̄.

    Four neighbours are added at a time, as in `add_product`.
    """
    n_neighbors, n_components = weighted.shape
    whole = n_neighbors - n_neighbors % 4
    mean[:] = 0.0
    slopes[:] = 0.0
    for k in range(0, whole, 4):
        one, two = cells[own[k]], cells[own[k + 1]]
        three, four = cells[own[k + 2]], cells[own[k + 3]]
        p, q, r, s = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        for j in range(len(mean)):
            mean[j] += (p * one[j] + q * two[j]) + (r * three[j] + s * four[j])
        for e in range(n_components):
            p, q = weighted[k, e], weighted[k + 1, e]
            r, s = weighted[k + 2, e], weighted[k + 3, e]
            row = slopes[e]
            for j in range(len(mean)):
                row[j] += (p * one[j] + q * two[j]) + (r * three[j] + s * four[j])
    for k in range(whole, n_neighbors):
        one, p = cells[own[k]], weights[k]
        for j in range(len(mean)):
            mean[j] += p * one[j]
        for e in range(n_components):
            q, row = weighted[k, e], slopes[e]
            for j in range(len(mean)):
                row[j] += q * one[j]


@compiled_inner
def plane_as_slopes(
    points,
    query,
    rows,
    distances,
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
):
    """Fill x̄, h(z) − x̄ and B; return the distance of the farthest neighbour.

    The plane is followed as far as with ``follow``. ``own`` are the rows of
    ``cells`` that belong to the neighbours; the arrays after it are overwritten.
    """
    n_components = near.shape[1]
    middle, offset, slope, scatter = room[0], room[1], room[2], room[3:]
    farthest = _gather(points, rows, distances, weights, near, middle)
    _centre(query, weights, near, middle, offset, weighted, scatter)
    _add_cells(cells, own, weights, weighted, mean, slopes)
    regularise(scatter, ridge + LEAST_RIDGE, LEAST_SPREAD)
    factorise(scatter)
    solve_columns(scatter, slopes)
    for e in range(n_components):
        slope[e] = offset[e]
    solve_vector(scatter, slope)
    asked = 0.0
    for e in range(n_components):
        asked += slope[e] * offset[e]
    share = _followed(asked, 0.0, True, n_components)  # noqa: FBT003 (compiled)
    rise[:] = 0.0
    for e in range(n_components):
        step, row = share * offset[e], slopes[e]
        for c in range(len(mean)):
            rise[c] += step * row[c]
    return farthest
