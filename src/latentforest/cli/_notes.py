"""What is said on standard error: notes, warnings, progress."""

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

PATIENCE = 1.0  # seconds after which progress is shown


def one_line(text: object) -> str:
    """Return a text without line breaks."""
    return " ".join(str(text).split())


class Notes:
    """Notes on standard error; none if the user wants quiet.

    Parameters
    ----------
    quiet : bool, default=False
        Say nothing and show no progress.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet

    def say(self, text: str = "") -> None:
        """Print lines."""
        if not self.quiet:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()

    def warn(self, text: object) -> None:
        """Print one line that should not be missed."""
        self.say(f"latentforest: warning: {one_line(text)}")

    @contextmanager
    def plain_warnings(self) -> Iterator[None]:
        """Show Python's warnings to users as one plain line each."""

        def show(message: Warning | str, *_: Any, **__: Any) -> None:
            self.warn(message)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = show
            yield

    @contextmanager
    def progress(self, what: str, unit: str = "rows") -> Iterator["Bar"]:
        """Show how far the work is, once it has taken more than a second."""
        bar = Bar(what, unit, visible=not self.quiet and sys.stderr.isatty())
        try:
            yield bar
        finally:
            bar.stop()

    @contextmanager
    def waiting(self, what: str) -> Iterator[None]:
        """Show that work of unknown length goes on, and for how long it has."""
        if self.quiet or not sys.stderr.isatty():
            yield
            return
        columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
        with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
            shown.add_task(what, total=None)
            yield


class Bar:
    """A bar that appears when it is worth it."""

    def __init__(self, what: str, unit: str, *, visible: bool) -> None:
        self._what, self._unit, self._visible = what, unit, visible
        self._start = time.monotonic()
        self._shown: Progress | None = None
        self._task: Any = None

    def update(self, count: int, share: float | None) -> None:
        """Show that ``count`` units are done, and the share of all, where known."""
        if not self._visible:
            return
        if self._shown is None:
            if time.monotonic() - self._start < PATIENCE:
                return
            self._begin(share)
        assert self._shown is not None
        text = f"{self._what}: {count:,} {self._unit}"
        self._shown.update(self._task, completed=share or 0.0, description=text)

    def _begin(self, share: float | None) -> None:
        columns: list[Any] = [SpinnerColumn(), TextColumn("{task.description}")]
        if share is not None:
            columns += [BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
        columns.append(TimeElapsedColumn())
        console = Console(stderr=True)
        self._shown = Progress(*columns, console=console, transient=True)
        self._task = self._shown.add_task(
            self._what, total=None if share is None else 1.0
        )
        self._shown.start()

    def stop(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown.stop()


def size_of(path: str) -> str:
    """Return the size of a file in words."""
    return in_bytes(Path(path).stat().st_size)


def in_bytes(count: float) -> str:
    """Return a number of bytes in words."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    raise AssertionError


def in_seconds(seconds: float) -> str:
    """Return a time in words."""
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
