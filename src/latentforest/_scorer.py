"""Rows to coordinates, and nothing else: what a small service needs of a model."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Self

from latentforest._base._checks import check_option
from latentforest._base._errors import SchemaError
from latentforest._base._names import MODEL
from latentforest._base._section import Section
from latentforest._base._types import Coords
from latentforest.files import load_model
from latentforest.placing import StoredPlacer
from latentforest.table import TableCodec, TableSchema


class Scorer:
    """``transform`` of a fitted model, without pandas and scikit-learn.

    Rows come as plain Python or NumPy and get the bits that ``transform`` gives them.
    Neither loading nor scoring imports pandas, polars, pyarrow, matplotlib or
    scikit-learn: a process starts sooner and takes less memory. What does not fit is
    refused as ``transform`` refuses it; levels that ``fit`` has not seen are treated
    as the model's ``unseen`` says.

    Make one with `Scorer.load` or `Scorer.of`.

    Parameters
    ----------
    codec : TableCodec
        Cells to codes.
    placer : StoredPlacer
        Codes to coordinates.

    Attributes
    ----------
    schema : TableSchema
        The columns; ``schema.names`` are their names in order.
    n_components : int
        Coordinates of a row.

    Examples
    --------
    >>> import pandas as pd
    >>> from latentforest import RFAE, Scorer
    >>> table = pd.DataFrame({"size": range(40), "colour": ["red", "blue"] * 20})
    >>> model = RFAE(random_state=0).fit(table)
    >>> path = model.save("model.lf")
    >>> scorer = Scorer.load("model.lf")
    >>> z = scorer.transform({"size": 7, "colour": "blue"})
    >>> z.shape
    (1, 2)
    >>> bool((z == model.transform(table[7:8])).all())
    True
    >>> bool((z == scorer.transform([[7, "blue"]])).all())
    True
    >>> path.unlink()
    """

    def __init__(self, codec: TableCodec, placer: StoredPlacer) -> None:
        self._codec, self._placer = codec, placer

    @property
    def schema(self) -> TableSchema:
        """The columns as fitted."""
        return self._codec.schema_

    @property
    def n_components(self) -> int:
        """Coordinates of a row."""
        return self._placer.n_components

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what places rows from a model file.

        Every array that is used is checked, as ``RFAE.load`` does; those that only
        decoding needs are not read.

        Parameters
        ----------
        path : path
            The file, with or without training rows.

        Returns
        -------
        Scorer
        """
        return load_model(path, cls, whole=False)

    @classmethod
    def of(cls, model: Any) -> Self:
        """Return the scorer of a fitted model.

        Parameters
        ----------
        model : RFAE
            The fitted model.

        Returns
        -------
        Scorer
        """
        from latentforest._latent import (  # noqa: PLC0415 (loads scikit-learn)
            check_model,
        )

        check_model(model)
        return cls(model.codec_, StoredPlacer.of(model.encoder_))

    @classmethod
    def take(cls, manifest: Section) -> Self:
        """Read what places rows from an open model file."""
        check_option("model", manifest.text("model"), (MODEL,))
        unseen = manifest.section("kernel").text("unseen")
        unseen = check_option("unseen", unseen, ("missing", "error", "nearest"))
        schema = TableSchema.take(manifest.section("schema"))
        codec = TableCodec.from_schema(schema, unseen=unseen)
        return cls(codec, StoredPlacer.take(manifest, schema))

    def transform(self, rows: Any) -> Coords:
        """Coordinates of rows.

        Parameters
        ----------
        rows : dict, list of dicts, list of lists, or array of shape (n_rows, n_columns)
            Each row as a dict of column name to cell, in any order; or as a list of
            cells in the order of the columns. Cells are numbers, text, booleans,
            dates, times, decimals; None and NaN are missing.

        Returns
        -------
        ndarray of shape (n_rows, n_components)
        """
        codes = self._codec.encode(self._by_name(rows), caller=type(self).__name__)
        return self._placer.locate(codes.values)

    def _by_name(self, rows: Any) -> Any:
        """Give the cells of lists their names; all else is known already."""
        if not (isinstance(rows, list | tuple) and rows):
            return rows
        if isinstance(rows[0], Mapping):
            return list(rows)
        if not isinstance(rows[0], list | tuple):
            return rows
        names, named = self.schema.names, []
        for number, row in enumerate(rows):
            if not isinstance(row, Sequence) or len(row) != len(names):
                found = len(row) if isinstance(row, Sequence) else "no"
                message = (
                    f"Row {number} has {found} cells, but {type(self).__name__} is "
                    f"expecting {len(names)}. Give each row one cell per column, in "
                    "the order of schema.names, None where it is missing."
                )
                raise SchemaError(message)
            named.append(dict(zip(names, row, strict=True)))
        return named
