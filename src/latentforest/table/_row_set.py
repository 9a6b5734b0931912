"""Which rows are copies of others."""

import numpy as np

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
        self._keys = np.unique(row_keys(codes))

    def holds(self, codes: Codes) -> Bools:
        """Return, for each row, whether it is one of them."""
        return np.isin(row_keys(codes), self._keys)
