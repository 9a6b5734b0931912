"""What the other rows of a leaf say. Compiled."""

from latentforest._base._compiled import compiled
from latentforest._base._types import Floats, LeafIds


@compiled
def add_others_from_leaves(
    ids: LeafIds,
    sums: Floats,
    mass: Floats,
    own: Floats,
    weights: Floats,
    by_mass: bool,  # noqa: FBT001  (compiled functions have no keyword-only part)
    start: int,
    stop: int,
    out: Floats,
    degree: Floats,
) -> None:
    """Add what the other rows of each leaf say to rows ``start … stop-1``.

    ``own`` is each row's part of ``sums``. With ``by_mass`` a leaf speaks with the
    mean of its other rows, else with their sum and the degree that belongs to it.
    """
    n_columns = sums.shape[1]
    for tree in range(ids.shape[0]):
        for row in range(start, stop):
            leaf = ids[tree, row]
            rest = mass[leaf] - weights[row]
            # Nobody else, or too little beside this row to survive the subtraction.
            if rest <= 1e-12 * mass[leaf]:
                continue
            scale = 1.0 / rest if by_mass else 1.0
            degree[row] += scale * rest
            for column in range(n_columns):
                out[row, column] += scale * (sums[leaf, column] - own[row, column])
