"""Any two columns or coordinates against each other."""

from typing import Any

import numpy as np

from latentforest.plot._canvas import axes_or_new, tidy
from latentforest.plot._points import draw_points
from latentforest.plot._times import write_dates
from latentforest.plot._values import numbers_of_array, values_of_array


def scatter(
    x: Any, y: Any, color_by: Any = None, *, ax: Any = None, **style: Any
) -> Any:
    """Scatter two columns or coordinates, coloured by a third column.

    Parameters
    ----------
    x, y : array of shape (n_rows,)
        What to put on the axes: numbers, dates or times. Rows without one of them are
        not drawn.
    color_by : array of shape (n_rows,), default=None
        What to colour by. Names, booleans and numbers with at most 8 distinct values
        get one colour per level and a legend: of more than 8 levels the 7 most
        frequent keep their names. Other numbers get a colour scale; dates and times
        are numbers. Missing cells are grey.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.
    **style : dict
        Passed on to ``Axes.scatter``. By default points get smaller and more
        transparent the more there are.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from latentforest import plot
    >>> ax = plot.scatter([0, 1, 2], [0, 1, 4], color_by=["a", "b", "a"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    across, up = numbers_of_array("x", x), numbers_of_array("y", y)
    if len(across) != len(up):
        message = (
            f"x has {len(across)} values and y has {len(up)}. Give one of each per row."
        )
        raise ValueError(message)
    coords = np.column_stack([across.numbers, up.numbers])
    values = None if color_by is None else values_of_array(color_by, len(coords))
    ax = axes_or_new(ax)
    key = draw_points(ax, coords, values, style)
    for axis, numbers in ((ax.xaxis, across), (ax.yaxis, up)):
        if numbers.sort.is_time:
            write_dates(axis, numbers.sort)
    key.explain(tidy(ax), coords)
    return ax
