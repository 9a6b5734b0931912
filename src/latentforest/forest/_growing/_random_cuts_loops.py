"""Cuts that ignore any target. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled_inner
from latentforest._base._random_loops import between, uniform

BYTE = 256
FEW_ENDS = 32  # rows of a side that are kept sorted; more are counted
COIN_TRIES = 8  # draws of a random split of levels before a column is given up


@compiled_inner
def _outer_bins(codes, missing, depth, smallest, largest):
    """Bins of the ``depth``-th smallest and largest known cells; few are kept sorted.

    Where fewer are known, these are past the end on either side.
    """
    for j in range(depth):
        smallest[j], largest[j] = missing, -1
    for i in range(len(codes)):
        code = np.int64(codes[i])
        if code == missing:
            continue
        if code < smallest[depth - 1]:
            j = depth - 1
            while j > 0 and smallest[j - 1] > code:
                smallest[j] = smallest[j - 1]
                j -= 1
            smallest[j] = code
        if code > largest[depth - 1]:
            j = depth - 1
            while j > 0 and largest[j - 1] < code:
                largest[j] = largest[j - 1]
                j -= 1
            largest[j] = code
    return smallest[depth - 1], largest[depth - 1]


@compiled_inner
def _ranked_bin(codes, rank, counts):
    """Bin of the cell that has ``rank`` smaller or equal ones before it, by counting.

    Its upper byte first, then the lower one among the bins that share the upper one.
    Missing cells are the largest.
    """
    upper = np.int64(-1)
    for _ in range(2):
        for k in range(BYTE):
            counts[k] = 0
        for i in range(len(codes)):
            code = np.int64(codes[i])
            if upper < 0:
                counts[code // BYTE] += 1
            elif code // BYTE == upper:
                counts[code % BYTE] += 1
        k = 0
        while rank >= counts[k]:
            rank -= counts[k]
            k += 1
        if upper < 0:
            upper = np.int64(k)
    return upper * BYTE + k


@compiled_inner
def random_cut(codes, missing, lower, upper, first, depth, ends, state):
    """Draw a cut uniformly among those that leave enough rows on both sides.

    ``codes`` are the bins of the rows. Enough are ``depth`` rows; ``ends`` are two
    lines of scratch. ``first`` is where the edges of the column's bins begin in
    ``lower`` and ``upper``. Returns NaN if there is no such cut. Missing rows are not
    counted.
    """
    smallest, largest = ends
    if depth <= FEW_ENDS:
        low, high = _outer_bins(codes, missing, depth, smallest, largest)
    else:
        n_known = 0
        for i in range(len(codes)):
            n_known += codes[i] != missing
        if n_known < depth:
            return np.nan
        low = _ranked_bin(codes, depth - 1, smallest)
        high = _ranked_bin(codes, n_known - depth, smallest)
    if low >= high:
        return np.nan
    value = between(upper[first + low], lower[first + high], uniform(state))
    # Rounding may reach the upper end, where one side would keep too few rows.
    return value if value < lower[first + high] else upper[first + low]


@compiled_inner
def coin_levels(codes, n_levels, min_leaf, side, state):
    """Send every level (and missing) to a random side, enough rows on both."""
    for _ in range(COIN_TRIES):
        for level in range(n_levels + 1):
            side[level] = uniform(state) < 0.5
        n_left = 0
        for i in range(len(codes)):
            n_left += side[codes[i]]
        if min(n_left, len(codes) - n_left) >= max(1.0, min_leaf):
            return True
    return False
