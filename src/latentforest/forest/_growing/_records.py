"""The records that growing passes around: what to tell apart, and the rules."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats
from latentforest.forest._growing._marks_loops import HALF, REGRESS


class Response(NamedTuple):
    """What the splits should tell apart."""

    responses: Floats  # (n_rows,) response of every row, or the number of its class
    task: int
    width: int  # sums kept per group: the classes, or 2 for regression

    @property
    def unit_marks(self) -> NDArray[Any]:
        """Marks of rows that count once each; see `_marks_loops`."""
        if self.task == REGRESS:
            return 1.0 + 1j * self.responses
        labels = self.responses.astype(np.int64)
        if self.width == 2:
            return np.left_shift(1, HALF * labels)
        return (labels << HALF) + 1


class Rules(NamedTuple):
    """When and how nodes are split; see `split_rules`."""

    n_candidates: int  # columns tried per split
    min_leaf: float  # rows of a leaf
    min_class: Floats  # (width,) rows of each class in a leaf
    max_depth: int
    at_random: bool  # ignore the target: random column, random cut
    level_rank: NDArray[np.int64]  # (n_columns, n_levels + 1); empty: by response
