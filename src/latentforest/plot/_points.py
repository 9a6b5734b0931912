"""Points in two or three dimensions, coloured by levels or numbers."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from latentforest._base._types import Bools, Coords, Floats
from latentforest.plot._colours import MISSING, OTHER, PALETTE, SCALE, short_names
from latentforest.plot._key import Key
from latentforest.plot._values import Levels, Numbers, Values

MANY = 2_000  # from here on a vector file would be slow to open
STRETCHED = 3.0  # so many times the middle 96 % is a range made by outliers


def point_style(n_points: int, style: dict[str, Any]) -> dict[str, Any]:
    """Give many points less ink each, so that dense places still show."""
    size = np.clip(22.0 * np.sqrt(400.0 / max(n_points, 1)), 1.5, 24.0)
    alpha = np.clip(0.8 * (1_000.0 / max(n_points, 1)) ** 0.25, 0.2, 0.8)
    ours = {
        "s": float(size),
        "alpha": float(alpha),
        "linewidths": 0.0,
        "rasterized": n_points > MANY,
    }
    return {**ours, **style}


def draw_points(
    ax: Any, coords: Coords, values: Values | None, style: dict[str, Any]
) -> Key:
    """Draw one point per row and return what the colours mean."""
    style = point_style(len(coords), style)
    if isinstance(values, Numbers):
        return _draw_numbers(ax, coords, values, style)
    if isinstance(values, Levels):
        return _draw_levels(ax, coords, values, style)
    ax.scatter(*coords.T, **{"color": PALETTE[0], **style})
    return Key("")


def level_groups(levels: Levels) -> Iterator[tuple[str, str, Bools]]:
    """Yield name, colour and rows of every level that is shown.

    Of more levels than colours the most frequent keep theirs and the rest is "other".
    Missing cells come last.
    """
    counts = np.bincount(levels.index[levels.index >= 0], minlength=len(levels.names))
    shown = np.arange(len(levels.names))
    if len(shown) > len(PALETTE):
        frequent = np.argsort(-counts, kind="stable")[: len(PALETTE) - 1]
        shown = np.sort(frequent)
    names = short_names(levels.names[level] for level in shown)
    for name, colour, level in zip(names, PALETTE, shown, strict=False):
        yield name, colour, levels.index == level
    rest = (levels.index >= 0) & ~np.isin(levels.index, shown)
    if rest.any():
        n_rest = len(levels.names) - len(shown)
        yield f"other ({n_rest} levels)", OTHER, rest
    missing = levels.index < 0
    if missing.any():
        yield "missing", MISSING, missing


def colour_limits(numbers: Floats) -> tuple[float, float, str]:
    """Return the ends of the colour scale, and those beyond which there are numbers.

    The scale covers all numbers, unless a few of them would leave one colour for all
    others: then it ends at the outer 2 % of each side.
    """
    known = numbers[np.isfinite(numbers)]
    if not known.size:
        return 0.0, 1.0, "neither"
    least, low, high, most = np.quantile(known, [0.0, 0.02, 0.98, 1.0])
    if most - least <= STRETCHED * (high - low) or low == high:
        return float(least), float(most), "neither"
    beyond = ("neither", "min", "max", "both")[int(least < low) + 2 * int(most > high)]
    return float(low), float(high), beyond


def _draw_levels(ax: Any, coords: Coords, levels: Levels, style: dict[str, Any]) -> Key:
    dots = []
    for name, colour, rows in level_groups(levels):
        # Rare levels lie on top; what has no colour lies below everything.
        named = colour not in (MISSING, OTHER)
        above = 2.0 + (0.5 * (1.0 - rows.mean()) if named else -0.5)
        drawn = ax.scatter(
            *coords[rows].T,
            **{"color": colour, "label": name, "zorder": above, **style},
        )
        dots.append(drawn)
    return Key(levels.title, tuple(dots))


def _draw_numbers(
    ax: Any, coords: Coords, values: Numbers, style: dict[str, Any]
) -> Key:
    missing = np.isnan(values.numbers)
    lowest, highest, extend = colour_limits(values.numbers)
    if missing.any():
        grey = {"color": MISSING, "label": "missing", "zorder": 1.5}
        ax.scatter(*coords[missing].T, **{**grey, **style})
    own = {"cmap": SCALE, "vmin": lowest, "vmax": highest}
    scale = ax.scatter(
        *coords[~missing].T, **{"c": values.numbers[~missing], **own, **style}
    )
    has_missing = bool(missing.any())
    return Key(values.title, (), scale, extend, has_missing, values.sort)
