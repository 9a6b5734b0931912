"""Tables longer than memory on their way through a model: in pieces, and to files."""

from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from latentforest._base._names import coordinate_names
from latentforest._base._random import RandomState, stage_rngs
from latentforest._base._types import Codes, Coords
from latentforest.batches import open_batches, write_parts
from latentforest.table import Batches, EncodedTable, Kept, Whole, split_rows

STAGES = ("kernel", "map", "decoder", "refine", "choice", "rows")
Folder = str | PathLike[str]


def open_source(X: Any, model: Any) -> Any:
    """Return a table in pieces; one that is encoded is taken as it is."""
    if isinstance(X, EncodedTable):
        return X
    return open_batches(X, kinds=model.kinds, progress=model.verbose)


def rows_seed(random_state: RandomState) -> int:
    """Return what decides which rows of a long table a model keeps."""
    rng = stage_rngs(random_state, *STAGES)["rows"]
    return int(rng.integers(2**63))


def target_of(y: Any, kept: Kept) -> Any:
    """Return the target of the rows that are kept."""
    if y is None or kept.is_all:
        return y
    check_consistent_length(range(kept.n_rows), y)
    return np.asarray(y)[kept.rows()]


def place_rows(encode: Callable[[Any], Coords], X: Any, to: Folder | None) -> Any:
    """Coordinates of a table from any source: an array, or files in a folder."""
    batches = open_batches(X)
    if to is not None:
        return write_parts(batches, partial(_coords_table, encode), Path(to))
    return encode(X) if isinstance(batches, Whole) else batches.gather(encode)


def _coords_table(encode: Callable[[Any], Coords], piece: Any) -> dict[str, Any]:
    coords = encode(piece)
    names = coordinate_names(coords.shape[1])
    return dict(zip(names, coords.T, strict=True))


def place_with_kept(
    encode: Callable[[Any], Coords], batches: Batches, kept: Kept, own: Coords
) -> Any:
    """Coordinates of all rows, those of the kept ones where the model has them."""
    rows, places = split_rows(kept.rows(), batches.lengths())
    work = partial(_with_own, encode)
    return batches.gather(work, rows, [own[place] for place in places])


def _with_own(
    encode: Callable[[Any], Coords], piece: Any, rows: NDArray[np.int64], own: Coords
) -> Coords:
    coords = encode(piece)
    coords[rows] = own
    return coords


def decode_rows(decoder: Any, Z: Any, to: Folder | None) -> Any:
    """Rows at coordinates from any source: a table, or files in a folder."""
    batches = open_batches(Z)
    if to is not None:
        return write_parts(batches, decoder.predict, Path(to))
    return batches.gather_tables(partial(_decoded, decoder), decoder.codec_)


def _decoded(decoder: Any, piece: Any) -> Codes:
    return decoder.decode(decoder.check_coords(piece))
