"""The nearest of some candidates, by their cells. Compiled."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from latentforest._base._compiled import compiled


@compiled
def nearest_of(values, is_number, step, wanted, candidates, begin, end, rows, squares):
    """Fill the candidates whose cells are nearest to some wanted rows, nearest first.

    Squared distances are those of written out cells: two categories that differ are 2
    apart; where their levels have an order, as far as its ``step`` says. Gaps of the
    wanted row do not count, those of a candidate as the mean of a number, and as 1 for
    a category. Places that nothing is found for keep −1.
    """
    n_wanted = rows.shape[1]
    for q in range(begin, end):
        found = 0
        for k in range(candidates.shape[1]):
            row = candidates[q, k]
            if row < 0:
                continue
            square = 0.0
            for column in range(len(is_number)):
                one, other = wanted[q, column], values[row, column]
                if np.isnan(one):
                    continue
                if is_number[column]:
                    gap = one if np.isnan(other) else one - other
                    square += gap * gap
                elif np.isnan(other):
                    square += 1.0
                elif step[column] > 0.0:
                    gap = (one - other) * step[column]
                    square += gap * gap
                elif one != other:
                    square += 2.0
            if found == n_wanted:
                if square >= squares[q, found - 1]:
                    continue
                at = found - 1
            else:
                at = found
                found += 1
            while at > 0 and squares[q, at - 1] > square:
                squares[q, at], rows[q, at] = squares[q, at - 1], rows[q, at - 1]
                at -= 1
            squares[q, at], rows[q, at] = square, row
