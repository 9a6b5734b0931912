"""Write a model file: a zip of a manifest and plain arrays, all or nothing."""

import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from latentforest._base._complete import completed
from latentforest._base._room import Demand
from latentforest.files._npy import NAMES, flat_bytes, memory_order, npy_header

MANIFEST = "manifest.json"
LEVEL = 6  # of deflate: more takes ten times as long and gains two percent
CHUNK = 2**20
NOTHING = Demand()
LARGEST_RATIO = 50  # a member that shrinks more than this is stored as it is
SMALLEST_RATIO = 1.05  # and so is one that hardly shrinks
SAMPLED = 2**22  # bytes of a long member that tell how it will shrink


class ArrayMember:
    """One array on its way into a file."""

    def __init__(self, array: NDArray[Any]) -> None:
        dtype = array.dtype.newbyteorder("=")
        self.dtype = NAMES[dtype]
        self.order = memory_order(array)
        self.shape = tuple(int(size) for size in array.shape)
        self.header = npy_header(self.dtype, self.shape, self.order)
        ordered = np.asarray(array, np.dtype(self.dtype), order=self.order)  # type: ignore[call-overload]
        self.data = flat_bytes(ordered)

    @property
    def n_bytes(self) -> int:
        """Size of the member."""
        return len(self.header) + len(self.data)

    def chunks(self) -> Iterator[memoryview]:
        """Yield the whole member, piece by piece, without copying it."""
        yield memoryview(self.header)
        for begin in range(0, len(self.data), CHUNK):
            yield self.data[begin : begin + CHUNK]

    def entry(self) -> dict[str, Any]:
        """Return what the manifest says about the member."""
        digest = hashlib.sha256()
        for chunk in self.chunks():
            digest.update(chunk)
        return {
            "dtype": self.dtype,
            "shape": list(self.shape),
            "order": self.order,
            "sha256": digest.hexdigest(),
        }

    def shrinks_well(self) -> bool:
        """Whether the member is worth compressing, going by samples if it is long."""
        packer = zlib.compressobj(LEVEL)
        pieces = list(self.chunks())
        every = max(1, self.n_bytes // SAMPLED)
        n_bytes = n_packed = 0
        for piece in pieces[::every]:
            n_bytes += len(piece)
            n_packed += len(packer.compress(piece))
        n_packed += len(packer.flush())
        return SMALLEST_RATIO * n_packed < n_bytes < LARGEST_RATIO * n_packed


class _ShrinksTooWellError(Exception):
    """Members that shrink so well that readers would refuse the file."""


def write_archive(
    path: Path,
    manifest: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    demand: Demand = NOTHING,
) -> None:
    """Write the manifest and the arrays; the file appears when it is complete.

    The same contents give the same bytes. Where a file would be too small for what
    loading it takes, so that readers would refuse it, its arrays are stored as they
    are.
    """
    members = {name: ArrayMember(arrays[name]) for name in sorted(arrays)}
    entries = {name: member.entry() for name, member in members.items()}
    text = json.dumps(
        {**manifest, "members": entries},
        allow_nan=False,
        separators=(",", ":"),
        sort_keys=True,
    )
    packed = {name for name, member in members.items() if member.shrinks_well()}
    while True:
        try:
            with replacing(path) as file:
                _write_zip(file, text.encode("ascii"), members, packed)
                demanded = Demand(sum(m.n_bytes for m in members.values())) + demand
                if packed and not demanded.fits(file.tell()):
                    raise _ShrinksTooWellError(*packed)
                demanded.check(file.tell(), "Fit fewer trees.")
            return
        except _ShrinksTooWellError as exc:
            packed -= set(exc.args)


def _write_zip(
    file: IO[bytes], text: bytes, members: dict[str, ArrayMember], packed: set[str]
) -> None:
    with ZipFile(file, "w") as archive:
        with archive.open(_entry(MANIFEST, len(text), packed), "w") as target:
            target.write(text)
        for name, member in members.items():
            info = _entry(name, member.n_bytes, packed)
            with archive.open(info, "w") as target:
                for chunk in member.chunks():
                    target.write(chunk)
            if info.file_size > LARGEST_RATIO * info.compress_size:
                raise _ShrinksTooWellError(name)


def _entry(name: str, n_bytes: int, packed: set[str]) -> ZipInfo:
    """Describe a member; nothing in it depends on when and where it is written."""
    info = ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = 0o644 << 16
    info.compress_type = ZIP_DEFLATED if name in packed else ZIP_STORED
    info._compresslevel = LEVEL  # type: ignore[attr-defined]
    info.file_size = n_bytes
    return info


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file beside ``path`` that takes its place at the end, or vanishes."""
    with completed(path) as beside, beside.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
