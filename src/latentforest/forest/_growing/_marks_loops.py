"""What a row adds to the sums of its group: one mark per row. Compiled.

Counts of rows are whole numbers, and adding those is much faster than adding floats:

- two classes: the count of the first in the lower half of an integer, that of the
  second in the upper half; the sums of a group are one such integer;
- more classes: the count in the lower half, the class in the upper half; a group has
  one integer for each class;
- regression: the weight and the response as a complex number; the sums of a group are
  the weight and the weighted response.

The sums of a group are its cells, one or as many as there are classes.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
import numpy as np
from numba.core import types
from numba.extending import overload

from latentforest._base._compiled import compiled_inner

CLASSIFY, REGRESS = 0, 1
HALF = 32
LOWER = 2**HALF - 1

# The next three have a meaning in compiled code alone, by the type of their mark.


def parts(cell):
    """Return the two halves of a mark, or of the cell of a group, as floats."""
    raise NotImplementedError(cell)


@overload(parts)
def _parts(cell):
    if isinstance(cell, types.Complex):
        return lambda cell: (cell.real, cell.imag)
    return lambda cell: (np.float64(cell & LOWER), np.float64(cell >> HALF))


def weighted(mark, count, n_cells):
    """Return the mark of a row that counts ``count`` times."""
    raise NotImplementedError(mark, count, n_cells)


@overload(weighted)
def _weighted(mark, count, n_cells):
    if isinstance(mark, types.Complex):
        return lambda mark, count, n_cells: complex(count, mark.imag)

    def classes(mark, count, n_cells):
        times = np.int64(count)
        return mark * times if n_cells == 1 else mark + times - 1

    return classes


def amount(mark):
    """Return what a row adds to the one cell of its group."""
    raise NotImplementedError(mark)


@overload(amount)
def _amount(mark):
    if isinstance(mark, types.Complex):
        return lambda mark: complex(mark.real, mark.real * mark.imag)
    return lambda mark: mark


@compiled_inner
def add(cells, at, mark, n_cells):
    """Add a row to the group whose cells start at ``at``."""
    if n_cells == 1:
        cells[at] += amount(mark)
    else:
        count, label = parts(mark)
        cells[at + np.int64(label)] += np.int64(count)


@compiled_inner
def weight_of(cells, at, n_cells, task):
    """Weight of the rows in a group."""
    if n_cells == 1:
        first, second = parts(cells[at])
        return first + second if task == CLASSIFY else first
    weight = 0.0
    for c in range(n_cells):
        weight += parts(cells[at + c])[0]
    return weight
