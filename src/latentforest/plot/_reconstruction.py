"""Tables before and after, column by column."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from latentforest._base._checks import listed
from latentforest._base._errors import SchemaError
from latentforest._base._types import Floats
from latentforest.metrics import ColumnDistortion, distortion
from latentforest.plot._canvas import AxesArray, grid_or_given, tidy
from latentforest.plot._colours import PALETTE, QUIET, TILES, short_names
from latentforest.plot._distortion import OWN_ROWS
from latentforest.plot._model import check_is_table
from latentforest.plot._points import point_style
from latentforest.plot._times import days_of, write_dates
from latentforest.plot._values import levels_of_column
from latentforest.table import (
    NumberColumn,
    RawColumn,
    RawTable,
    TimeColumn,
    open_table,
)

MOST_PANELS = 12
MOST_LEVELS = 8
OTHER_LEVEL = "other"


def reconstruction(
    original: Any,
    reconstructed: Any,
    columns: Sequence[Any] | None = None,
    *,
    kinds: Any = None,
    training: Any = None,
    axes: Any = None,
) -> AxesArray:
    """Draw a table against its reconstruction, one panel per column.

    Numbers are points over the original value, on the diagonal where nothing was
    lost. For categories the tiles above a level show what share of its rows came back
    as which level: again the diagonal is what came back right. The number above each
    panel is the distortion of the column; wild cells are counted there, not drawn.

    Parameters
    ----------
    original : table
        The rows as they were.
    reconstructed : table
        The same rows as they came back.
    columns : list of column names or None, default=None
        Which columns to draw, in this order. None draws all of them, or, of more
        than 12, the 12 with the largest distortion.
    kinds : dict, TableSchema or None, default=None
        What the columns mean, as in `latentforest.metrics.distortion`.
    training : table, Yardstick or None, default=None
        What numbers are measured by, as in `latentforest.metrics.distortion`: give
        ``model.yardstick_`` for the values of ``model.distortion``. None takes the
        rows themselves, as in the paper, and the new figure says so.
    axes : array of matplotlib Axes or None, default=None
        Where to draw, one per column; None makes a new figure.

    Returns
    -------
    ndarray of matplotlib Axes, shape (n_panels,)

    Examples
    --------
    >>> import pandas as pd
    >>> from latentforest import plot
    >>> table = pd.DataFrame({"size": [1.0, 2.0, 3.0], "colour": ["a", "b", "b"]})
    >>> back = pd.DataFrame({"size": [1.0, 2.0, 2.0], "colour": ["a", "b", "a"]})
    >>> [ax.get_title(loc="left") for ax in plot.reconstruction(table, back)]
    ['size', 'colour']
    >>> plot.reconstruction(table, back, ["weight"])
    Traceback (most recent call last):
    ...
    latentforest._base._errors.SchemaError: There are no columns 'weight'. ...
    """
    check_is_table(original)
    report = distortion(original, reconstructed, kinds=kinds, training=training)
    before, after = open_table(original), open_table(reconstructed)
    positions = _positions(before, report.columns, columns)
    panels = grid_or_given(axes, len(positions), n_columns=4, panel=(2.9, 2.75))
    titles = short_names((before.names[j] for j in positions), 17)
    for ax, j, title in zip(panels, positions, titles, strict=True):
        column = report.columns[j]
        if column.kind.is_number:
            _draw_number(ax, before.column(j), after.column(j), column.n_wild)
        else:
            _draw_levels(ax, before.column(j), after.column(j))
        ax.set_title(title, loc="left", fontsize="medium")
        lost = "–" if np.isnan(column.distortion) else f"{column.distortion:.2f}"
        wild = f", {column.n_wild} wild" if column.n_wild else ""
        ax.set_title(lost + wild, loc="right", fontsize="small", color=QUIET)
    if axes is None:
        figure = panels[0].figure
        measure = f"; distortion{OWN_ROWS}" if report.by_own_rows else ""
        figure.supxlabel(f"original{measure}", fontsize="medium")
        figure.supylabel("reconstructed", fontsize="medium")
    return panels


def level_shares(
    original: RawColumn, reconstructed: RawColumn
) -> tuple[list[str], Floats]:
    """Names of levels, and the share of each (column) that came back as each (row).

    Of more than 8 levels the 7 most frequent originals are told apart. Missing is a
    level of its own.
    """
    before, after = _cells(original), _cells(reconstructed)
    names = [*_names(original), *_names(reconstructed), "missing"]
    count = {name: int((before == name).sum()) for name in dict.fromkeys(names)}
    used = [name for name in count if count[name] or (after == name).any()]
    if len(used) > MOST_LEVELS:
        frequent = sorted(used, key=lambda name: -count[name])[: MOST_LEVELS - 1]
        used = [name for name in used if name in frequent]
        before = np.where(np.isin(before, used), before, OTHER_LEVEL)
        after = np.where(np.isin(after, used), after, OTHER_LEVEL)
        used.append(OTHER_LEVEL)
    counts = np.array(
        [[np.sum((before == x) & (after == y)) for x in used] for y in used], float
    )
    return used, counts / np.maximum(counts.sum(axis=0), 1.0)


def _positions(
    table: RawTable,
    reports: tuple[ColumnDistortion, ...],
    columns: Sequence[Any] | None,
) -> list[int]:
    if columns is None:
        lost = [np.nan_to_num(report.distortion, nan=-1.0) for report in reports]
        worst = np.argsort(-np.array(lost), kind="stable")[:MOST_PANELS]
        return sorted(worst.tolist())
    places: dict[Hashable, int] = {name: j for j, name in enumerate(table.names)}
    if table.container == "numpy":
        places |= {j: j for j in range(table.n_columns)}
    chosen = [columns] if isinstance(columns, str) else list(columns)
    unknown = [name for name in chosen if name not in places]
    if unknown or not chosen:
        wrong = (
            f"There are no columns {listed(unknown)}" if unknown else "columns is []"
        )
        message = f"{wrong}. Choose among {listed(table.names)}."
        raise SchemaError(message)
    return [places[name] for name in chosen]


def _draw_number(
    ax: Any, original: RawColumn, reconstructed: RawColumn, n_wild: int
) -> None:
    zone = original.zone if isinstance(original, TimeColumn) else None
    before, after = _numbers(original, zone), _numbers(reconstructed, zone)
    if (
        n_wild and not np.isnan(after).all()
    ):  # they are the cells farthest from all that came back
        beyond = np.maximum(before - np.nanmax(after), np.nanmin(after) - before)
        before = before.copy()
        before[np.argsort(-np.nan_to_num(beyond, nan=-np.inf))[:n_wild]] = np.nan
    style = point_style(len(before), {"color": PALETTE[0]})
    known = np.concatenate([before, after])
    known = known[~np.isnan(known)]
    least, most = (known.min(), known.max()) if known.size else (0.0, 1.0)
    margin = 0.04 * (most - least) or 0.5
    ends = (least - margin, most + margin)
    ax.plot(ends, ends, color=QUIET, linewidth=0.8, zorder=1)
    ax.scatter(before, after, **style)
    tidy(ax).set(xlim=ends, ylim=ends)
    ax.set_box_aspect(1)
    if not original.storage.is_time:
        ax.locator_params(nbins=4)
        return
    for axis in (ax.xaxis, ax.yaxis):
        write_dates(axis, original.storage, most=4)


def _draw_levels(ax: Any, original: RawColumn, reconstructed: RawColumn) -> None:
    names, shares = level_shares(original, reconstructed)
    ax.imshow(shares, cmap=TILES, vmin=0, vmax=1, origin="lower", aspect="auto")
    ax.set_box_aspect(1)
    labels = short_names(names, 12)
    ax.set_xticks(
        range(len(names)), labels, rotation=40, ha="right", rotation_mode="anchor"
    )
    ax.set_yticks(range(len(names)), labels)
    ax.tick_params(length=0, labelsize="small")
    for y, x in np.argwhere(shares >= 0.005):
        ax.text(
            x,
            y,
            f"{100 * shares[y, x]:.0f}",
            ha="center",
            va="center",
            fontsize=max(9 - len(names) // 3, 6),
            color="white" if shares[y, x] > 0.5 else "black",
        )


def _numbers(column: RawColumn, zone: str | None) -> Floats:
    if isinstance(column, NumberColumn):
        return column.numbers
    if isinstance(column, TimeColumn):
        return days_of(column, zone)
    return np.full(
        len(column.labels()[0]), np.nan
    )  # distortion has seen that it is empty


def _names(column: RawColumn) -> tuple[str, ...]:
    return levels_of_column(column).names


def _cells(column: RawColumn) -> Any:
    levels = levels_of_column(column)
    return np.array([*levels.names, "missing"], dtype=object)[levels.index]
