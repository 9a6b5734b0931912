"""What is said on standard error: notes, warnings, progress."""

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from latentforest._base._complete import is_stream
from latentforest._base._errors import UnseenLevelsWarning
from latentforest._base._in_words import in_bytes, visible
from latentforest._base._progress import Bar, progress


def one_line(text: object) -> str:
    """Return a text without line breaks and other control characters."""
    return visible(" ".join(str(text).split()))


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
            tqdm.write(text, file=sys.stderr)  # above a bar, if one is shown
            sys.stderr.flush()

    def warn(self, text: object) -> None:
        """Print one line that should not be missed."""
        self.say(f"latentforest: warning: {one_line(text)}")

    def warn_each(self, texts: Sequence[str], told: int = 0) -> int:
        """Print those that are not told yet, a line each, and count all."""
        for text in texts[told:]:
            self.warn(text)
        return len(texts)

    @contextmanager
    def plain_warnings(self) -> Iterator[None]:
        """Show Python's warnings to users as one plain line each.

        New levels are told once for each column: every block of rows may have some.
        """
        told: set[str] = set()

        def show(
            message: Warning | str, category: type[Warning], *_: Any, **__: Any
        ) -> None:
            if issubclass(category, UnseenLevelsWarning):
                column = str(message).partition(" holds ")[0]
                if column in told:
                    return
                told.add(column)
            self.warn(message)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)
            # Some libraries make their deprecations UserWarnings, too.
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.showwarning = show
            yield

    @property
    def shows_progress(self) -> bool:
        """Whether someone looks at progress."""
        return not self.quiet and sys.stderr.isatty()

    def progress(self, what: str) -> AbstractContextManager[Bar]:
        """Show how many rows are done, once the work has taken more than a second."""
        return progress(what if self.shows_progress else None, unit=" rows")


def size_of(path: str) -> str:
    """Return the size of a file in words."""
    if is_stream(path):
        return "a stream"
    return in_bytes(Path(path).stat().st_size)
