"""What starts may ask the forest."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Coords


@dataclass(frozen=True, slots=True)
class Hints:
    """What the forest says of some rows, worked out when it is asked for."""

    coords: Callable[[], Coords]  # where its own map places them
    # So many refined rows that share most leaves with each, itself left out; −1: none.
    relatives: Callable[[int], NDArray[np.int64]]
