"""Which rows are copies of others."""

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Bools, Codes
from latentforest.table._schema import row_keys


class RowSet:
    """Some rows, to be asked whether others are among them; missing equals missing.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, n_columns)
        The rows.
    """

    def __init__(self, codes: Codes) -> None:
        self._keys, self._first = np.unique(row_keys(codes), return_index=True)

    def find(self, codes: Codes) -> NDArray[np.int64]:
        """Return, for each row, the first of the rows that it is a copy of, or −1."""
        keys = row_keys(codes)
        place = np.searchsorted(self._keys, keys)
        place[place == len(self._keys)] = 0
        return np.where(self._keys[place] == keys, self._first[place], -1)

    def holds(self, codes: Codes) -> Bools:
        """Return, for each row, whether it is one of them."""
        return self.find(codes) >= 0
