"""Rows that are pictures."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from latentforest._base._checks import check_integer
from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
from latentforest.plot._canvas import AxesArray, bare, grid_or_given
from latentforest.table import NumberColumn, open_table


def images(
    original: Any,
    reconstructed: Any,
    shape: Sequence[int],
    *,
    n: int = 10,
    axes: Any = None,
    **style: Any,
) -> AxesArray:
    """Draw rows as pictures, the originals above their reconstructions.

    Parameters
    ----------
    original : table
        The rows as they were; every column is a pixel, row by row of the picture.
    reconstructed : table
        The same rows as they came back.
    shape : two or three int
        Height and width of a picture, and its channels if it has colours.
    n : int, default=10
        How many of the first rows to draw.
    axes : array of matplotlib Axes or None, default=None
        Where to draw: first all originals, then all reconstructions; None makes a
        new figure.
    **style : dict
        Passed on to ``Axes.imshow``.

    Returns
    -------
    ndarray of matplotlib Axes, shape (2, n)

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from latentforest import plot
    >>> pixels = load_digits().data
    >>> plot.images(pixels, pixels.round(-1), (8, 8), n=4).shape
    (2, 4)
    """
    check_integer("n", n, minimum=1)
    before, after = (
        _pixels(name, table, tuple(shape))
        for name, table in (("original", original), ("reconstructed", reconstructed))
    )
    if len(before) != len(after):
        message = (
            f"original has {len(before)} rows and reconstructed has {len(after)}. "
            "Give the same rows in the same order."
        )
        raise ValueError(message)
    n_drawn = min(n, len(before))
    panels = grid_or_given(axes, 2 * n_drawn, n_columns=n_drawn, panel=(0.95, 1.1))
    grid = panels.reshape(2, n_drawn)
    ours = {
        "cmap": "gray_r",
        "vmin": np.nanmin(before),
        "vmax": np.nanmax(before),
        "interpolation": "nearest",
    }
    for row, pictures in zip(grid, (before, after), strict=True):
        for ax, picture in zip(row, pictures, strict=False):
            bare(ax).imshow(picture, **{**ours, **style})
    for ax, what in zip(grid[:, 0], ("original", "reconstructed"), strict=True):
        ax.set_ylabel(what, fontsize="small")
    return grid


def _pixels(name: str, table: Any, shape: tuple[int, ...]) -> Floats:
    raw = open_table(table)
    if len(shape) not in (2, 3) or prod(shape) != raw.n_columns:
        message = (
            f"shape={shape!r} makes {prod(shape)} pixels, but {name} has "
            f"{raw.n_columns} columns. Give height and width (and channels) that "
            "multiply to the number of columns."
        )
        raise ValueError(message)
    pixels = np.empty((raw.n_rows, raw.n_columns))
    for j in range(raw.n_columns):
        column = raw.column(j)
        if not isinstance(column, NumberColumn):
            message = (
                f"Column {column.name!r} of {name} holds text. Pictures are made of "
                "numbers: leave other columns out."
            )
            raise SchemaError(message)
        pixels[:, j] = column.numbers
    return pixels.reshape(-1, *shape)
