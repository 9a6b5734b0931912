"""Files that appear when they are complete."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return where a file can be written, or say why it cannot."""
    given = Path(path)
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


@contextmanager
def completed(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lend a name beside ``path``; the file is renamed if all went well, else removed.

    Until then ``path`` is as it was.
    """
    check_target(path)
    target = Path(os.path.realpath(path))  # a link goes on pointing to the file
    unfinished = target.with_name(f".{target.name}.{uuid4().hex}.part")
    try:
        yield unfinished
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
