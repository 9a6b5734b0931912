"""Training rows as if they were new: parts that are held back in turn."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Codes, Floats
from latentforest.metrics._distortion import number_distortion
from latentforest.table import EncodedTable, TableSchema

N_PARTS = 5
ROWS_PER_PART = 400  # more rows sharpen the figures little and cost time


class Part(NamedTuple):
    """Rows to decode, and the rows that may be used for it."""

    held: NDArray[np.int64]
    known: NDArray[np.int64]


def held_out_parts(table: EncodedTable, rng: np.random.Generator) -> Iterator[Part]:
    """Cut the distinct rows into parts, and hold back each in turn.

    Copies of a row are held back with it, or a bootstrap sample would know the
    answers. Of a long table only some rows are ever held back.
    """
    number = table.distinct_rows()
    # One copy of each distinct row is decoded; all copies are unknown.
    _, first = np.unique(number, return_index=True)
    shuffled = rng.permutation(len(first))
    size = min(-(-len(first) // N_PARTS), ROWS_PER_PART)
    for part in range(min(N_PARTS, -(-len(first) // size))):
        chosen = np.sort(shuffled[part * size : (part + 1) * size])
        is_held = np.zeros(len(first), np.bool_)
        is_held[chosen] = True
        known = np.flatnonzero(~is_held[number])
        if len(known):
            yield Part(first[chosen], known)


def column_distortions(schema: TableSchema, original: Codes, decoded: Codes) -> Floats:
    """Distortion of each column of codes, as `metrics.distortion` measures tables."""
    lost = np.empty(schema.n_columns)
    for column, spec in enumerate(schema.columns):
        before, after = original[:, column], decoded[:, column]
        if spec.is_number:
            lost[column] = number_distortion(before, after)
        else:
            both_missing = np.isnan(before) & np.isnan(after)
            lost[column] = np.mean((before != after) & ~both_missing)
    return lost
