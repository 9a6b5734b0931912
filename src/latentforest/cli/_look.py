"""plot and explore: a model, some rows, and a picture or a page of them."""

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from latentforest import RFAE, plot
from latentforest._base._checks import listed
from latentforest._base._complete import completed
from latentforest._base._errors import DataError, UsageError
from latentforest._base._optional import require
from latentforest._fitted import PACKED
from latentforest._odd_rows import ODDNESS
from latentforest.cli._models import load, load_decoder
from latentforest.cli._notes import Notes, size_of
from latentforest.cli._sink import check_output
from latentforest.cli._tables import model_table
from latentforest.reading import (
    Dialect,
    columns_to_read,
    frame_of,
    infer_columns,
    is_text,
    open_files,
    words_of,
)

PICTURES = (".png", ".svg", ".pdf")
PAGES = (".html", ".htm")


def read_rows(
    model: RFAE, path: str, dialect: Dialect, extra: Sequence[str], notes: Notes
) -> tuple[Any, dict[str, Any]]:
    """Return rows as the model takes them, and further columns as read."""
    with open_files(path, dialect) as source:
        columns = columns_to_read(source, model.schema_)
        source.require(extra, "column")
        n_told = notes.warn_each(source.notes)
        with notes.progress(f"reading {source.label}") as bar:
            block = source.whole(list(dict.fromkeys([*columns, *extra])), bar)
        notes.warn_each(source.notes, n_told)  # what reading has shown
        table = model_table(source, block, columns, model.schema_, 0)
        more = {name: block.column(name) for name in extra}
        if source.is_text:
            text = {n: words_of(c) for n, c in more.items() if is_text(c.type)}
            found = infer_columns(text, source.dialect, {})
            more |= {name: column.values for name, column in found.items()}
    return table, more


class View:
    """A model and the rows to show."""

    def __init__(
        self,
        model: RFAE,
        path: str | None,
        dialect: Dialect,
        color_by: str | None,
        notes: Notes,
    ) -> None:
        self.model = model
        self.table: Any = None
        self.color: Any = None
        fitted = {str(name): name for name in model.schema_.names}
        if color_by in fitted:
            self.color = fitted[color_by]
        elif color_by == ODDNESS:
            self.color = ODDNESS
        elif color_by is not None and path is None:
            raise _not_in_model("--color-by", color_by, model)
        if path is not None:
            known = {*fitted, ODDNESS}
            other = [] if color_by is None or color_by in known else [color_by]
            self.table, more = read_rows(model, path, dialect, other, notes)
            if other:
                self.color = _series(more[other[0]], other[0])

    def rows(self) -> Any:
        """Return the rows to reconstruct: those of the table, or the training rows."""
        if self.table is not None:
            return self.table
        kernel = self.model.kernel_
        return kernel.codec_.decode(kernel.table_.values)


def _not_in_model(option: str, name: str, model: RFAE) -> DataError:
    return DataError(
        f"{option} {name}: the model has no such column. It has "
        f"{listed(model.schema_.names, 12)}. For another column, give a table that "
        "has it."
    )


def _series(cells: Any, name: str) -> Any:
    return frame_of({name: cells})[name]


def _check_axes(view: View, n_axes: int) -> None:
    n_fitted = view.model.encoder_.n_components
    if n_fitted < n_axes:
        message = (
            f"The model has {n_fitted} coordinates, the picture needs {n_axes}. Fit "
            f"with --components {n_axes}, or plot spectrum, distortion or curve."
        )
        raise DataError(message)


def _latent(view: View, n_axes: int) -> Any:
    _check_axes(view, n_axes)
    axes = tuple(range(n_axes))
    return plot.latent(view.model, view.table, view.color, axes=axes)


def _pairs(view: View) -> Any:
    _check_axes(view, 2)
    return plot.pairs(view.model, view.table, view.color)


def _film(view: View) -> Any:
    _check_axes(view, 2)
    return plot.film(view.model, view.table, view.color)


def _distortion(view: View) -> Any:
    return plot.column_distortion(view.model.distortion(view.rows()))


def _reconstruction(view: View) -> Any:
    rows, model = view.rows(), view.model
    back = model.reconstruct(rows)
    return plot.reconstruction(rows, back, training=model.yardstick_)


def _trials(view: View) -> Any:
    if not getattr(view.model, "tried_", None):
        message = (
            "This model holds no trials: they are made by fit --auto and left out by "
            "--drop-training."
        )
        raise DataError(message)
    return plot.trials(view.model)


