"""Files that appear when they are complete."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def completed(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lend a name beside ``path``; the file is renamed if all went well, else removed.

    Until then ``path`` is as it was.
    """
    target = Path(os.path.realpath(path))  # a link goes on pointing to the file
    unfinished = target.with_name(f".{target.name}.{uuid4().hex}.part")
    try:
        yield unfinished
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
