"""Forces between the rows of a layout. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled

TILE = 512  # rows whose numbers stay close to the processor
# Of single precision, as all numbers here: one plain 1.0 would make them double.
ZERO, ONE = np.float32(0.0), np.float32(1.0)


@compiled
def pull_rows(starts, rows, weights, coords, begin, end, pull):
    """Fill what neighbours pull, Σ_j w_ij q_ij (y_i − y_j), for some rows.

    q_ij = 1 / (1 + ‖y_i − y_j‖²).
    """
    n_components = coords.shape[1]
    if n_components == 2:  # far faster than loops over two
        for i in range(begin, end):
            x, y, along, across = coords[i, 0], coords[i, 1], ZERO, ZERO
            for at in range(starts[i], starts[i + 1]):
                j = rows[at]
                left, up = x - coords[j, 0], y - coords[j, 1]
                force = weights[at] / (ONE + left * left + up * up)
                along += force * left
                across += force * up
            pull[i, 0], pull[i, 1] = along, across
        return
    for i in range(begin, end):
        for c in range(n_components):
            pull[i, c] = 0.0
        for at in range(starts[i], starts[i + 1]):
            j = rows[at]
            square = ONE
            for c in range(n_components):
                gap = coords[i, c] - coords[j, c]
                square += gap * gap
            force = weights[at] / square
            for c in range(n_components):
                pull[i, c] += force * (coords[i, c] - coords[j, c])


@compiled
def push_rows(twice, shifts, begin, end, push, near):
    """Fill what other rows push, Σ_j q_ij² (y_i − y_j), and Σ_j q_ij, for some rows.

    Row i is pushed by the rows i + s for all ``shifts`` s. ``twice`` holds each
    coordinate of all rows, one after another and then once more, so that there is no
    end: every loop runs along memory.
    """
    n_components = len(twice)
    gaps = np.empty((n_components, TILE), np.float32)
    close = np.empty(TILE, np.float32)
    for first in range(begin, end, TILE):
        last = min(first + TILE, end)
        size = last - first
        push[:, first:last] = ZERO
        near[first:last] = ZERO
        sums = near[first:last]
        for shift in shifts:
            if n_components == 2:  # six times as fast in one loop
                x, y = twice[0][first:last], twice[1][first:last]
                others_x = twice[0][first + shift : last + shift]
                others_y = twice[1][first + shift : last + shift]
                along, across = push[0][first:last], push[1][first:last]
                for k in range(size):
                    left, up = x[k] - others_x[k], y[k] - others_y[k]
                    force = ONE / (ONE + left * left + up * up)
                    sums[k] += force
                    force *= force
                    along[k] += force * left
                    across[k] += force * up
                continue
            close[:] = ONE
            for c in range(n_components):
                own, gap = twice[c][first:last], gaps[c]
                other = twice[c][first + shift : last + shift]
                for k in range(size):
                    gap[k] = own[k] - other[k]
                    close[k] += gap[k] * gap[k]
            for k in range(size):
                close[k] = ONE / close[k]
                sums[k] += close[k]
                close[k] *= close[k]
            for c in range(n_components):
                gap, force = gaps[c], push[c][first:last]
                for k in range(size):
                    force[k] += close[k] * gap[k]
