"""Read a model file of which nothing is believed: sizes first, then the bytes."""

import hashlib
import json
import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from latentforest._base._errors import ModelFileError
from latentforest._base._room import Demand, check_memory
from latentforest._base._section import Section
from latentforest._base._values import damaged
from latentforest.files._npy import DTYPES, NAMES, flat_bytes, npy_header
from latentforest.files._write import CHUNK, MANIFEST

FORMAT = "latentforest model"
FORMAT_VERSION = 2
LARGEST_RATIO = 100
MOST_MEMBERS = 256
# Encrypted, patched, strongly encrypted, masked.
ODD_FLAGS = 0x1 | 0x20 | 0x40 | 0x2000
NAME = re.compile(r"[a-z0-9_]+(/[a-z0-9_]+)*\.npy")
BROKEN_ZIP = (
    BadZipFile,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    UnicodeError,
    ValueError,
    struct.error,
    zlib.error,
)


@dataclass(frozen=True, slots=True)
class Member:
    """One array of the file, as the manifest and the zip agree on it."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    order: str
    sha256: str
    stored_bytes: int

    @property
    def memory_bytes(self) -> int:
        """Size of the array."""
        n_cells = 1
        for size in self.shape:
            n_cells *= size
        return n_cells * DTYPES[self.dtype].itemsize

    @property
    def header(self) -> bytes:
        """What the member must begin with."""
        return npy_header(self.dtype, self.shape, self.order)


class ModelArchive:
    """An open model file.

    Parameters
    ----------
    path : path
        The file.

    Attributes
    ----------
    manifest : Section
        Everything but the arrays.
    written_by : dict
        Packages that wrote the file, and their versions.
    members : dict
        The arrays, by name.
    n_bytes : int
        Size of the file.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self._file = Path(path).open("rb")  # noqa: SIM115 (closed by __exit__)
        try:
            self.n_bytes = self._file.seek(0, 2)
            self._file.seek(0)
            if self._file.read(4) != b"PK\x03\x04":
                message = (
                    "this is not a model file of latentforest, or its beginning is "
                    "lost. Give a file that save() or latentforest fit wrote."
                )
                raise ModelFileError(message)
            with _sound_zip():
                self._zip = ZipFile(self._file)
            infos = self._check_zip()
            self.manifest = self._read_manifest(infos.pop(MANIFEST, None))
            writers = self.manifest.section("written_by")
            self.written_by = {name: writers.text(name) for name in writers.data}
            self.members = self._check_members(infos)
            self._unread = set(self.members)
            self._demand = Demand()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def take(
        self, name: str, dtype: Any, shape: tuple[int | None, ...]
    ) -> NDArray[Any]:
        """Read an array of this dtype, or one of these, and shape; None is any size."""
        name += ".npy"
        if name not in self.members:
            raise damaged(f"{name} is missing")
        member = self.members[name]
        sizes = zip(member.shape, shape, strict=False)
        fits = len(member.shape) == len(shape)
        if not fits or any(wanted not in (None, size) for size, wanted in sizes):
            wanted = str(shape).replace("None", "any")
            raise damaged(f"{name} has the shape {member.shape}, wanted {wanted}")
        dtypes = dtype if isinstance(dtype, tuple) else (dtype,)
        if member.dtype not in [NAMES[np.dtype(one)] for one in dtypes]:
            raise damaged(f"{name} has the dtype {member.dtype}")
        array = self._read_array(member)
        self._unread.discard(name)
        return array

    def need_all(self) -> None:
        """Refuse a file whose arrays have no room, before the first one is read."""
        arrays = self.members.values()
        # Single precision is read, and then doubled.
        self.need(
            Demand(sum(m.memory_bytes * (3 if m.dtype == "<f4" else 1) for m in arrays))
        )

    def need(self, demand: Demand) -> None:
        """Refuse a file that asks for more than it may, all its parts together."""
        self._demand += demand
        self._demand.check(self.n_bytes, "Get another copy of the file.")
        check_memory(demand.n_bytes)  # what was asked for before is in use by now

    def holds(self, name: str) -> bool:
        """Whether there is such an array."""
        return f"{name}.npy" in self.members

    def check_all_taken(self) -> None:
        """Refuse arrays that nobody has asked for."""
        if self._unread:
            raise damaged(f"nothing uses {min(self._unread)}")

    def _check_zip(self) -> dict[str, ZipInfo]:
        infos = self._zip.infolist()
        if len(infos) > MOST_MEMBERS:
            raise damaged(f"it has {len(infos)} members")
        by_name: dict[str, ZipInfo] = {}
        for info in infos:
            if info.filename in by_name:
                raise damaged(f"it has two members {info.filename!r}")
            by_name[info.filename] = info
            if info.flag_bits & ODD_FLAGS:
                raise damaged(f"{info.filename!r} is encrypted")
            if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise damaged(f"{info.filename!r} is compressed in an unknown way")
            if info.file_size > LARGEST_RATIO * info.compress_size:
                raise damaged(f"{info.filename!r} claims to unpack to far too much")
        if sum(info.compress_size for info in infos) > self.n_bytes:
            raise damaged("its members are larger than the file")
        return by_name

    def _read_manifest(self, info: ZipInfo | None) -> Section:
        if info is None:
            raise damaged(f"it has no {MANIFEST}")
        if info.compress_type != ZIP_STORED or info.file_size > self.n_bytes:
            raise damaged(f"{MANIFEST} is not stored as it is")
        with _sound_zip(), self._zip.open(info) as source:
            text = source.read()
        try:
            data = json.loads(
                text.decode("ascii"),
                parse_constant=_no_constant,
                object_pairs_hook=_no_repetition,
            )
        except (ValueError, RecursionError) as exc:
            raise damaged(f"{MANIFEST} cannot be read ({exc})") from exc
        manifest = Section(data, "the manifest", self)
        if manifest.text("format") != FORMAT:
            message = f"this is a {data['format'][:40]!r}, not a {FORMAT!r}."
            raise ModelFileError(message)
        version = manifest.integer("format_version", lowest=1)
        if version > FORMAT_VERSION:
            message = (
                f"the file has format {version}; this latentforest reads formats up to "
                f"{FORMAT_VERSION}. Install a newer latentforest."
            )
            raise ModelFileError(message)
        return manifest

    def _check_members(self, infos: dict[str, ZipInfo]) -> dict[str, Member]:
        entries = self.manifest.section("members")
        if entries.data.keys() != infos.keys():
            odd = min(entries.data.keys() ^ infos.keys())
            raise damaged(f"{odd!r} is in the zip or in the manifest, not in both")
        members = {}
        for name, info in infos.items():
            if not NAME.fullmatch(name):
                raise damaged(f"{name!r} is not a name of a member")
            entry = entries.section(name)
            dtype, order = entry.text("dtype"), entry.text("order")
            shape = tuple(entry.values("shape"))
            whole = all(type(size) is int and 0 <= size < 2**48 for size in shape)
            if dtype not in DTYPES or order not in ("C", "F") or not whole:
                raise damaged(f"{name} is not an array we know")
            if not 1 <= len(shape) <= 2:
                raise damaged(f"{name} has {len(shape)} dimensions")
            sha256 = entry.text("sha256")
            member = Member(name, dtype, shape, order, sha256, info.compress_size)
            if info.file_size != len(member.header) + member.memory_bytes:
                raise damaged(f"{name} is not as large as its shape says")
            members[name] = member
        return members

    def _read_array(self, member: Member) -> NDArray[Any]:
        digest = hashlib.sha256()
        # Bytes first: a boolean is only one once it is known to be 0 or 1.
        dtype = np.dtype(np.uint8 if member.dtype == "|b1" else member.dtype)
        with _sound_zip(), self._zip.open(member.name) as source:
            header = source.read(len(member.header))
            if header != member.header:
                raise damaged(f"{member.name} does not begin as its shape says")
            digest.update(header)
            array = np.empty(member.shape, dtype, order=member.order)  # type: ignore[call-overload]
            view, filled = flat_bytes(array), 0
            while filled < len(view):
                chunk = source.read(min(CHUNK, len(view) - filled))
                if not chunk:
                    raise damaged(f"{member.name} ends too early")
                view[filled : filled + len(chunk)] = chunk
                filled += len(chunk)
                digest.update(chunk)
            if source.read(1):
                raise damaged(f"{member.name} is too long")
        if digest.hexdigest() != member.sha256:
            raise damaged(f"{member.name} does not match its checksum")
        if member.dtype == "|b1":
            if array.max(initial=0) > 1:
                raise damaged(f"{member.name} holds more than True and False")
            return array.view(np.bool_)
        return array.astype(DTYPES[member.dtype], order="K", copy=False)


@contextmanager
def _sound_zip() -> Iterator[None]:
    """Turn all that a broken zip may raise into one error."""
    try:
        yield
    except ModelFileError:
        raise
    except BROKEN_ZIP as exc:
        reason = " ".join(str(exc).split()) or type(exc).__name__
        raise damaged(f"the zip is broken ({reason})") from exc


def _no_constant(name: str) -> None:
    message = f"{name} is not JSON"
    raise ValueError(message)


def _no_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        message = "a key is given twice"
        raise ValueError(message)
    return data
