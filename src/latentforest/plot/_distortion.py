"""What is lost: per column, and over the number of coordinates."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from latentforest._base._checks import check_integer
from latentforest._base._optional import require
from latentforest._latent import check_model
from latentforest.metrics import ColumnDistortion, Distortion, distortion
from latentforest.plot._canvas import axes_or_new, tidy
from latentforest.plot._colours import PALETTE, QUIET, short, short_names
from latentforest.plot._model import check_is_table, training_rows

MOST_COLUMNS = 40
NUMBER, CATEGORY = PALETTE[0], PALETTE[1]
GUESSING = {
    "marker": "|",
    "markersize": 11,
    "markeredgewidth": 1.6,
    "linestyle": "none",
    "color": QUIET,
    "label": "guessing",
}
MOST_SIZES = 8
OWN_ROWS = ", by the variance of these rows"


def column_distortion(
    original: Any,
    reconstructed: Any = None,
    *,
    kinds: Any = None,
    training: Any = None,
    ax: Any = None,
) -> Any:
    """Draw the distortion of every column as a bar, the largest on top.

    A mark beside each bar shows what guessing would lose: the mean of a number, the
    commonest value of any other column.

    Parameters
    ----------
    original : table or Distortion
        The rows as they were, or a report of them: ``model.distortion(table)``, or
        what `latentforest.metrics.distortion` returns.
    reconstructed : table, default=None
        The rows as they came back; None with a report.
    kinds : dict, TableSchema or None, default=None
        What the columns mean, as in `latentforest.metrics.distortion`; say
        ``model.schema_``.
    training : table, Yardstick or None, default=None
        What numbers are measured by, as in `latentforest.metrics.distortion`: give
        ``model.yardstick_`` for the values of ``model.distortion``. None takes the
        rows themselves, as in the paper, and the axis says so.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    matplotlib Axes
        Of more than 40 columns the 40 that lost most are drawn; the mean is that of
        all columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from latentforest import plot
    >>> table = pd.DataFrame({"size": [1.0, 2.0, 3.0], "colour": ["a", "b", "b"]})
    >>> back = pd.DataFrame({"size": [1.0, 2.0, 2.0], "colour": ["a", "b", "a"]})
    >>> ax = plot.column_distortion(table, back)
    >>> [round(float(bar.get_width()), 2) for bar in ax.patches]
    [0.5, 0.33]
    """
    report = _report(original, reconstructed, kinds, training)
    worst = sorted(report.columns, key=_loss, reverse=True)
    shown = worst[:MOST_COLUMNS]
    ax = tidy(axes_or_new(ax, size=(6.4, max(1.6 + 0.26 * len(shown), 2.6))))
    for place, column in enumerate(shown):
        _bar(ax, place, column)
    if not np.isnan(report.mean):
        ax.axvline(
            report.mean,
            color=QUIET,
            linewidth=1,
            linestyle=(0, (4, 3)),
            zorder=0.5,
            label=f"mean {report.mean:.2f}",
        )
    names = short_names((column.name for column in shown), 30)
    ax.set_yticks(range(len(shown)), names)
    ax.tick_params(axis="y", length=0)
    guesses = [column.guess for column in shown]
    ax.plot(guesses, range(len(shown)), **GUESSING)
    longest = np.nanmax([_loss(shown[0]), 0.05, *guesses])
    ax.set(xlim=(0, 1.12 * longest), ylim=(len(shown) - 0.4, -0.6))
    hidden = len(worst) - len(shown)
    rest = f"; {hidden} columns that lost less are not shown" if hidden else ""
    measure = OWN_ROWS if report.by_own_rows else ""
    ax.set_xlabel(f"distortion{measure}{rest}")
    _name_kinds(ax, shown)
    return ax


def compression_curve(
    model: Any,
    table: Any,
    sizes: Sequence[int] | None = None,
    *,
    by_kind: bool = False,
    ax: Any = None,
) -> Any:
    """Draw how much of a table is lost at which number of coordinates.

    Parameters
    ----------
    model : RFAE or dict of str to RFAE
        A model fitted with the largest number of coordinates; smaller ones are its
        first coordinates, ``model.truncate(size)``. A dict draws several models and
        names them.
    table : data frame or array of shape (n_rows, n_columns)
        The rows to reconstruct; rows the model has not seen tell the truth.
    sizes : list of int or None, default=None
        Numbers of coordinates; None takes up to 8 from 1 to all.
    by_kind : bool, default=False
        Also draw the mean over the numbers and over the categories alone.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure. Curves that are there already stay,
        so that several calls compare models.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE, plot
    >>> table = load_iris(as_frame=True).frame
    >>> model = RFAE(3, forest="completely_random", random_state=0).fit(table[::2])
    >>> ax = plot.compression_curve(model, table[1::2])
    >>> ax.get_lines()[0].get_xdata().tolist()
    [1, 2, 3]
    """
    models = dict(model) if isinstance(model, Mapping) else {"": model}
    chosen = {name: _sizes(fitted, sizes) for name, fitted in models.items()}
    reports = {
        name: [_lost(fitted, table, size) for size in chosen[name]]
        for name, fitted in models.items()
    }
    ax = tidy(axes_or_new(ax))
    for name, series in reports.items():
        solid = [line for line in ax.get_lines() if line.get_linestyle() == "-"]
        colour = PALETTE[len(solid) % len(PALETTE)]
        label = short(name) if name else ("all columns" if by_kind else None)
        losses = [report.mean for report in series]
        (line,) = ax.plot(chosen[name], losses, "o-", color=colour, label=label)
        # The axis begins at 0 and still makes room for curves that are drawn later.
        line.sticky_edges.y.append(0.0)
        if by_kind:
            _kind_curves(ax, chosen[name], series, colour, prefix=name)
    ax.set(xlabel="number of coordinates", ylabel="distortion")
    ax.update_datalim([(1, 0.0)], updatex=False)
    ax.autoscale_view()
    ax.xaxis.get_major_locator().set_params(integer=True)
    if ax.get_legend_handles_labels()[1]:
        ax.legend(frameon=False)
    return ax


def _report(original: Any, reconstructed: Any, kinds: Any, training: Any) -> Distortion:
    if isinstance(original, Distortion):
        if any(given is not None for given in (reconstructed, kinds, training)):
            message = (
                "original is a report already. Leave out reconstructed, kinds and "
                "training, or give two tables."
            )
            raise TypeError(message)
        return original
    check_is_table(original)
    if reconstructed is None:
        message = (
            "reconstructed is missing. Give the table as it came back, such as "
            "model.reconstruct(table), or one report of metrics.distortion."
        )
        raise TypeError(message)
    return distortion(original, reconstructed, kinds=kinds, training=training)


def _loss(column: ColumnDistortion) -> float:
    return -1.0 if np.isnan(column.distortion) else column.distortion


def _bar(ax: Any, place: int, column: ColumnDistortion) -> None:
    known = not np.isnan(column.distortion)
    length = column.distortion if known else 0.0
    colour = NUMBER if column.kind.is_number else CATEGORY
    ax.barh(place, length, height=0.72, color=colour)
    ax.annotate(
        f"{length:.2f}" if known else "no values",
        (length, place),
        xytext=(3, 0),
        textcoords="offset points",
        va="center",
        fontsize="small",
        color=QUIET,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
    )


def _name_kinds(ax: Any, shown: list[ColumnDistortion]) -> None:
    kinds = {column.kind.is_number for column in shown}
    patches = require("matplotlib.patches", extra="plot")
    handles = [
        patches.Patch(color=colour, label=label)
        for is_number, colour, label in (
            (True, NUMBER, "numbers"),
            (False, CATEGORY, "categories"),
        )
        if is_number in kinds
    ]
    ax.legend(
        handles=[*handles, *ax.get_legend_handles_labels()[0]],
        frameon=False,
        ncols=4,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.2,
        columnspacing=1.4,
    )


def _sizes(model: Any, sizes: Sequence[int] | None) -> list[int]:
    check_model(model)
    training_rows(model)
    largest = model.encoder_.n_components
    if sizes is None:
        return np.unique(
            np.linspace(1, largest, MOST_SIZES).round().astype(int)
        ).tolist()
    chosen = [check_integer("sizes", size, minimum=1) for size in sizes]
    if not chosen or max(chosen) > largest:
        message = (
            f"sizes={list(sizes)!r} cannot be drawn: the model has {largest} "
            f"coordinates. Give sizes from 1 to {largest}, or fit with more."
        )
        raise ValueError(message)
    return sorted(set(chosen))


def _lost(model: Any, table: Any, size: int) -> Distortion:
    largest = model.encoder_.n_components
    small = model if size == largest else model.truncate(size)
    return small.distortion(table)


def _kind_curves(
    ax: Any, sizes: list[int], reports: list[Distortion], colour: str, *, prefix: str
) -> None:
    for is_number, dashes, what in (
        (True, (4, 2), "numbers"),
        (False, (1, 1.5), "categories"),
    ):
        parts = [
            Distortion(
                tuple(c for c in report.columns if c.kind.is_number == is_number)
            )
            for report in reports
        ]
        if not parts[0].columns:
            continue
        label = f"{short(prefix)}, {what}" if prefix else what
        losses = [part.mean for part in parts]
        ax.plot(sizes, losses, color=colour, linestyle=(0, dashes), label=label)
