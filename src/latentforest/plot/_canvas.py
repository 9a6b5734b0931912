"""Figures and axes: new ones where none are given, and none where some are."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._optional import require
from latentforest.plot._colours import QUIET

AxesArray = NDArray[np.object_]


def axes_or_new(
    ax: Any, *, size: tuple[float, float] = (6.4, 4.6), projection: str | None = None
) -> Any:
    """Return the axes that were given, or those of a new figure."""
    if ax is None:
        pyplot = require("matplotlib.pyplot", extra="plot")
        keywords = {"projection": projection}
        _, ax = pyplot.subplots(figsize=size, layout="constrained", subplot_kw=keywords)
    elif not hasattr(ax, "plot"):
        message = (
            f"ax is a {type(ax).__name__}. Give one matplotlib Axes, or None for a "
            "new figure."
        )
        raise TypeError(message)
    elif projection is not None and ax.name != projection:
        message = (
            f"ax has the projection {ax.name!r}, three coordinates need "
            f"{projection!r}. Make it with "
            f"figure.add_subplot(projection={projection!r})."
        )
        raise ValueError(message)
    return ax


def of_training_rows(ax: Any) -> None:
    """Say that these rows have shaped the map: new ones need not lie as well."""
    ax.set_title("training rows", loc="right", fontsize="small", color=QUIET)


def grid_or_given(
    axes: Any, n_panels: int, *, n_columns: int, panel: tuple[float, float]
) -> AxesArray:
    """Return as many axes as there are panels: the first of those given, or new ones.

    Of a new grid the places that are not needed are left empty.
    """
    if axes is not None:
        flat = np.array(axes, dtype=object).ravel()
        if len(flat) < n_panels:
            message = (
                f"axes holds {len(flat)} Axes, but {n_panels} are needed. Give that "
                "many, or None for a new figure."
            )
            raise ValueError(message)
        return flat[:n_panels]
    pyplot = require("matplotlib.pyplot", extra="plot")
    n_columns = min(n_columns, n_panels)
    n_rows = -(-n_panels // n_columns)
    _, grid = pyplot.subplots(
        n_rows,
        n_columns,
        figsize=(panel[0] * n_columns, panel[1] * n_rows),
        layout="constrained",
        squeeze=False,
    )
    for spare in grid.ravel()[n_panels:]:
        spare.remove()
    return grid.ravel()[:n_panels]


def tidy(ax: Any) -> Any:
    """Take away the lines that say nothing."""
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def bare(ax: Any) -> Any:
    """Take away ticks and keep a thin frame: for panels without a scale."""
    ax.set(xticks=[], yticks=[])
    for spine in ax.spines.values():
        spine.set(linewidth=0.6, color=QUIET)
    return ax
