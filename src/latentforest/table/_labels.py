"""Labels of rows: what a table's own index calls them, where it has one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._room import Demand
from latentforest._base._section import NewSection, Section
from latentforest._base._values import damaged

LONGEST = 200  # characters of a label that are kept
_END = b"\0"  # of each label in a file
_PER_LABEL, _PER_BYTE = 100, 6  # bytes of memory for a label, and for each of its bytes


def labels_of(index: Any, rows: NDArray[np.integer] | slice) -> NDArray[Any] | None:
    """Return what an index calls some of its rows.

    Whole numbers stay numbers, all others become text of at most ``LONGEST``
    characters.

    Parameters
    ----------
    index : pandas index or None
        What ``index_of`` returns.
    rows : array of int or slice
        Positions of the rows.

    Returns
    -------
    ndarray of int64 or of str, or None
        None where the table has no index, or one that only counts the rows from 0.
    """
    if index is None:
        return None
    if index.inferred_type == "integer":
        cells = index.to_numpy()
        if cells.max() <= np.iinfo(np.int64).max:
            whole: NDArray[np.int64] = cells.astype(np.int64)
            counts = np.array_equal(whole, np.arange(len(whole)))
            return None if counts else whole[rows]
    return np.array([_text(label) for label in index[rows]], dtype=object)


def _text(label: Any) -> str:
    """Return a label as text that any file can hold."""
    parts = label if isinstance(label, tuple) else (label,)
    text = ", ".join(map(str, parts))[:LONGEST].replace("\0", " ")
    return text.encode(errors="replace").decode()


def put_labels(labels: NDArray[Any], new: NewSection) -> None:
    """Write labels to a model file: numbers, or text in UTF-8."""
    if labels.dtype == np.int64:
        new.array("labels", labels)
        return
    text = b"".join(label.encode() + _END for label in labels)
    new.need(_demand(len(labels), len(text)))
    new.array("labels", np.frombuffer(text, np.uint8))


def take_labels(section: Section, n_rows: int) -> NDArray[Any]:
    """Read the labels of so many rows from a model file."""
    array = section.array("labels", (np.int64, np.uint8), (None,))
    if array.dtype == np.int64:
        labels: NDArray[Any] = array
    else:
        section.need(_demand(n_rows, len(array)))
        if np.count_nonzero(array == 0) != n_rows or (n_rows and array[-1] != 0):
            raise damaged(f"{section.path('labels')} are not those of {n_rows} rows")
        text = array.tobytes().decode()
        labels = np.array(text.split(_END.decode())[:-1], dtype=object)
        longest = max(map(len, labels), default=0)
        if longest > LONGEST:
            raise damaged(f"{section.path('labels')} has a text of {longest} letters")
    if len(labels) != n_rows:
        raise damaged(f"{section.path('labels')} are not those of {n_rows} rows")
    return labels


def _demand(n_labels: int, n_bytes: int) -> Demand:
    return Demand(_PER_LABEL * n_labels + _PER_BYTE * n_bytes)
