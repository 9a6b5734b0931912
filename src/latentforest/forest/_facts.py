"""What a forest knows of its trees beside their nodes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats


@dataclass(frozen=True, slots=True, eq=False)
class TreeFacts:
    """Facts of each tree, as far as its library tells them; None: not told."""

    in_bag: NDArray[np.uint16] | None = None  # (n_rows, n_trees) draws of each row
    shrinkage: Floats | None = None  # (n_trees,) factor of the tree in the sum
    gain: Floats | None = None  # (n_trees,) what its splits reduced the loss by
    untold: str = ""  # why in_bag is not told, where there is something to say
