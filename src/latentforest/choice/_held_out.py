"""Training rows as if they were new: parts that are held back in turn."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest.table import EncodedTable


class Part(NamedTuple):
    """Rows to judge by, and the rows that may be used for it."""

    held: NDArray[np.int64]
    known: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class HoldOut:
    """Which rows are held back."""

    n_parts: int  # held back in turn
    one_in: int  # a part is one in so many of the distinct rows
    rows_per_part: int  # at most: more sharpen the figures little and cost time
    # Distinct rows that take part, drawn at random; a table with so many rows is judged
    # by a single part. None takes all rows, with their copies.
    most_rows: int | None = None

    def sizes(self, n_rows: int) -> tuple[int, int]:
        """Return the number of parts, and the rows of each, for distinct rows."""
        is_long = self.most_rows is not None and n_rows >= self.most_rows
        # Parts that are to cover all rows are rounded up, others down.
        covers = self.n_parts == self.one_in
        size = -(-n_rows // self.one_in) if covers else max(1, n_rows // self.one_in)
        return 1 if is_long else self.n_parts, min(size, self.rows_per_part)


def held_out_parts(
    table: EncodedTable, rng: np.random.Generator, policy: HoldOut
) -> Iterator[Part]:
    """Cut the distinct rows into parts, and hold back each in turn.

    Copies of a row are held back with it, or a bootstrap sample would know the
    answers; one copy of each is judged. Parts without rows are left out.
    """
    number = table.distinct_rows()
    _, first = np.unique(number, return_index=True)
    drawn = rng.permutation(len(first))[: policy.most_rows]
    n_parts, size = policy.sizes(len(drawn))
    for part in range(n_parts):
        held = np.sort(drawn[part * size : (part + 1) * size])
        if policy.most_rows is None:
            is_held = np.isin(np.arange(len(first)), held)
            known = np.flatnonzero(~is_held[number])
        else:
            known = np.sort(first[np.setdiff1d(drawn, held)])
        if len(held) and len(known):
            yield Part(first[held], known)
