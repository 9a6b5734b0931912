"""What a table lost, as a record and as text."""

import math
import textwrap
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from latentforest._base._in_words import shown
from latentforest.metrics._losses import mean_distortion
from latentforest.table import ColumnKind

LONGEST_NAME, WIDTH = 32, 80  # reports fit 80 columns
OWN_ROWS = "Numbers are measured by the variance of these rows, as in the paper."


@dataclass(frozen=True, slots=True)
class ColumnDistortion:
    """What one column lost: 0 if it came back perfect, 1 at most.

    ``guess`` is what it loses if every row has the mean of a number, or the commonest
    value of any other column; ``relative`` is one over the other: at 1 the column came
    back no better than guessed. ``n_wild`` counts the cells that were left out because
    they stand apart from all training rows.
    """

    name: Hashable
    kind: ColumnKind
    distortion: float
    guess: float = math.nan
    n_wild: int = 0

    @property
    def relative(self) -> float:
        """Distortion in units of guessing; NaN where guessing loses nothing."""
        return self.distortion / self.guess if self.guess else math.nan


@dataclass(frozen=True, slots=True, repr=False)
class Distortion:
    """The distortion of a table, and of each of its columns.

    ``float(…)`` gives the mean; printing shows all columns. ``by_own_rows`` says
    whether numbers were measured by the variance of the rows themselves, as in the
    paper, and not by that of the training rows.
    """

    columns: tuple[ColumnDistortion, ...]
    by_own_rows: bool = False

    @property
    def mean(self) -> float:
        """Mean over the columns; columns without a distortion (NaN) are left out."""
        return mean_distortion([column.distortion for column in self.columns])

    @property
    def guess(self) -> float:
        """Mean over the columns of what guessing loses."""
        return mean_distortion([column.guess for column in self.columns])

    @property
    def relative(self) -> float:
        """The mean in units of what guessing loses; NaN if that is nothing."""
        return self.mean / self.guess if self.guess else math.nan

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per column of the table."""
        import pandas as pd  # noqa: PLC0415 (only who asks for a frame pays for it)

        return pd.DataFrame(
            {
                "kind": [str(column.kind) for column in self.columns],
                "distortion": [column.distortion for column in self.columns],
                "guess": [column.guess for column in self.columns],
                "relative": [column.relative for column in self.columns],
                "wild": [column.n_wild for column in self.columns],
            },
            index=pd.Index([column.name for column in self.columns], name="column"),
        )

    def __float__(self) -> float:
        return self.mean

    def __repr__(self) -> str:
        rows = [("column", "kind", "distortion", "guessing", "relative")]
        rows += [
            (
                shown(str(c.name), LONGEST_NAME),
                str(c.kind),
                *_told(c.distortion, c.guess, c.relative),
            )
            for c in self.columns
        ]
        rows.append(("mean", "", *_told(self.mean, self.guess, self.relative)))
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        lines = [
            "  ".join(
                f"{cell:<{width}}" if i < 2 else f"{cell:>{width}}"
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
        rule = "-" * len(lines[0])
        told = [OWN_ROWS] if self.by_own_rows else []
        wild = [
            f"{shown(str(c.name), LONGEST_NAME)} {c.n_wild:,}"
            for c in self.columns
            if c.n_wild
        ]
        if wild:
            line = f"wild cells, left out: {', '.join(wild)}"
            told += textwrap.wrap(line, WIDTH, subsequent_indent="  ")
        return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1], *told])


def _told(distortion: float, guess: float, relative: float) -> tuple[str, str, str]:
    return (
        f"{distortion:.4f}",
        f"{guess:.4f}",
        "–" if math.isnan(relative) else f"{relative:.2f}",
    )
