"""How far long work has come, on a bar on standard error."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tqdm.auto import tqdm

PATIENCE = 1.0  # seconds that may pass in silence


class Bar:
    """What is told to a bar."""

    def __init__(self, shown: Any) -> None:
        self._shown = shown

    def step(self, count: int = 1) -> None:
        """Say that more is done."""
        self._shown.update(count)

    def say(self, text: str) -> None:
        """Leave a line above the bar, where one would be shown."""
        if not self._shown.disable:
            self._shown.write(text, file=sys.stderr)

    def reach(self, count: int, share: float | None) -> None:
        """Say how much is done, and the share of all, where it is known."""
        if share:
            self._shown.total = round(count / share)
        self._shown.update(count - self._shown.n)


@contextmanager
def progress(
    what: str | None, total: int | None = None, unit: str = ""
) -> Iterator[Bar]:
    """Show a bar once the work has taken a second, and take it away at the end.

    Parameters
    ----------
    what : str or None
        Name of the work; None shows nothing.
    total : int or None, default=None
        Steps of the work, where they are known.
    unit : str, default=""
        What is counted.
    """
    with tqdm(
        desc=what,
        total=total,
        unit=unit,
        disable=what is None,
        delay=PATIENCE,
        leave=False,
    ) as shown:
        yield Bar(shown)
