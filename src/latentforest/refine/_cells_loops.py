"""The cells of a few rows, written out. Compiled.

Of a category with very many levels only those that occur are written out, so that a
row costs no more than its neighbours have levels. All other levels are alike: where
no row has a gap they are 0 everywhere, and where some have, the gaps fill the cell of
level l with f_l, a multiple of one pattern. One cell √(Σ f_l²) stands in for them: sums
of products over the cells stay what they are.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled, compiled_inner

MANY_LEVELS = 512


@compiled
def local_starts(start, is_number, n_rows):
    """First cell of each column among those that are written out for some rows."""
    local = np.zeros_like(start)
    for column in range(len(is_number)):
        width = start[column + 1] - start[column]
        if not is_number[column] and width > MANY_LEVELS:
            width = n_rows + 2  # levels of the rows, the wanted one, all others
        local[column + 1] = local[column] + width
    return local


@compiled_inner
def write_wanted(wanted, is_number, start, local, aim):
    """Fill the cells of the wanted row, but for columns with many levels."""
    aim[:] = 0.0
    for column in range(len(is_number)):
        at, value = local[column], wanted[column]
        if np.isnan(value):
            for c in range(at, local[column + 1]):
                aim[c] = np.nan
        elif is_number[column]:
            aim[at] = value
        elif start[column + 1] - start[column] <= MANY_LEVELS:
            aim[at + np.int64(value)] = 1.0


@compiled_inner
def write_cells(values, rows, wanted, fill, is_number, start, local, slots, cells, aim):
    """Fill the cells of some rows, gaps filled in, and what `write_wanted` left out.

    ``slots`` are −1 for every level of every column, and are left so.
    """
    cells[:] = 0.0
    for k in range(len(rows)):
        row = values[rows[k]]
        for column in range(len(is_number)):
            first, width = start[column], start[column + 1] - start[column]
            at, value = local[column], row[column]
            if is_number[column]:
                cells[k, at] = fill[first] if np.isnan(value) else value
            elif width > MANY_LEVELS:
                continue
            elif np.isnan(value):
                for level in range(width):
                    cells[k, at + level] = fill[first + level]
            else:
                cells[k, at + np.int64(value)] = 1.0
    for column in range(len(is_number)):
        first, last = start[column], start[column + 1]
        at, end = local[column], local[column + 1]
        if last - first > MANY_LEVELS:
            _write_many(
                values[:, column],
                rows,
                wanted[column],
                fill[first:last],
                slots,
                cells[:, at:end],
                aim[at:end],
            )


@compiled_inner
def _write_many(values, rows, wanted, fill, slots, cells, aim):
    """Fill the cells of one category with many levels; the last is for all others."""
    n_slots, n_gaps = 0, 0
    others = 0.0
    for k in range(len(rows) + 1):
        value = values[rows[k]] if k < len(rows) else wanted
        if np.isnan(value):
            n_gaps += k < len(rows)
            continue
        level = np.int64(value)
        if slots[level] < 0:
            slots[level] = n_slots
            n_slots += 1
        if k < len(rows):
            cells[k, slots[level]] = 1.0
        else:
            aim[slots[level]] = 1.0
    if n_gaps > 0:
        for any_level in range(len(fill)):
            slot, filled = slots[any_level], fill[any_level]
            if slot < 0:
                others += filled * filled
                continue
            for k in range(len(rows)):
                if np.isnan(values[rows[k]]):
                    cells[k, slot] = filled
        for k in range(len(rows)):
            if np.isnan(values[rows[k]]):
                cells[k, len(aim) - 1] = np.sqrt(others)
    for k in range(len(rows) + 1):
        value = values[rows[k]] if k < len(rows) else wanted
        if not np.isnan(value):
            slots[np.int64(value)] = -1
