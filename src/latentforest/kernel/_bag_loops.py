"""Sums over leaves of rows that are in bag or out of it. Compiled.

``ids`` and ``counts`` are tree-major here, (n_trees, n_rows). See `Bags` for α and β.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def mark_out_of_bag(ids, counts, mass, factors, outside, has_out):
    """Add the weights of trees to each row: where it is out of bag, and of all trees.

    Leaves without mass do not count. Leaves with a row out of bag are marked.
    """
    for tree in range(ids.shape[0]):
        for row in range(ids.shape[1]):
            leaf = ids[tree, row]
            if mass[leaf] > 0:
                outside[1, row] += factors[tree]
                if counts[tree, row] == 0:
                    outside[0, row] += factors[tree]
                    has_out[leaf] = True


@compiled
def alpha_beta(count, near, inside, drawn):
    """Return α and β of a row in a tree, without a branch: who is out is at random."""
    out = 1.0 * ((count == 0) | inside)
    return near * out, 1.0 * count if drawn else 1.0 - 0.5 * out


@compiled
def add_bag_vector(
    ids, first_leaf, width, scale, counts, near, inside, drawn, vector, start, stop, out
):
    """Add ``Σ_t s (α βᵀ + β αᵀ) vector`` over trees ``start … stop-1`` to ``out``."""
    sums = np.empty((width[start:stop].max(), 2))  # side by side: they go together
    for tree in range(start, stop):
        leaves, drawn_here, first = ids[tree], counts[tree], first_leaf[tree]
        sums[: width[tree]] = 0.0
        for row in range(len(vector)):
            leaf = np.uint32(leaves[row] - first)
            alpha, beta = alpha_beta(drawn_here[row], near[row], inside[row], drawn)
            sums[leaf, 0] += alpha * vector[row]
            sums[leaf, 1] += beta * vector[row]
        for place in range(width[tree]):
            sums[place] *= scale[first + place]
        for row in range(len(vector)):
            leaf = np.uint32(leaves[row] - first)
            alpha, beta = alpha_beta(drawn_here[row], near[row], inside[row], drawn)
            out[row] += alpha * sums[leaf, 1] + beta * sums[leaf, 0]


@compiled
def add_bag_block(
    ids, first_leaf, width, scale, counts, near, inside, drawn, block, start, stop, out
):
    """As ``add_bag_vector``, for the columns of ``block`` together."""
    n_rows, n_columns = block.shape
    sums = np.empty((width[start:stop].max(), 2, n_columns))
    for tree in range(start, stop):
        leaves, drawn_here, first = ids[tree], counts[tree], first_leaf[tree]
        sums[: width[tree]] = 0.0
        for row in range(n_rows):
            leaf = np.uint32(leaves[row] - first)
            alpha, beta = alpha_beta(drawn_here[row], near[row], inside[row], drawn)
            for column in range(n_columns):
                sums[leaf, 0, column] += alpha * block[row, column]
                sums[leaf, 1, column] += beta * block[row, column]
        for place in range(width[tree]):
            sums[place] *= scale[first + place]
        for row in range(n_rows):
            leaf = np.uint32(leaves[row] - first)
            alpha, beta = alpha_beta(drawn_here[row], near[row], inside[row], drawn)
            for column in range(n_columns):
                out[row, column] += (
                    alpha * sums[leaf, 1, column] + beta * sums[leaf, 0, column]
                )


@compiled
def add_outside_means(
    ids,
    counts,
    inside,
    drawn,
    factors,
    sums,
    mass,
    values,
    weights,
    group,
    start,
    stop,
    out,
    degree,
):
    """Add means of leaves to the rows that are out of bag, trees ``start … stop-1``.

    ``sums`` and ``mass`` are those of all rows; those of a row's ``group`` are taken
    out of them. Rows of a group are copies: they share every leaf.
    """
    n_rows, n_columns = values.shape
    n_groups = group.max() + 1
    own_mass, own = np.empty(n_groups), np.empty((n_groups, n_columns))
    for tree in range(start, stop):
        if factors[tree] == 0.0:
            continue
        own_mass[:] = 0.0
        own[:] = 0.0
        for row in range(n_rows):
            weight = weights[row] * counts[tree, row] if drawn else weights[row]
            own_mass[group[row]] += weight
            for column in range(n_columns):
                own[group[row], column] += weight * values[row, column]
        for row in range(n_rows):
            if counts[tree, row] > 0 and not inside[row]:
                continue
            leaf, its = ids[tree, row], group[row]
            rest = mass[leaf] - own_mass[its]
            # Nobody else, or too little beside these to survive the subtraction.
            if rest <= 1e-12 * mass[leaf]:
                continue
            degree[row] += factors[tree]
            for column in range(n_columns):
                out[row, column] += (
                    factors[tree] * (sums[leaf, column] - own[its, column]) / rest
                )
