"""The records that growing passes around: what to tell apart, and the rules."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats


class Response(NamedTuple):
    """What the splits should tell apart."""

    responses: Floats  # (n_rows,) response of every row, or the number of its class
    task: int
    width: int  # sums kept per group: the classes, or 2 for regression


class Rules(NamedTuple):
    """When and how nodes are split; see `split_rules`."""

    n_candidates: int  # columns tried per split
    min_leaf: float  # rows of a leaf
    min_class: Floats  # (width,) rows of each class in a leaf
    max_depth: int
    at_random: bool  # ignore the target: random column, random cut
    level_rank: NDArray[np.int64]  # (n_columns, n_levels + 1); empty: by response
