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
# Of deflate: more takes ten times as long and gains two percent, less is for arrays
# that would shrink too well, and 0 stores them as they are.
LEVELS = (6, 1, 0)
CHUNK = 2**20
NOTHING = Demand()
LARGEST_RATIO = 50  # a member that shrinks more than this is compressed less
SMALLEST_RATIO = 1.05  # and one that hardly shrinks is stored as it is
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

    def level(self) -> int:
        """How far to compress the member, going by samples if it is long."""
        for level in LEVELS[:-1]:
            n_bytes, n_packed = self._try(level)
            if n_bytes <= SMALLEST_RATIO * n_packed:
                break
            if n_bytes < LARGEST_RATIO * n_packed:
                return level
        return 0

    def _try(self, level: int) -> tuple[int, int]:
        packer = zlib.compressobj(level)
        pieces = list(self.chunks())
        every = max(1, self.n_bytes // SAMPLED)
        n_bytes = n_packed = 0
        for piece in pieces[::every]:
            n_bytes += len(piece)
            n_packed += len(packer.compress(piece))
        n_packed += len(packer.flush())
        return n_bytes, n_packed


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
    loading it takes, so that readers would refuse it, its arrays are compressed less,
    or stored as they are.
    """
    members = {name: ArrayMember(arrays[name]) for name in sorted(arrays)}
    entries = {name: member.entry() for name, member in members.items()}
    text = json.dumps(
        {**manifest, "members": entries},
        allow_nan=False,
        separators=(",", ":"),
        sort_keys=True,
    )
    levels = {name: member.level() for name, member in members.items()}
    while True:
        try:
            with replacing(path) as file:
                _write_zip(file, text.encode("ascii"), members, levels)
                demanded = Demand(sum(m.n_bytes for m in members.values())) + demand
                packed = [name for name, level in levels.items() if level]
                if packed and not demanded.fits(file.tell()):
                    raise _ShrinksTooWellError(*packed)
                demanded.check(file.tell(), "Fit fewer trees.")
            return
        except _ShrinksTooWellError as exc:
            for name in exc.args:
                levels[name] = LEVELS[LEVELS.index(levels[name]) + 1]


def _write_zip(
    file: IO[bytes],
    text: bytes,
    members: dict[str, ArrayMember],
    levels: dict[str, int],
) -> None:
    with ZipFile(file, "w") as archive:
        with archive.open(_entry(MANIFEST, len(text), 0), "w") as target:
            target.write(text)
        for name, member in members.items():
            info = _entry(name, member.n_bytes, levels[name])
            with archive.open(info, "w") as target:
                for chunk in member.chunks():
                    target.write(chunk)
            if info.file_size > LARGEST_RATIO * info.compress_size:
                raise _ShrinksTooWellError(name)


def _entry(name: str, n_bytes: int, level: int) -> ZipInfo:
    """Describe a member; nothing in it depends on when and where it is written."""
    info = ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = 0o644 << 16
    info.compress_type = ZIP_DEFLATED if level else ZIP_STORED
    info._compresslevel = level  # type: ignore[attr-defined]
    info.file_size = n_bytes
    return info


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file beside ``path`` that takes its place at the end, or vanishes."""
    with completed(path) as beside, beside.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
