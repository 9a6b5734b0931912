"""Pictures of latent spaces and reconstructions (extra ``plot``)."""

from collections.abc import Iterator
from numbers import Real
from typing import Any

import numpy as np
from pandas import isna

from latentforest._base._optional import require
from latentforest._base._types import Bools

# Okabe and Ito's palette, safe for colour-blind readers, strongest contrasts first.
PALETTE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#000000",
)


def scatter(x: Any, y: Any, by: Any = None, *, ax: Any = None, **style: Any) -> Any:
    """Scatter two columns or coordinates, coloured by the levels of a third column.

    Parameters
    ----------
    x, y : array of shape (n_rows,)
        What to put on the axes.
    by : array of shape (n_rows,), default=None
        Levels to colour by, missing cells last; the first eight get colours of their
        own.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.
    **style : dict
        Passed on to ``Axes.scatter``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from latentforest import plot
    >>> ax = plot.scatter([0, 1, 2], [0, 1, 4], by=["a", "b", "a"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    if ax is None:
        pyplot = require("matplotlib.pyplot", extra="plot")
        _, ax = pyplot.subplots(layout="constrained")
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    style = {"s": 22, "alpha": 0.75, "linewidths": 0, **style}
    if by is None:
        ax.scatter(x, y, color=PALETTE[0], **style)
    else:
        for number, (label, chosen) in enumerate(_rows_by_level(by)):
            colour = PALETTE[number % len(PALETTE)]
            ax.scatter(x[chosen], y[chosen], color=colour, label=label, **style)
        ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def trials(model: Any, *, ax: Any = None) -> Any:
    """Draw what ``RFAE.auto`` tried: distortion against neighbours, by start.

    Parameters
    ----------
    model : RFAE
        A model fitted with ``refine="auto"``.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, plot
    >>> model = RFAE.auto(1, time_budget=0, random_state=0)
    >>> ax = plot.trials(model.fit(load_iris().data))
    >>> ax.get_ylabel()
    'distortion of held-back rows'
    """
    tried = model.tried_
    names = [
        f"{trial.refinement.start} start, {trial.refinement.rounds} rounds"
        for trial in tried
    ]
    neighbours = [trial.refinement.n_neighbors for trial in tried]
    lost = [trial.distortion for trial in tried]
    ax = scatter(neighbours, lost, names, ax=ax, s=50)
    best = tried[0]
    ax.annotate(
        "chosen",
        (best.refinement.n_neighbors, best.distortion),
        textcoords="offset points",
        xytext=(8, -4),
    )
    ax.set(
        xlabel="neighbours",
        ylabel="distortion of held-back rows",
        xscale="log",
        xticks=sorted(set(neighbours)),
        xticklabels=sorted(set(neighbours)),
    )
    ax.minorticks_off()
    return ax


def _rows_by_level(by: Any) -> Iterator[tuple[str, Bools]]:
    """Yield each level in order, and last the missing cells, with their rows."""
    cells = np.array(by, dtype=object)
    missing = isna(cells)
    cells[missing] = None  # NA refuses to be compared
    levels = set(cells[~missing])
    numbers = all(isinstance(level, Real) for level in levels)
    for level in sorted(levels, key=None if numbers else str):
        yield str(level), cells == level
    if missing.any():
        yield "missing", missing
