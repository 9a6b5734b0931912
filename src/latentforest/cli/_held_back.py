"""Rows that fit holds back, to report on."""

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import DataError
from latentforest._base._in_words import in_rows
from latentforest._base._types import Bools
from latentforest.table import EncodedTable, hashes_of


def is_held(frame: Any, share: float, seed: int) -> Bools:
    """Say which rows of a piece of a long table are held back: by their cells' hash.

    Copies of a row go with it, in whatever piece they are.
    """
    hash_rows = import_module("pandas").util.hash_pandas_object
    mixed = hashes_of(hash_rows(frame, index=False).to_numpy(), seed)
    held: Bools = mixed < np.uint64(share * 2.0**63) * np.uint64(2)
    return held


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
    n_held = int((order < round(share * n_distinct)).sum())
    if not n_held or len(known) <= n_components or n_distinct - n_held < 2:
        copies = ""
        if n_distinct < table.n_rows:
            copies = (
                f"; of {in_rows(table.n_rows)} only {n_distinct:,} differ, and copies "
                "are held back together, or the model would have seen them"
            )
        message = (
            f"--test {share:g} holds back {in_rows(len(held))} and leaves "
            f"{in_rows(len(known))} to train on{copies}. A report needs at least one "
            f"row, {n_components} coordinates more than {n_components}, and a map two "
            "that differ. Give another share, more rows, or leave --test out."
        )
        raise DataError(message)
    return known, held
