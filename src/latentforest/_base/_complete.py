"""Files that appear when they are complete, as private as those they replace."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import BinaryIO
from uuid import uuid4

STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}
DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]+)")
ACCESS_LIST = "system.posix_acl_access"  # who else may read a file, on Linux


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return where a file can be written, or say why it cannot."""
    given = Path(path)
    if is_stream(given):
        if not os.access(given, os.W_OK):
            message = f"Cannot write {given}: it is write-protected."
            raise PermissionError(message)
        return given
    folder = Path(os.path.realpath(path)).parent if given.is_symlink() else given.parent
    if given.is_dir():
        message = f"Cannot write {given}: it is a folder. Give the name of a file."
        raise IsADirectoryError(message)
    if not folder.is_dir():
        message = (
            f"Cannot write {given}: there is no folder {folder}. Make it first, or "
            "give another path."
        )
        raise FileNotFoundError(message)
    if not os.access(folder, os.W_OK):
        message = f"Cannot write {given}: the folder {folder} is write-protected."
        raise PermissionError(message)
    return given


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether bytes written there go elsewhere: a FIFO, a device, an open file."""
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    kept = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return not kept or _descriptor(path) is not None


def _descriptor(path: str | os.PathLike[str]) -> int | None:
    """Return the open file that a path such as /dev/stdout stands for."""
    name = os.fspath(path)
    found = DESCRIPTOR.fullmatch(name)
    return int(found[1]) if found else STANDARD.get(name)


@contextmanager
def open_stream(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open what `is_stream` names; an open file goes on where it stands."""
    number = _descriptor(path)
    with open(path if number is None else os.dup(number), "wb") as stream:  # noqa: PTH123
        yield stream


@contextmanager
def completed(
    path: str | os.PathLike[str], *, must_be_new: bool = False
) -> Iterator[Path]:
    """Lend an empty file beside ``path``; it is renamed if all goes well, else removed.

    Until then ``path`` is as it was. A file that is there is replaced, and the new one
    gets its mode and, where that is permitted, its owner; with ``must_be_new`` it
    stays, and `FileExistsError` is raised. Streams get what was written, at the end.
    """
    check_target(path)
    if is_stream(path):
        with TemporaryDirectory() as folder:
            unfinished = Path(folder, Path(path).name)
            unfinished.touch()
            yield unfinished
            with unfinished.open("rb") as made, open_stream(path) as stream:
                copyfileobj(made, stream)
        return
    target = Path(os.path.realpath(path))  # a link goes on pointing to the file
    unfinished = target.with_name(f".{target.name}.{uuid4().hex}.part")
    before = _status(target)
    if must_be_new and before is not None:
        raise _exists(path)
    try:
        # What replaces a file that is private must be so from its first byte.
        mode = 0o666 if before is None else 0o600
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        yield unfinished
        if must_be_new:
            _name_new(unfinished, target, path)
            return
        before = _status(target) or before
        if before is not None:
            _hand_over(target, before, unfinished)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _exists(path: str | os.PathLike[str]) -> FileExistsError:
    return FileExistsError(f"{os.fspath(path)} exists already. Give another path.")


def _name_new(unfinished: Path, target: Path, path: str | os.PathLike[str]) -> None:
    """Give a file its name, unless another one has got it meanwhile."""
    try:
        os.link(unfinished, target)
    except FileExistsError as exc:
        raise _exists(path) from exc
    except OSError:  # no two names for one file here: take the name first
        try:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError as exc:
            raise _exists(path) from exc
        unfinished.replace(target)


def _hand_over(target: Path, before: os.stat_result, unfinished: Path) -> None:
    """Let a file be seen by those who saw the one it replaces, and by nobody else."""
    mode = stat.S_IMODE(before.st_mode)
    if hasattr(os, "chown"):
        for owner in (before.st_uid, -1):  # not everybody may give files away
            try:
                os.chown(unfinished, owner, before.st_gid)
                break
            except OSError:
                continue
    made = unfinished.stat()
    if made.st_gid != before.st_gid:
        mode &= ~0o070 | (mode & 0o007) << 3  # another group sees what everybody sees
    if (made.st_uid, made.st_gid) != (before.st_uid, before.st_gid):
        mode &= 0o777
    unfinished.chmod(mode)
    if hasattr(os, "getxattr"):
        try:
            shared = os.getxattr(target, ACCESS_LIST)
        except OSError:  # there is no such list
            return
        os.setxattr(unfinished, ACCESS_LIST, shared)
