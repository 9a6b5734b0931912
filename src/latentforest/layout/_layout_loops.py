"""Forces between the rows of a layout. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest._base._random_loops import next_bits


@compiled
def add_forces(
    starts, rows, weights, coords, seed, n_far, begin, end, pull, push, near
):
    """Fill what neighbours pull and what rows drawn at random push, for some rows.

    With q_ij = 1 / (1 + ‖y_i − y_j‖²): pull Σ_j w_ij q_ij (y_i − y_j), push
    Σ_j q_ij² (y_i − y_j), and near Σ_j q_ij, the last two over ``n_far`` random rows.
    Row i has random numbers of its own: results do not depend on the blocks.
    """
    n_rows, n_components = coords.shape
    state = np.empty(1, np.uint64)
    for i in range(begin, end):
        for c in range(n_components):
            pull[i, c] = push[i, c] = 0.0
        near[i] = 0.0
        for at in range(starts[i], starts[i + 1]):
            j = rows[at]
            square = 1.0
            for c in range(n_components):
                gap = coords[i, c] - coords[j, c]
                square += gap * gap
            force = weights[at] / square
            for c in range(n_components):
                pull[i, c] += force * (coords[i, c] - coords[j, c])
        state[0] = seed ^ (np.uint64(i) * np.uint64(0xD1342543DE82EF95))
        for _ in range(n_far):
            j = np.int64(next_bits(state) % np.uint64(n_rows - 1))
            if j >= i:
                j += 1
            square = 1.0
            for c in range(n_components):
                gap = coords[i, c] - coords[j, c]
                square += gap * gap
            close = 1.0 / square
            near[i] += close
            for c in range(n_components):
                push[i, c] += close * close * (coords[i, c] - coords[j, c])
