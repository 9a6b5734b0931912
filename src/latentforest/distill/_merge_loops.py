"""What nodes hold, and what it costs to make leaves of them. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from latentforest._base._compiled import compiled


@compiled
def add_up_nodes(start, left, right, mass, sums, unit, cost):
    """Add up masses and sums from leaves to roots, and write what merging costs.

    ``mass`` and ``sums`` hold those of the leaves; ``cost`` is 0 everywhere. A node
    that takes the place of its children moves their rows to their common mean: the
    cost is the sum of squares that this adds, each column times its ``unit``, and no
    less than merging below has cost, so that children come before their parents.
    """
    for tree in range(len(start) - 1):
        root = start[tree]
        for node in range(start[tree + 1] - 1, root - 1, -1):
            if left[node] < 0:
                continue
            one, two = root + left[node], root + right[node]
            both = mass[one] + mass[two]
            squares = 0.0
            for column in range(sums.shape[1]):
                sums[node, column] = sums[one, column] + sums[two, column]
                if mass[one] > 0 and mass[two] > 0:
                    gap = sums[one, column] / mass[one] - sums[two, column] / mass[two]
                    squares += (unit[column] * gap) ** 2
            mass[node] = both
            if both > 0:
                squares *= mass[one] * mass[two] / both
            cost[node] = max(squares, cost[one], cost[two])
