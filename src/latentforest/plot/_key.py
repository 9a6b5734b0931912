"""The key of a picture: what its colours mean, and where there is room to say it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latentforest._base._optional import require
from latentforest._base._types import Floats
from latentforest.plot._colours import short
from latentforest.plot._times import write_dates
from latentforest.table import Storage

CORNERS = {
    "upper right": (1, 1),
    "upper left": (0, 1),
    "lower right": (1, 0),
    "lower left": (0, 0),
}
ROOM = 1.15  # the axes may still shrink a little when the figure is laid out
LETTER = 0.085  # inches of an average one
DOT = 36.0  # area of a dot in the legend, whatever the size of the points


@dataclass(frozen=True, slots=True)
class Key:
    """Dots with names, or a colour scale."""

    title: str
    dots: tuple[Any, ...] = ()  # one labelled collection per level
    scale: Any = None  # the collection that is coloured by numbers
    extend: str = "neither"  # ends of the scale beyond which there are numbers
    has_missing: bool = False  # some points have no number and are grey
    sort: Storage = Storage.float  # of numbers; dates and times are days

    def explain(self, ax: Any, points: Floats) -> None:
        """Write the key into or beside the axes in which the points were drawn.

        Levels are named in a corner without points, if there is one, else beside the
        axes. Without a layout engine there is no room beside them: then the legend
        lies where it covers least.
        """
        self.draw_scale(ax.figure, [ax])
        if not self.dots:
            return
        legend = self.legend(ax, loc="upper right")
        corner = _free_corner(ax, legend, points)
        if corner is not None:
            legend.set_loc(corner)
        elif ax.figure.get_layout_engine() is None:
            legend.set_loc("best")
            legend.set_frame_on(True)
        else:
            self.legend(
                ax, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0
            )

    def explain_space(self, ax: Any, *, beside: bool) -> None:
        """Write the key of a picture in space, beside it or in its left corner."""
        self.draw_scale(ax.figure, [ax])
        if self.dots and beside:
            self.legend(ax.figure, loc="outside right upper")
        elif self.dots:
            self.legend(ax, loc="upper left")

    def draw_scale(self, figure: Any, axes: Sequence[Any]) -> None:
        """Draw the colour scale beside all of the axes."""
        if self.scale is not None:
            # A mappable of its own: the bar shall not be as transparent as the points.
            cm = require("matplotlib.cm", extra="plot")
            opaque = cm.ScalarMappable(self.scale.norm, self.scale.cmap)
            bar = figure.colorbar(
                opaque, ax=list(axes), extend=self.extend, aspect=30, pad=0.02
            )
            bar.outline.set_visible(False)
            if self.sort.is_time:
                write_dates(bar.ax.yaxis, self.sort)
            grey = "grey: missing" if self.has_missing else ""
            bar.set_label("  ·  ".join(filter(None, [short(self.title), grey])))

    def write_below(self, figure: Any) -> None:
        """Write the legend below all axes, in as many columns as there is room for."""
        if self.dots:
            names = [dots.get_label() for dots in self.dots]
            column = LETTER * (max(map(len, names)) + 6)
            n_columns = max(int(figure.get_figwidth() / column), 1)
            n_columns = min(n_columns, len(names))
            self.legend(figure, loc="outside lower center", ncols=n_columns)

    def legend(self, parent: Any, **place: Any) -> Any:
        """Write the legend of the levels into axes or a figure."""
        names = [dots.get_label() for dots in self.dots]
        legend = parent.legend(
            handles=list(self.dots),
            labels=[str(number) for number in range(len(names))],
            title=short(self.title) or None,
            frameon=False,
            handletextpad=0.3,
            alignment="left",
            **place,
        )
        # Written afterwards: matplotlib 3.9 leaves out names that begin with "_".
        for text, name in zip(legend.get_texts(), names, strict=True):
            text.set_text(name)
        for handle in legend.legend_handles:
            handle.set(alpha=1.0, sizes=[DOT])
        return legend


def _free_corner(ax: Any, legend: Any, points: Floats) -> str | None:
    """Return the first corner in which the legend covers no point."""
    box = legend.get_window_extent().transformed(ax.transAxes.inverted())
    width, height = ROOM * box.width + 0.02, ROOM * box.height + 0.02
    known = points[np.isfinite(points).all(axis=1)]
    ax.get_xlim(), ax.get_ylim()  # limits are settled when they are asked for
    places = ax.transAxes.inverted().transform(ax.transData.transform(known))
    for name, corner in CORNERS.items():
        away = np.abs(places - np.array(corner))
        if not ((away[:, 0] < width) & (away[:, 1] < height)).any():
            return name
    return None
