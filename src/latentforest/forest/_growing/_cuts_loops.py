"""The best cut of a column's groups. Compiled.

The gain is the same for both tasks: classification maximises Σ_c n_c² / n over the
two sides (Gini), regression (Σ y)² / n (variance).
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
from latentforest._base._compiled import compiled_inner
from latentforest.forest._growing._marks_loops import CLASSIFY, parts


@compiled_inner
def enough_to_cut(total, task, min_leaf, min_class):
    """Whether a node holds the rows of two leaves, in all and per class."""
    weight = total[0]
    if task == CLASSIFY:
        for c in range(len(total)):
            if total[c] < 2 * min_class[c]:
                return False
            weight += total[c] if c > 0 else 0.0
    return weight >= 2 * min_leaf


@compiled_inner
def is_pure(task, total, marks):
    """Whether no split could gain anything."""
    if task == CLASSIFY:
        n_present = 0
        for c in range(len(total)):
            n_present += total[c] > 0.0
        return n_present < 2
    response = parts(marks[0])[1]
    for i in range(1, len(marks)):  # noqa: SIM110, numba has no generators
        if parts(marks[i])[1] != response:
            return False
    return True


@compiled_inner
def cut_two(cells, n_groups, task, total_0, total_1, min_leaf, least_0, least_1):
    """Best prefix of the groups: (gain, last group on the left, missing go left).

    For two classes, or for regression, in plain numbers for speed. Missing rows are
    tried on both sides; the last prefix has them alone on the right. A gain below zero
    means that no cut leaves enough rows on both sides.
    """
    best_gain, best_group, best_side = -1.0, -1, False
    for side in range(2 if cells[n_groups] != 0 else 1):
        left_cell = cells[n_groups] * side
        for g in range(n_groups):
            left_cell += cells[g]
            left_0, left_1 = parts(left_cell)
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
                best_gain, best_group, best_side = gain, g, side == 1
    return best_gain, best_group, best_side


@compiled_inner
def cut_many(cells, n_groups, total, min_leaf, min_class, left):
    """Best prefix of the groups, as in `cut_two`, for more than two classes."""
    n_classes = len(total)
    in_all, missing = 0.0, 0.0
    for c in range(n_classes):
        missing += parts(cells[n_groups * n_classes + c])[0]
        in_all += total[c]
    best_gain, best_group, best_side = -1.0, -1, False
    for side in range(2 if missing > 0.0 else 1):
        left_all = missing * side
        for c in range(n_classes):
            left[c] = parts(cells[n_groups * n_classes + c])[0] * side
        for g in range(n_groups):
            left_squares, right_squares, enough = 0.0, 0.0, True
            for c in range(n_classes):
                count = parts(cells[g * n_classes + c])[0]
                left[c] += count
                left_all += count
                right = total[c] - left[c]
                left_squares += left[c] * left[c]
                right_squares += right * right
                enough = enough and left[c] >= min_class[c] and right >= min_class[c]
            right_all = in_all - left_all
            if right_all < min_leaf or right_all <= 0.0:
                break
            if left_all < min_leaf or not enough:
                continue
            gain = left_squares / left_all + right_squares / right_all
            if gain > best_gain:
                best_gain, best_group, best_side = gain, g, side == 1
    return best_gain, best_group, best_side
