"""The columns behind the coordinates of a map."""

from typing import Any

import numpy as np

from latentforest._base._checks import check_integer
from latentforest._base._names import coordinate_names
from latentforest._latent import check_model
from latentforest.insight import Drivers
from latentforest.plot._canvas import axes_or_new
from latentforest.plot._colours import TILES, short_names

MOST_COORDINATES = 12
OTHERS = "all others"


def drivers(model: Any, *, n_columns: int = 10, ax: Any = None) -> Any:
    """Draw which columns drive each coordinate, in percent.

    Each tile is the share of a column in what the splits of the forest set apart along
    a coordinate; see ``RFAE.drivers``.

    Parameters
    ----------
    model : RFAE
        A fitted model.
    n_columns : int, default=10
        How many columns to draw: those with the largest shares. The others share a
        line.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
        Of more than 12 coordinates the first 12 are drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, plot
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RFAE(2, forest="supervised", random_state=0).fit(X, y)
    >>> ax = plot.drivers(model, n_columns=2)
    >>> [tick.get_text() for tick in ax.get_yticklabels()][-1]
    'all others'
    """
    check_model(model)
    check_integer("n_columns", n_columns, minimum=1)
    found = model.drivers()
    ax = axes_or_new(ax, size=(4.8, 0.36 * min(n_columns, len(found.names)) + 1.4))
    draw_drivers(ax, found, n_columns)
    return ax


def draw_drivers(ax: Any, found: Drivers, n_columns: int) -> None:
    """Draw tiles of shares: the columns that drive most above, the others in one."""
    shares = found.shares[:MOST_COORDINATES].T
    order = np.argsort(-shares.max(axis=1), kind="stable")
    shown, rest = order[:n_columns], order[n_columns:]
    names = short_names(found.names[column] for column in shown)
    tiles, most = shares[shown], max(shares[shown].max(), 0.5)
    colours = tiles
    if len(rest):  # a number without a colour: many small shares are no large one
        tiles, names = np.vstack([tiles, shares[rest].sum(axis=0)]), [*names, OTHERS]
        colours = np.vstack([colours, np.zeros(shares.shape[1])])
    ax.imshow(colours, cmap=TILES, vmin=0.0, vmax=most, aspect="auto")
    ax.set_xticks(range(tiles.shape[1]), coordinate_names(tiles.shape[1]))
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    for y, x in np.argwhere(tiles >= 0.005):
        colour = "white" if colours[y, x] > 0.5 * most else "black"
        share = f"{100 * tiles[y, x]:.0f}"
        ax.text(x, y, share, ha="center", va="center", fontsize="small", color=colour)
