"""Sums and largest entries of kernel rows. Compiled."""

# mypy: disable-error-code="no-untyped-def"
from latentforest._base._compiled import compiled


@compiled
def add_up(coords, weights, rows):
    """Fill the rows, component by component in a fixed order."""
    n_components, n_kernel_rows = weights.shape
    for q in range(len(coords)):
        rows[q] = 1.0 / n_kernel_rows
        for c in range(n_components):
            at = coords[q, c]
            for j in range(n_kernel_rows):
                rows[q, j] += at * weights[c, j]


@compiled
def largest_entries(row, chosen):
    """Fill ``chosen`` with the positions of the largest entries above 0, largest first.

    Returns how many there are, at most ``len(chosen)``. Ties go to the first position.
    """
    size, n_chosen = len(chosen), 0
    for j in range(len(row)):
        value = row[j]
        if not value > 0 or (n_chosen == size and value <= row[chosen[size - 1]]):
            continue
        n_chosen = min(n_chosen + 1, size)
        k = n_chosen - 1
        while k > 0 and row[chosen[k - 1]] < value:
            chosen[k] = chosen[k - 1]
            k -= 1
        chosen[k] = j
    return n_chosen
