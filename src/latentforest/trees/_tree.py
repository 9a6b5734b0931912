"""One tree on its own, as growers and adapters hand it over."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Floats, Ints


class Tree(NamedTuple):
    """One tree as flat arrays; node 0 is the root, children come after parents."""

    left: Ints  # (n_nodes,) left child, -1 at a leaf
    right: Ints
    feature: Ints  # column of the split, -1 at a leaf
    threshold: Floats  # numbers: left if value <= threshold
    cut: Ints  # the same on bins: left if bin <= cut
    missing_left: Bools  # side of missing cells
    category: NDArray[np.int64]  # where the set of left levels starts in words, or -1
    words: NDArray[np.uint32]  # sets of levels, 32 to a word
    sums: Floats  # (n_nodes, width) in-bag sums: weight per class, or weight and Σ y
    leaf_of: Ints  # (n_rows,) leaf node of every row the tree was grown on, else -1
