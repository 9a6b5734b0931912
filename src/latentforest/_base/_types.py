"""Array aliases: the name says the role, the comment says the axes."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]

Codes: TypeAlias = NDArray[np.float64]  # (n_rows, n_columns); NaN is missing
Coords: TypeAlias = NDArray[np.float64]  # (n_rows, n_components)
LeafIds: TypeAlias = NDArray[np.int32]  # (n_rows, n_trees), forest-wide numbers
