"""What a supervised model sees: one picture of its predictions, doubts and errors."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_integer
from latentforest._base._optional import require
from latentforest._base._types import Coords, Floats
from latentforest._latent import check_model
from latentforest.insight import Explanation
from latentforest.plot._canvas import AxesArray, grid_or_given, tidy
from latentforest.plot._colours import MISSING, PALETTE, QUIET, short
from latentforest.plot._drivers import draw_drivers
from latentforest.plot._key import Key
from latentforest.plot._model import axis_label, check_axes
from latentforest.plot._points import draw_points, point_style
from latentforest.plot._values import Numbers, levels_of_classes

PANEL = (5.2, 4.1)  # inches
SIGNED = "PuOr_r"  # too low is violet, too high is orange, nearly right is pale
ABOVE = 44  # letters of names that find room above the axes
MOST_COLUMNS = 10  # of which the shares are drawn


def explanation(
    model: Any,
    table: Any = None,
    y: Any = None,
    *,
    predict: Any = None,
    y_train: Any = None,
    axes: Sequence[int] = (0, 1),
    n_prototypes: int = 6,
    panels: Any = None,
    **style: Any,
) -> AxesArray:
    """Draw what a supervised model sees: its map, and what lies behind it.

    The same map coloured by the prediction, by how sure it is, and, where targets are
    given, by its error; then the columns that drive each coordinate. Diamonds on the
    first map are prototypes, training rows that stand for others, with their names:
    index labels (``row_labels_``), or else numbers (``rows_``).

    Parameters
    ----------
    model : RFAE
        A fitted model whose forest predicts; see ``RFAE.explain``.
    table : data frame or array of shape (n_rows, n_columns), default=None
        The rows to draw; None draws the training rows.
    y : array of shape (n_rows,), default=None
        Their targets. None leaves out the map of errors.
    predict : estimator, function or None, default=None
        What predicts, in place of the forest.
    y_train : array, default=None
        Targets of the table that the model was fitted on, for the spread of numbers.
    axes : two int, default=(0, 1)
        Which coordinates to draw, counted from 0.
    n_prototypes : int, default=6
        How many prototypes to mark; 0 marks none.
    panels : array of matplotlib Axes or None, default=None
        Where to draw: four, or three without ``y``. None makes a new figure.
    **style : dict
        Passed on to ``Axes.scatter``.

    Returns
    -------
    ndarray of matplotlib Axes, shape (n_panels,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from latentforest import RFAE, plot
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X[::2], y[::2])
    >>> model = RFAE(forest=forest, random_state=0).fit(X[::2])
    >>> drawn = plot.explanation(model, X[1::2], y[1::2], n_prototypes=3)
    >>> [ax.get_title(loc="left") for ax in drawn]
    ['prediction', 'confidence', 'error', 'columns behind the coordinates']
    """
    check_model(model)
    check_integer("n_prototypes", n_prototypes, minimum=0)
    chosen = check_axes(model, axes)
    if len(chosen) != 2:
        message = f"axes={axes!r} are {len(chosen)} coordinates. Give two."
        raise ValueError(message)
    found = model.explain(table, y, predict=predict, y_train=y_train)
    behind = model.drivers()
    prototypes = model.prototypes(n_prototypes) if n_prototypes else None
    n_panels = 3 if found.error is None else 4
    n_wide = 3 if found.error is None else 2
    drawn = grid_or_given(panels, n_panels, n_columns=n_wide, panel=PANEL)
    coords = found.coords[:, chosen]
    keys = [_draw_prediction(drawn[0], coords, found, style)]
    keys.append(_draw_doubt(drawn[1], coords, found, style))
    if found.error is not None:
        keys.append(_draw_error(drawn[2], coords, found, style))
    if prototypes is not None:
        numbers = prototypes.iloc[:, 0]  # by place: a column may have its name
        rows = np.searchsorted(model.rows_, numbers)
        places = model.embedding_[rows][:, chosen]
        names = model.rows_ if model.row_labels_ is None else model.row_labels_
        marks = _mark_rows(drawn[0], names[rows], places)
        if keys[0].dots:
            keys[0] = replace(keys[0], dots=(*keys[0].dots, marks))
        else:
            _note(drawn[0], "◆ prototypes, by row")
    for ax, key in zip(drawn, keys, strict=False):
        ax.set_xlabel(axis_label(model, chosen[0]))
        ax.set_ylabel(axis_label(model, chosen[1]))
        _explain(key, tidy(ax), coords)
    draw_drivers(drawn[-1], behind, MOST_COLUMNS)
    for ax, title in zip(drawn, _titles(found), strict=True):
        ax.set_title(title, loc="left", fontsize="medium")
    _note(drawn[-1], "percent")
    return drawn


def _explain(key: Key, ax: Any, coords: Coords) -> None:
    """Write few short names above the axes, so that maps keep their width."""
    names = [dots.get_label() for dots in key.dots]
    if names and sum(map(len, names)) + 3 * len(names) <= ABOVE:
        place = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0)}
        look = {"ncols": len(names), "columnspacing": 0.9, "fontsize": "small"}
        key.legend(ax, borderaxespad=0.0, **place, **look)
    else:
        key.explain(ax, coords)


def _note(ax: Any, text: str) -> None:
    ax.set_title(text, loc="right", fontsize="small", color=QUIET)


def _titles(found: Explanation) -> list[str]:
    doubt = "confidence" if found.classes is not None else "spread"
    error = [] if found.error is None else ["error"]
    return ["prediction", doubt, *error, "columns behind the coordinates"]


def _draw_prediction(ax: Any, coords: Coords, found: Explanation, style: Any) -> Key:
    if found.classes is None or found.probabilities is None:
        return draw_points(ax, coords, Numbers("prediction", found.prediction), style)
    best = found.probabilities.argmax(axis=1)
    return draw_points(ax, coords, levels_of_classes(best, found.classes), style)


def _draw_doubt(ax: Any, coords: Coords, found: Explanation, style: Any) -> Key:
    if found.confidence is not None:
        values = Numbers("highest probability", found.confidence)
    else:
        assert found.spread is not None, "numbers have a spread"
        values = Numbers("standard deviation", found.spread)
    return draw_points(ax, coords, values, style)


def _draw_error(ax: Any, coords: Coords, found: Explanation, style: Any) -> Key:
    """Draw wrong classes in a colour of their own, numbers by how far off they are."""
    assert found.error is not None, "asked where there are errors"
    if found.classes is not None:
        look, dots = point_style(len(coords), style), []
        for wrong, colour, name in (
            (False, MISSING, "right"),
            (True, PALETTE[5], "wrong"),
        ):
            rows = found.error == wrong
            own = {"color": colour, "label": f"{name} ({rows.sum():,})"}
            dots.append(ax.scatter(*coords[rows].T, **{**own, **look}))
        return Key("", tuple(dots))
    limit, extend = _symmetric(found.error)
    thin = {"edgecolors": QUIET, "linewidths": 0.3}  # the pale ones need an outline
    ends = {"cmap": SIGNED, "vmin": -limit, "vmax": limit}
    title = "prediction − target"
    key = draw_points(
        ax, coords, Numbers(title, found.error), {**thin, **ends, **style}
    )
    return replace(key, extend=extend)


def _symmetric(error: Floats) -> tuple[float, str]:
    """Return the end of a scale around 0 that a few large errors do not stretch."""
    away = np.abs(error)
    limit = float(np.quantile(away, 0.98)) if len(away) else 0.0
    if limit == 0.0:
        limit = float(away.max(initial=0.0)) or 1.0
    beyond = int((error < -limit).any()) + 2 * int((error > limit).any())
    return limit, ("neither", "min", "max", "both")[beyond]


def _mark_rows(ax: Any, names: NDArray[Any], places: Coords) -> Any:
    """Mark training rows with their names; return the marks."""
    effects = require("matplotlib.patheffects", extra="plot")
    look = {"marker": "D", "s": 34, "color": "black", "edgecolors": "white"}
    marks = ax.scatter(
        *places.T, **look, linewidths=1.0, zorder=4, label="prototype (row)"
    )
    for name, place in zip(names, places, strict=True):
        ax.annotate(
            short(name),
            place,
            xytext=(5, 4),
            textcoords="offset points",
            fontsize="small",
            zorder=5,
            path_effects=[effects.withStroke(linewidth=2.5, foreground="white")],
        )
    return marks
