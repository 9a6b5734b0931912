"""Ways out of and into a fitted model: files, serving, the explorer page."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Self

from latentforest._latent import LatentModel
from latentforest.explore import write_page
from latentforest.files import load_model, save_model
from latentforest.serving import to_onnx


class Doors(LatentModel):
    """A fitted model that can be saved, served and looked at."""

    def save(self, path: str | PathLike[str], *, drop_training: bool = False) -> Path:
        """Write the fitted model to a file.

        The file holds plain arrays and settings, nothing that is executed, and needs
        neither the training table nor scikit-learn's version of today to be loaded.
        It is written under another name and renamed when complete.

        Parameters
        ----------
        path : path
            Where to write, by custom with the suffix ``.lf``.
        drop_training : bool, default=False
            Keep only what ``transform`` needs. Otherwise the training rows are in the
            file, since decoders blend them.

        Returns
        -------
        Path
        """
        return save_model(self, path, drop_training=drop_training)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model that ``save`` wrote: coordinates and rows are the same bits.

        Every array is checked before it is used, and nothing in the file is executed,
        so files of strangers are safe to load.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        RFAE
        """
        return load_model(path, cls)

    def to_onnx(self, path: str | PathLike[str] | None = None) -> Any:
        """Translate ``transform`` to ONNX (extra ``onnx``); see `latentforest.serving`.

        Parameters
        ----------
        path : path or None, default=None
            Where to write it too; None only returns it.

        Returns
        -------
        onnx.ModelProto
        """
        return to_onnx(self, path)

    def explore(
        self,
        table: Any = None,
        path: str | PathLike[str] = "explore.html",
        *,
        color_by: Any = None,
        columns: Sequence[Any] | None = None,
        sample: int | None = None,
        image_shape: tuple[int, int] | None = None,
        title: str | None = None,
    ) -> Path:
        """Write a page in which the latent space can be walked: one HTML file.

        A click anywhere decodes that position in the browser. The rows are embedded in
        the file: give ``columns`` or ``sample`` to leave some out.

        Parameters
        ----------
        table : data frame or array of shape (n_rows, n_columns), default=None
            The rows to show; None shows the training rows.
        path : path, default="explore.html"
            Where to write.
        color_by : column name or array of shape (n_rows,), default=None
            What colours the points at first.
        columns : list of column names or None, default=None
            The columns that are put into the file; None takes all.
        sample : int or None, default=None
            At most so many rows, drawn at random.
        image_shape : tuple of int or None, default=None
            Height and width, where rows are pictures.
        title : str or None, default=None
            Heading of the page.

        Returns
        -------
        Path
        """
        return write_page(
            self,
            table,
            path,
            color_by=color_by,
            columns=columns,
            sample=sample,
            image_shape=image_shape,
            title=title,
        )
