"""Rows that fit holds back, to report on."""

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import DataError
from latentforest._base._in_words import in_rows
from latentforest.table import EncodedTable


def hold_back(
    table: EncodedTable, share: float | None, n_components: int, seed: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw rows to train on, and rows to hold back; copies go together."""
    if share is None:
        return np.arange(table.n_rows), np.arange(0)
    number = table.distinct_rows()
    n_distinct = int(number.max()) + 1
    order = np.random.default_rng(seed).permutation(n_distinct)
    is_held = (order < round(share * n_distinct))[number]
    known, held = np.flatnonzero(~is_held), np.flatnonzero(is_held)
    if not len(held) or len(known) <= n_components:
        message = (
            f"--test {share:g} holds back {in_rows(len(held))} and leaves "
            f"{in_rows(len(known))} to train on; {n_components} coordinates need more "
            "than that many, and a report needs at least one."
        )
        raise DataError(message)
    return known, held
