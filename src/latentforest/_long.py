"""Tables longer than memory on their way through a model: in pieces, and to files."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from latentforest._base._names import coordinate_names
from latentforest._base._optional import require
from latentforest._base._random import RandomState, stage_rngs
from latentforest._base._types import Codes, Coords
from latentforest.batches import open_batches, write_parts
from latentforest.decode import Decoder
from latentforest.encoder import Encoder
from latentforest.metrics import Distortion, RunningDistortion, Yardstick
from latentforest.table import (
    Batches,
    EncodedTable,
    Kept,
    TableCodec,
    index_of,
    is_dask,
    split_rows,
)

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
    if is_dask(y):
        y = y.compute()  # one column
    if y is None or kept.is_all:
        return y
    check_consistent_length(range(kept.n_rows), y)
    return np.asarray(y)[kept.rows()]


@dataclass(frozen=True, slots=True)
class PiecePlacer:
    """What places the rows of a piece: all of a model that has to go to a worker."""

    codec: TableCodec
    encoder: Encoder
    caller: str  # who is named where the number of columns is wrong

    @property
    def n_components(self) -> int:
        """Coordinates of a row."""
        return self.encoder.n_components

    def __call__(self, piece: Any) -> Coords:
        """Coordinates of the rows."""
        if not len(piece):
            return np.empty((0, self.n_components))
        codes = self.codec.encode(piece, caller=self.caller).values
        return self.encoder.locate(codes)

    def alone(self) -> "PiecePlacer":
        """Return it without the rows that it was trained on."""
        return replace(self, encoder=replace(self.encoder, training=None))


def place_rows(place: PiecePlacer, batches: Batches, to: Folder | None) -> Any:
    """Coordinates of a table from any source: an array, or files in a folder."""
    if to is not None:
        return write_parts(batches, partial(_coords_table, place.alone()), Path(to))
    return batches.gather(place.alone(), width=place.n_components)


def _coords_table(place: PiecePlacer, piece: Any) -> dict[str, Any]:
    names = coordinate_names(place.n_components)
    return dict(zip(names, place(piece).T, strict=True))


def place_with_kept(
    place: PiecePlacer, batches: Batches, kept: Kept, own: Coords
) -> Any:
    """Coordinates of all rows, those of the kept ones where the model has them."""
    rows, places = split_rows(kept.rows(), batches.lengths())
    work = partial(_with_own, place.alone())
    parts = [own[part] for part in places]
    return batches.gather(work, rows, parts, width=place.n_components)


def _with_own(
    place: PiecePlacer, piece: Any, rows: NDArray[np.int64], own: Coords
) -> Coords:
    coords = place(piece)
    coords[rows] = own
    return coords


def decode_rows(decoder: Decoder, batches: Batches, to: Folder | None) -> Any:
    """Rows at coordinates from any source: a table, or files in a folder."""
    work = partial(_decoded, decoder)
    if to is not None:
        require("pyarrow", extra="pyarrow")
        from latentforest.reading import file_codec  # noqa: PLC0415 (loads pyarrow)

        # One schema for all pieces, also for one without a gap.
        codec = file_codec(decoder.codec_.schema_)
        return write_parts(batches, partial(_table, work, codec), Path(to))
    return batches.gather_tables(work, decoder.codec_)


def _decoded(decoder: Decoder, piece: Any) -> Codes:
    if not len(piece):
        return np.empty((0, decoder.codec_.schema_.n_columns))
    return decoder.decode(decoder.check_coords(piece))


def _table(work: Callable[[Any], Codes], codec: TableCodec, piece: Any) -> Any:
    return codec.decode(work(piece), index=index_of(piece))


def reconstruct_rows(
    place: Callable[[Any], Any], decoder: Decoder, batches: Batches
) -> Any:
    """Rows of a table in pieces, there and back again."""
    return batches.gather_tables(partial(_again, place, decoder), decoder.codec_)


def _again(place: Callable[[Any], Any], decoder: Decoder, piece: Any) -> Codes:
    return _decoded(decoder, place(piece) if len(piece) else piece)


def measure_rows(
    place: Callable[[Any], Any], decoder: Decoder, batches: Batches, measure: Yardstick
) -> Distortion:
    """Return what a table in pieces loses, without having all of it in memory."""
    running = RunningDistortion(decoder.codec_.schema_, measure)
    work = partial(_both, partial(_again, place, decoder), decoder.codec_)
    for before, after in batches.stream(work, what="comparing rows"):
        if len(before):
            running.add(before, after)
    return running.result()


def _both(
    again: Callable[[Any], Codes], codec: TableCodec, piece: Any
) -> tuple[Any, Any]:
    return piece, codec.decode(again(piece))
