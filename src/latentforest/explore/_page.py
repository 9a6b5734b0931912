"""Write the explorer page."""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

from latentforest._base._complete import completed
from latentforest._base._random import RandomState, stage_rngs
from latentforest._fitted import PACKED
from latentforest._latent import check_model
from latentforest.explore._axes import axis_columns
from latentforest.explore._decoder import page_decoder
from latentforest.explore._html import build_page
from latentforest.explore._notebook import ExplorerPage
from latentforest.explore._payload import make_payload
from latentforest.explore._request import check_request
from latentforest.explore._rows import (
    decoder_rows,
    means_oddness,
    oddness_colour,
    shown_rows,
)


def write_page(
    model: Any,
    table: Any = None,
    path: str | PathLike[str] = "explore.html",
    *,
    color_by: Any = None,
    columns: Sequence[Any] | None = None,
    sample: int | None = None,
    image_shape: tuple[int, int] | None = None,
    title: str | None = None,
    random_state: RandomState = 0,
) -> ExplorerPage:
    """Write one HTML file in which a latent space can be walked.

    The page needs no network and no server. It shows the rows as points; a click
    anywhere, on a point or between points, decodes that position in the browser, by
    the model's own decoder if it blends rows ("knn", "local_linear", "auto") and by
    k-NN with 20 training rows otherwise, and says how sure each cell is.

    The file holds the rows that are shown and the rows that the decoder blends:
    whoever has the file has these rows. ``columns`` and ``sample`` leave some out.

    Parameters
    ----------
    model : RFAE
        A fitted model.
    table : data frame or array of shape (n_rows, n_columns), default=None
        The rows to show; None shows the training rows. A data frame may have columns
        that were not fitted: they are left out unless ``columns`` or ``color_by``
        names them.
    path : path, default="explore.html"
        Where to write. The file is written under another name and renamed.
    color_by : column name or array of shape (n_rows,), default=None
        What colours the points at first; "oddness" is how odd each row is.
    columns : list of column names or None, default=None
        The columns that are shown, decoded and put into the file; None takes all
        fitted ones.
    sample : int or None, default=None
        At most so many rows, drawn at random. Those left out are not in the file, so
        that the page decodes from the others only. None takes all rows, up to 200,000.
    image_shape : tuple of int or None, default=None
        Height and width, where the columns are the pixels of a picture, row by row.
    title : str or None, default=None
        Heading of the page; None writes "Latent space".
    random_state : int, Generator, RandomState or None, default=0
        Seed of the draw.

    Returns
    -------
    Path
        Where the file is. As the last line of a notebook's cell it shows the page
        there, up to 3 MB; the rows are then in the notebook, too.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import RFAE
    >>> from latentforest.explore import write_page
    >>> table = load_iris(as_frame=True).frame
    >>> model = RFAE(n_components=2, decoder="knn", random_state=0).fit(table)
    >>> with TemporaryDirectory() as folder:
    ...     page = write_page(model, path=Path(folder) / "iris.html", color_by="target")
    ...     page.name, page.stat().st_size > 10_000
    ('iris.html', True)
    """
    if isinstance(table, (str, PathLike)):
        message = (
            f"table={str(table)!r} is a path. Give path= to say where the page goes, "
            "and as table the rows to show: a data frame, or nothing for the training "
            "rows."
        )
        raise TypeError(message)
    check_model(model, "decoder_")
    odd = means_oddness(color_by, model, table)
    request = check_request(
        model,
        table,
        path,
        color_by=None if odd else color_by,
        columns=columns,
        sample=sample,
        image_shape=image_shape,
        title=title,
    )
    known = page_decoder(model)
    if odd:
        request = replace(request, color_cells=oddness_colour(model, table))
    rng = stage_rngs(random_state, "rows")["rows"]
    shown = shown_rows(model, table, request, rng)
    rows = decoder_rows(
        model, shown, known.n_rows, of_training=table is None, sample=sample, rng=rng
    )
    axes = axis_columns(model, request)
    note = PACKED if model.is_packed_ else None
    payload = make_payload(request, model.schema_, shown, known, rows, axes, note)
    with completed(request.path) as unfinished:
        unfinished.write_text(build_page(payload), encoding="utf-8")
    return ExplorerPage.at(request.path, request.title)
