"""Where to cut the groups of a column. Compiled.

The gain is the same for both tasks: classification maximises Σ_c n_c² / n over the
two sides (Gini), regression (Σ y)² / n (variance).
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np

from latentforest._base._compiled import compiled
from latentforest._base._random_loops import between, uniform
from latentforest.forest._growing._groups_loops import CLASSIFY, weight_of

COIN_TRIES = 8  # draws of a random split of levels before a column is given up


@compiled
def enough_to_cut(total, task, min_leaf, min_class):
    """Whether a node holds the rows of two leaves, in all and per class."""
    if task == CLASSIFY:
        for c in range(len(total)):
            if total[c] < 2 * min_class[c]:
                return False
    return weight_of(total, 0, len(total), task) >= 2 * min_leaf


@compiled
def is_pure(task, total, responses, begin, end):
    """Whether no split could gain anything."""
    if task == CLASSIFY:
        n_present = 0
        for c in range(len(total)):
            n_present += total[c] > 0.0
        return n_present < 2
    for i in range(begin + 1, end):  # noqa: SIM110, numba has no generators
        if responses[i] != responses[begin]:
            return False
    return True


@compiled
def best_cut(sums, n_groups, width, total, task, min_leaf, min_class, left):
    """Best prefix of the groups: (gain, last group on the left, missing go left).

    Missing rows are tried on both sides; the last prefix has them alone on the
    right. A gain below zero means that no cut leaves enough rows on both sides.
    """
    sides = 2 if weight_of(sums, n_groups * width, width, task) > 0.0 else 1
    best_gain, best_group, best_side = -1.0, -1, False
    for side in range(sides):
        if width == 2:
            gain, group = _cut_two(
                sums, n_groups, total, task, min_leaf, min_class, side
            )
        else:
            gain, group = _cut_many(
                sums, n_groups, total, min_leaf, min_class, side, left
            )
        if gain > best_gain:
            best_gain, best_group, best_side = gain, group, side == 1
    return best_gain, best_group, best_side


@compiled
def _cut_two(sums, n_groups, total, task, min_leaf, min_class, side):
    """Best cut for two classes, or for regression, in plain numbers for speed."""
    left_0 = sums[2 * n_groups] * side
    left_1 = sums[2 * n_groups + 1] * side
    total_0, total_1 = total[0], total[1]
    least_0, least_1 = min_class[0], min_class[1]
    best_gain, best_group = -1.0, -1
    for g in range(n_groups):
        group_0, group_1 = sums[2 * g], sums[2 * g + 1]
        if group_0 == 0.0 and group_1 == 0.0:
            continue
        left_0 += group_0
        left_1 += group_1
        right_0, right_1 = total_0 - left_0, total_1 - left_1
        if task == CLASSIFY:
            if right_0 < least_0 or right_1 < least_1:
                break
            if left_0 < least_0 or left_1 < least_1:
                continue
            left, right = left_0 + left_1, right_0 + right_1
        else:
            left, right = left_0, right_0
        if right < min_leaf or right <= 0.0:
            break
        if left < min_leaf:
            continue
        left_square, right_square = left_1 * left_1, right_1 * right_1
        if task == CLASSIFY:
            left_square += left_0 * left_0
            right_square += right_0 * right_0
        gain = left_square / left + right_square / right
        if gain > best_gain:
            best_gain, best_group = gain, g
    return best_gain, best_group


@compiled
def _cut_many(sums, n_groups, total, min_leaf, min_class, side, left):
    """Best cut for more than two classes."""
    width = len(total)
    left_all, in_all = 0.0, 0.0
    for c in range(width):
        left[c] = sums[n_groups * width + c] * side
        left_all += left[c]
        in_all += total[c]
    best_gain, best_group = -1.0, -1
    for g in range(n_groups):
        before = left_all
        left_squares, right_squares, enough = 0.0, 0.0, True
        for c in range(width):
            left[c] += sums[g * width + c]
            left_all += sums[g * width + c]
            right = total[c] - left[c]
            left_squares += left[c] * left[c]
            right_squares += right * right
            enough = enough and left[c] >= min_class[c] and right >= min_class[c]
        right_all = in_all - left_all
        if right_all < min_leaf or right_all <= 0.0:
            break
        if left_all == before or left_all < min_leaf or not enough:
            continue
        gain = left_squares / left_all + right_squares / right_all
        if gain > best_gain:
            best_gain, best_group = gain, g
    return best_gain, best_group


@compiled
def random_cut(bins, missing, rows, begin, end, lower, upper, smallest, largest, state):
    """Draw a cut uniformly among those that leave enough rows on both sides.

    ``smallest`` and ``largest`` are as long as a side must be; ``lower`` and
    ``upper`` are the edges of the column's bins. Returns NaN if there is no such
    cut. Missing rows are not counted.
    """
    depth = len(smallest)
    smallest[:] = missing
    largest[:] = -1
    for i in range(begin, end):
        code = np.int64(bins[rows[i]])
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
    low, high = smallest[depth - 1], largest[depth - 1]
    if low >= high:
        return np.nan
    value = between(upper[low], lower[high], uniform(state))
    # Rounding may reach the upper end, where one side would keep too few rows.
    return value if value < lower[high] else upper[low]


@compiled
def coin_levels(bins, n_levels, rows, begin, end, min_leaf, side, state):
    """Send every level (and missing) to a random side, enough rows on both."""
    for _ in range(COIN_TRIES):
        for level in range(n_levels + 1):
            side[level] = uniform(state) < 0.5
        n_left = 0
        for i in range(begin, end):
            n_left += side[bins[rows[i]]]
        if min(n_left, end - begin - n_left) >= max(1.0, min_leaf):
            return True
    return False
