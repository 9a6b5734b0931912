"""Rows in latent space: two or three coordinates, or all pairs of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from latentforest._base._checks import check_integer
from latentforest._base._optional import require
from latentforest._latent import check_model
from latentforest.plot._canvas import AxesArray, axes_or_new, of_training_rows, tidy
from latentforest.plot._key import Key
from latentforest.plot._model import (
    axis_label,
    check_axes,
    coordinates,
    n_rows_of,
    values_for,
)
from latentforest.plot._points import draw_points

PANEL = 2.3  # inches


def latent(
    model: Any,
    table: Any = None,
    color_by: Any = None,
    *,
    axes: Sequence[int] = (0, 1),
    ax: Any = None,
    **style: Any,
) -> Any:
    """Scatter rows in latent space, coloured by any column.

    Parameters
    ----------
    model : RFAE
        A fitted model.
    table : data frame or array of shape (n_rows, n_columns), default=None
        The rows to draw; None draws the training rows.
    color_by : column name or array of shape (n_rows,), default=None
        What to colour by, as in `scatter`: a column of the table, or one value per
        row; "oddness" colours by how odd each row is.
    axes : two or three int, default=(0, 1)
        Which coordinates to draw, counted from 0; three make a picture in space.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure. For three coordinates it must have
        the projection "3d".
    **style : dict
        Passed on to ``Axes.scatter``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, plot
    >>> table = load_iris(as_frame=True).frame
    >>> model = RFAE(3, forest="completely_random", random_state=0).fit(table)
    >>> ax = plot.latent(model, color_by="petal width (cm)")
    >>> ax.collections[0].get_offsets().shape
    (150, 2)
    >>> plot.latent(model, color_by="target", axes=(0, 1, 2)).get_zlabel()
    'z3  (λ = ...)'
    >>> plot.latent(model, color_by="species")
    Traceback (most recent call last):
    ...
    ValueError: color_by='species' is not a column of the table. It has: ...
    """
    check_model(model)
    chosen = check_axes(model, axes)
    values = values_for(model, table, color_by, n_rows_of(model, table))
    in_space = len(chosen) == 3
    size = (6.8, 5.6) if in_space else (6.4, 4.6)
    is_new = ax is None
    ax = axes_or_new(ax, size=size, projection="3d" if in_space else None)
    coords = coordinates(model, table)[:, chosen]
    key = draw_points(ax, coords, values, style)
    if table is None:
        of_training_rows(ax)
    pad = 8.0 if in_space else 4.0
    for name, axis in zip("xyz", chosen, strict=False):
        getattr(ax, f"set_{name}label")(axis_label(model, axis), labelpad=pad)
    if in_space:
        ax.set_box_aspect(None, zoom=0.85)  # else the label of the third one is cut off
        ax.locator_params(nbins=5)
        key.explain_space(ax, beside=is_new)
    else:
        key.explain(tidy(ax), coords)
    return ax


def pairs(
    model: Any,
    table: Any = None,
    color_by: Any = None,
    *,
    n_components: int = 4,
    figure: Any = None,
    **style: Any,
) -> AxesArray:
    """Scatter all pairs of the first coordinates, with one key for all.

    Parameters
    ----------
    model : RFAE
        A fitted model with at least two coordinates.
    table : data frame or array of shape (n_rows, n_columns), default=None
        The rows to draw; None draws the training rows.
    color_by : column name or array of shape (n_rows,), default=None
        What to colour by, as in `scatter`.
    n_components : int, default=4
        How many coordinates to draw; a model with fewer shows all it has.
    figure : matplotlib Figure or None, default=None
        An empty figure to draw into; None makes a new one.
    **style : dict
        Passed on to ``Axes.scatter``.

    Returns
    -------
    ndarray of matplotlib Axes, shape (n_components - 1, n_components - 1)
        Entry ``[i, j]`` shows coordinate ``i + 1`` over ``j``; None above the
        diagonal.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, plot
    >>> table = load_iris(as_frame=True).frame
    >>> model = RFAE(3, forest="completely_random", random_state=0).fit(table)
    >>> plot.pairs(model, color_by="target").shape
    (2, 2)
    """
    check_model(model)
    wanted = check_integer("n_components", n_components, minimum=2)
    n_drawn = min(wanted, model.encoder_.n_components)
    check_axes(model, (0, n_drawn - 1) if n_drawn > 1 else (0, 1))
    values = values_for(model, table, color_by, n_rows_of(model, table))
    coords = coordinates(model, table)
    size = n_drawn - 1
    if figure is None:
        pyplot = require("matplotlib.pyplot", extra="plot")
        inches = max(PANEL * size + 0.8, 4.5)
        figure = pyplot.figure(figsize=(inches + 0.6, inches), layout="constrained")
    grid = figure.subplots(size, size, sharex="col", sharey="row", squeeze=False)
    key = Key("")
    for i in range(size):
        for j in range(size):
            if j > i:
                grid[i, j].remove()
                grid[i, j] = None
                continue
            key = draw_points(grid[i, j], coords[:, (j, i + 1)], values, style)
            tidy(grid[i, j])
    for k in range(size):
        grid[-1, k].set_xlabel(axis_label(model, k))
        grid[k, 0].set_ylabel(axis_label(model, k + 1))
    if table is None:
        of_training_rows(grid[0, 0])
    figure.align_labels()
    _explain_pairs(figure, grid, key)
    return grid


def _explain_pairs(figure: Any, grid: AxesArray, key: Key) -> None:
    drawn = [ax for ax in np.ravel(grid) if ax is not None]
    key.draw_scale(figure, drawn)
    if not key.dots:
        return
    if len(grid) > 1:  # the upper right triangle is empty
        place = {"loc": "upper left", "bbox_to_anchor": (1.06, 1.0)}
        key.legend(grid[0, 0], borderaxespad=0.0, **place).set_in_layout(False)
    else:
        key.legend(figure, loc="outside right upper")
