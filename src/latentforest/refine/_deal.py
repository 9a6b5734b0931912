"""Deal columns to coordinates, so that those that share one lose little."""

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Floats
from latentforest.refine._cells import Cells

SAMPLE = 500  # rows that costs are estimated on
MOST_HANDS = 64  # that are merged; of more columns, neighbours in the table form one


def deal_columns(
    cells: Cells, n_coordinates: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], ...]:
    """Return which columns each coordinate carries, every column in one of them.

    What a set of columns loses in one coordinate is estimated by the distance from each
    row, in these columns, to the nearest other row of a sample: 0 for a column alone.
    The two sets whose union adds least are united until there are as many as
    coordinates. With more coordinates than columns the last carry nothing.
    """
    n_columns = len(cells.is_number)
    n_hands = min(n_columns, max(MOST_HANDS, n_coordinates))
    hands = [set(hand) for hand in np.array_split(np.arange(n_columns), n_hands)]
    if n_hands > n_coordinates:
        values = cells.values
        if len(values) > SAMPLE:
            values = values[rng.choice(len(values), SAMPLE, replace=False)]
        apart = [_squares(values, cells.is_number, hand) for hand in hands]
        _unite(hands, apart, n_coordinates)
    hands += [set()] * (n_coordinates - len(hands))
    hands.sort(key=lambda hand: min(hand, default=n_columns))
    return tuple(np.array(sorted(hand), np.int64) for hand in hands)


def _unite(hands: list[set[int]], apart: list[Floats], n_wanted: int) -> None:
    """Unite hands, and the squares of their distances, until there are few enough."""
    cost = [
        _lost(squares) if len(hand) > 1 else 0.0
        for hand, squares in zip(hands, apart, strict=True)
    ]
    added = np.full((len(hands), len(hands)), np.inf)

    def weigh(one: int, other: int) -> None:
        both = _lost(apart[one] + apart[other])
        first, last = sorted((one, other))
        added[first, last] = both - cost[one] - cost[other]

    for last in range(len(hands)):
        for first in range(last):
            weigh(first, last)
    alive = set(range(len(hands)))
    while len(alive) > n_wanted:
        first, last = map(int, np.unravel_index(added.argmin(), added.shape))
        cost[first] += cost[last] + added[first, last]
        hands[first] |= hands[last]
        apart[first] += apart[last]
        alive.remove(last)
        added[last, :] = added[:, last] = np.inf
        for other in alive - {first}:
            weigh(first, other)
    hands[:] = [hands[number] for number in sorted(alive)]


def _lost(squares: Floats) -> float:
    """Mean squared distance to the nearest other row; 0 if there is none."""
    if len(squares) < 2:
        return 0.0
    return float(squares.min(axis=1).mean(dtype=np.float64))


def _squares(values: Floats, is_number: Bools, hand: set[int]) -> Floats:
    """Squared distances among rows; infinite to themselves. Levels differ by 1."""
    squares: Floats = np.zeros((len(values), len(values)), np.float32)
    for column in hand:
        one = values[:, column].astype(np.float32)
        if is_number[column]:
            part = np.square(one[:, None] - one)
        else:
            part = (one[:, None] != one).astype(np.float32)
        gap = np.isnan(one)
        squares += np.where(gap[:, None] | gap, gap[:, None] ^ gap, part)
    np.fill_diagonal(squares, np.inf)
    return squares
