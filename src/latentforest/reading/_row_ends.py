"""Where the rows of a text table end, as it is read piece by piece."""

import numpy as np

from latentforest.reading._row_ends_loops import (
    LINE,
    N_COUNTS,
    ODD,
    ODD_LINES,
    QUOTED,
    START,
    scan_rows,
)


class RowEnds:
    """Finds the ends of rows; line ends within quotes do not count.

    A quote opens only where a cell begins, as in pyarrow and Python's csv: the one of
    ``5" pipe`` is a sign like others.

    Parameters
    ----------
    separator : str
        The character between cells.
    quotes : bool, default=True
        Whether quotes open cells at all.
    n_columns : int, default=0
        Cells in a row, where they are known.
    line : int, default=1
        Number of the first line.
    """

    def __init__(
        self, separator: str, *, quotes: bool = True, n_columns: int = 0, line: int = 1
    ) -> None:
        self._separator, self._state = ord(separator), START
        self._quote = ord('"') if quotes else -1
        # Text of one column has lines without separators, too.
        self._n_marks = n_columns - 1 if n_columns > 1 else -1
        self._counts = np.zeros(N_COUNTS, np.int64)
        self._counts[LINE] = line

    @property
    def is_open(self) -> bool:
        """Whether a quote is left open so far."""
        return self._state == QUOTED

    def scan(self, data: bytes) -> tuple[int, int]:
        """Return where the first and the last row end in the bytes that come next.

        −1 is for none. A row may have begun in the bytes before, and end with them: 0.
        """
        marks = np.frombuffer(data, dtype=np.uint8)
        first, last, self._state = scan_rows(
            *(marks, self._separator, self._quote, self._state),
            *(self._n_marks, self._counts),
        )
        return first, last

    @property
    def odd_cell(self) -> tuple[int, int] | None:
        """The line in which a cell of very many lines begins, and how many follow."""
        line, count = self._counts[[ODD, ODD_LINES]].tolist()
        return (line, count) if count else None