PLOTS: dict[str, Callable[[View], Any]] = {
    "scatter": lambda view: _latent(view, 2),
    "3d": lambda view: _latent(view, 3),
    "pairs": _pairs,
    "spectrum": lambda view: plot.spectrum(view.model),
    "distortion": _distortion,
    "curve": lambda view: plot.compression_curve(view.model, view.rows()),
    "reconstruction": _reconstruction,
    "film": _film,
    "trials": _trials,
}
_NEED_DECODER = {"distortion", "curve", "reconstruction"}
_OF_MODEL = {"spectrum", "trials"}
_OF_MAP = {"scatter", "3d", "pairs"}


def draw(
    model_path: str,
    path: str | None,
    out: str,
    what: str,
    color_by: str | None,
    dialect: Dialect,
    notes: Notes,
) -> None:
    """Draw a picture into a file."""
    if what not in PLOTS:
        message = f"--what {what} is not known. Choose one of {', '.join(PLOTS)}."
        raise UsageError(message)
    if PurePath(out).suffix.lower() not in PICTURES:
        message = f"{out}: pictures are .png, .svg or .pdf. Give one of these suffixes."
        raise DataError(message)
    inputs = (model_path,) if path is None else (model_path, path)
    check_output(out, inputs)
    require("matplotlib", extra="plot").use("Agg")
    model = load_decoder(model_path) if what in _NEED_DECODER else load(model_path)
    view = View(model, path, dialect, color_by, notes)
    axes = np.ravel(PLOTS[what](view))
    figure = next(ax for ax in axes if ax is not None).figure
    if path is None and what in _NEED_DECODER:
        figure.suptitle("training rows: new rows lose more", x=0.99, ha="right", size=8)
    with completed(out) as unfinished:
        suffix = PurePath(out).suffix[1:].lower()
        figure.savefig(unfinished, dpi=150, format=suffix)
    require("matplotlib.pyplot", extra="plot").close(figure)
    shown = model_path if what in _OF_MODEL else _named(model_path, path)
    notes.say(f"{out}: {what} of {shown}, {size_of(out)}")
    if what in _OF_MAP and model.is_packed_:
        notes.say(PACKED)


def explore(
    model_path: str,
    path: str | None,
    out: str,
    dialect: Dialect,
    notes: Notes,
    *,
    color_by: str | None,
    columns: list[str] | None,
    sample: int | None,
    image_shape: tuple[int, int] | None,
    title: str | None,
) -> None:
    """Write the explorer page."""
    if PurePath(out).suffix.lower() not in PAGES:
        message = f"{out}: pages are .html files. Give -o such a name."
        raise DataError(message)
    check_output(out, (model_path,) if path is None else (model_path, path))
    model = load_decoder(model_path)
    fitted = {str(name): name for name in model.schema_.names}
    asked = [*(columns or ()), *([] if color_by in {None, ODDNESS} else [color_by])]
    other = list(dict.fromkeys(name for name in asked if name not in fitted))
    table: Any = None
    if path is None and other:
        option = "--color-by" if other[0] == color_by else "--columns"
        raise _not_in_model(option, other[0], model)
    if path is not None:
        table, more = read_rows(model, path, dialect, other, notes)
        for name, cells in more.items():
            table = _with_column(table, name, cells)
    with completed(out) as unfinished:
        model.explore(
            table,
            unfinished,
            color_by=fitted.get(color_by, color_by) if color_by else None,
            columns=None if columns is None else [fitted.get(c, c) for c in columns],
            sample=sample,
            image_shape=image_shape,
            title=title,
        )
    notes.say(
        f"{out}: {size_of(out)}, opens in any browser. The rows are in the file: give "
        "--columns or --sample to leave some out."
    )
    if model.is_packed_:
        notes.say(PACKED)


def _with_column(table: Any, name: str, cells: Any) -> Any:
    if hasattr(table, "append_column"):
        return table.append_column(name, cells)
    return table.assign(**{name: _series(cells, name).to_numpy()})


def _named(model_path: str, path: str | None) -> str:
    return f"the training rows of {model_path}" if path is None else path


def read_shape(text: str | None) -> tuple[int, int] | None:
    """Read HEIGHTxWIDTH."""
    if text is None:
        return None
    height, _, width = text.lower().partition("x")
    if not (height.isdecimal() and width.isdecimal()):
        message = f"--image-shape {text}: write HEIGHTxWIDTH, such as 28x28."
        raise UsageError(message)
    return int(height), int(width)
