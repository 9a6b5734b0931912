"""Small products and symmetric systems, in place. Compiled.

BLAS and LAPACK may use threads of their own, whose number changes the last bits and is
set for the whole process.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled_inner


@compiled_inner
def dot(one, other):
    """Return the product of two vectors."""
    total = 0.0
    for i in range(len(one)):
        total += one[i] * other[i]
    return total


@compiled_inner
def add_product(left, right, out):
    """Add the upper half of LᵀR to ``out``.

    Four rows are added at a time: the sums are read and written that much less often.
    """
    n_rows, height = left.shape
    width = right.shape[1]
    whole = n_rows - n_rows % 4
    for k in range(0, whole, 4):
        one, two, three, four = right[k], right[k + 1], right[k + 2], right[k + 3]
        for i in range(height):
            a, b, c, d = left[k, i], left[k + 1, i], left[k + 2, i], left[k + 3, i]
            sums = out[i]
            for j in range(i, width):
                sums[j] += (a * one[j] + b * two[j]) + (c * three[j] + d * four[j])
    for k in range(whole, n_rows):
        one = right[k]
        for i in range(height):
            a, sums = left[k, i], out[i]
            for j in range(i, width):
                sums[j] += a * one[j]


@compiled_inner
def factorise(matrix):
    """Turn the upper half of a positive definite matrix A into U with UᵀU = A."""
    size = len(matrix)
    for k in range(size):
        row = matrix[k]
        pivot = np.sqrt(row[k])
        row[k] = pivot
        for j in range(k + 1, size):
            row[j] /= pivot
        for i in range(k + 1, size):
            factor, below = row[i], matrix[i]
            for j in range(i, size):
                below[j] -= factor * row[j]


@compiled_inner
def solve_vector(upper, vector):
    """Turn b into the solution of UᵀU x = b."""
    size = len(upper)
    for k in range(size):
        row = upper[k]
        vector[k] /= row[k]
        for i in range(k + 1, size):
            vector[i] -= row[i] * vector[k]
    for k in range(size - 1, -1, -1):
        total = vector[k]
        for i in range(k + 1, size):
            total -= upper[k, i] * vector[i]
        vector[k] = total / upper[k, k]


@compiled_inner
def solve_columns(upper, columns):
    """Turn each column b of a matrix into the solution of UᵀU x = b."""
    size, width = columns.shape
    for k in range(size):
        _take_off(upper[:, k], columns, 0, k, columns[k])
        row, pivot = columns[k], upper[k, k]
        for c in range(width):
            row[c] /= pivot
    for k in range(size - 1, -1, -1):
        _take_off(upper[k], columns, k + 1, size, columns[k])
        row, pivot = columns[k], upper[k, k]
        for c in range(width):
            row[c] /= pivot


@compiled_inner
def _take_off(factors, rows, begin, end, out):
    """Subtract multiples of some rows from another one, four at a time."""
    whole = end - (end - begin) % 4
    for k in range(begin, whole, 4):
        a, b, c, d = factors[k], factors[k + 1], factors[k + 2], factors[k + 3]
        one, two, three, four = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        for j in range(len(out)):
            out[j] -= (a * one[j] + b * two[j]) + (c * three[j] + d * four[j])
    for k in range(whole, end):
        a, one = factors[k], rows[k]
        for j in range(len(out)):
            out[j] -= a * one[j]
