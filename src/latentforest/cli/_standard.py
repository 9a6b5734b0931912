"""Standard streams that are closed, as with ``>&-``."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn


class ClosedStream(io.TextIOBase):
    """A standard stream that is not there: whoever needs it is told so.

    Parameters
    ----------
    name : str
        What to call it.
    """

    encoding = "utf-8"
    errors = "strict"

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def buffer(self) -> Any:
        """The bytes of the stream; there are none."""
        self._refuse()

    def read(self, size: int | None = -1, /) -> str:
        """Read nothing."""
        self._refuse()

    def write(self, text: str, /) -> int:
        """Write nothing."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        message = f"{self._name} is closed. Open it, or name a file."
        raise OSError(message)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Stand in for closed standard streams; Python has None in their place.

    What would be said on a closed standard error is not said. The numbers of closed
    streams are taken, or files that are opened later would get them, and with them
    whatever libraries print.
    """
    streams = sys.stdin, sys.stdout, sys.stderr
    if None not in streams:
        yield
        return
    while (taken := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(taken)
    try:
        sys.stdin = sys.stdin or ClosedStream("standard input")
        sys.stdout = sys.stdout or ClosedStream("standard output")
        with Path(os.devnull).open("w", encoding="utf-8") as nothing:
            sys.stderr = sys.stderr or nothing
            yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
