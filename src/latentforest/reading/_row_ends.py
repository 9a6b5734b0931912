"""Where the rows of a text table end, as it is read piece by piece."""

import numpy as np

from latentforest.reading._row_ends_loops import QUOTED, START, scan_rows


class RowEnds:
    """Finds the ends of rows; line ends within quotes do not count.

    A quote opens only where a cell begins, as in pyarrow and Python's csv: the one of
    ``5" pipe`` is a sign like others.

    Parameters
    ----------
    separator : str
        The character between cells.
    """

    def __init__(self, separator: str) -> None:
        self._separator, self._state = ord(separator), START

    @property
    def is_open(self) -> bool:
        """Whether a quote is left open so far."""
        return self._state == QUOTED

    def scan(self, data: bytes) -> tuple[int, int]:
        """Return where the first and the last row end in the bytes that come next.

        −1 is for none. A row may have begun in the bytes before, and end with them: 0.
        """
        marks = np.frombuffer(data, dtype=np.uint8)
        first, last, self._state = scan_rows(marks, self._separator, self._state)
        return first, last
