"""Ctrl-C while packages are loaded."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self


class Interrupts:
    """Note Ctrl-C, and let it end a block of code quietly, whatever becomes of it.

    Packages turn an interrupt while they are loaded into an ImportError, or lose it.

    Attributes
    ----------
    happened : bool
        Whether there was one.
    """

    def __init__(self) -> None:
        self.happened = False

    def __enter__(self) -> Self:
        # Where Ctrl-C is ignored, as with nohup, or someone else's, it stays so.
        self._mine = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        try:
            if self._mine:
                signal.signal(signal.SIGINT, self._note)
        except ValueError:  # not in the main thread
            self._mine = False
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if self._mine:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        self.happened |= kind is KeyboardInterrupt
        return self.happened

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.happened = True
        raise KeyboardInterrupt


@contextmanager
def loading() -> Iterator[None]:
    """Load packages inside: Ctrl-C stays Ctrl-C, whatever they make of it."""
    with Interrupts() as interrupts:
        yield
    if interrupts.happened:
        raise KeyboardInterrupt
