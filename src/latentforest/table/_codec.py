"""Tables to codes and back."""

from collections.abc import Hashable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, get_args

import numpy as np

from latentforest._base._checks import check_option
from latentforest._base._errors import ModelFileError
from latentforest._base._section import Section
from latentforest._base._types import Codes
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._columns import (
    Unseen,
    codes_of_levels,
    encode_column,
    settle_codes,
)
from latentforest.table._frames import (
    NumberColumn,
    RawColumn,
    build_table,
    index_of,
    open_table,
)
from latentforest.table._infer import infer_column
from latentforest.table._kinds import ColumnKind
from latentforest.table._match import match_columns
from latentforest.table._plain_cells import plain_codes
from latentforest.table._schema import EncodedTable, TableSchema
from latentforest.table._survey import ColumnSurvey
from latentforest.table._table_survey import (
    TableSurvey,
    kinds_by_position,
    refuse_infinite,
)


class TableCodec:
    """Learn the columns of a table, then turn tables into codes and back.

    Accepts pandas and polars data frames, pyarrow tables, AnnData and arrays.
    Decoding gives a table of the library, dtypes, levels and column order that were
    fitted.

    Parameters
    ----------
    kinds : dict or None, default=None
        Column name (for arrays also its position) to :class:`ColumnKind`, its name
        or its levels in order. Columns not listed are inferred;
        ``schema_.report()`` tells how. A list of levels, the lowest first, makes an
        ordered column of these; it may name levels that no row has. ``"ordered"``
        takes the order of numbers, of ordered categoricals and of an Enum; text has
        none and is refused.
    unseen : {'missing', 'error'}, default='missing'
        What to do with a category that fit has not seen: treat the cell as missing, so
        that its row goes where the other cells say, with a warning; or refuse the
        table. Where levels are numbers in order (integers with few values), any number
        goes to the nearest level.

    Attributes
    ----------
    schema_ : TableSchema
        The columns as fitted.

    Notes
    -----
    Missing are None, NaN, NaT, NA and null, and all decode to the missing value of
    the column's dtype (null for polars and pyarrow, also where the cell was NaN).
    Plain integers that get a missing cell decode to floats, as in pandas. Integers
    are rounded half to even and stop at the bounds of their dtype.
    Floats are rounded to the decimals that the fitted column had, dates and times to
    its resolution: a column of days decodes to days, one of local midnights in a time
    zone to local midnights. New dates may come in another unit or zone, and of another
    library; whether they have a zone at all must be as in fit. Decimals are numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1.5, 2.25, 3.0], "colour": ["b", "a", None]})
    >>> codec = TableCodec().fit(table)
    >>> codec.encode(table).values
    array([[1.5 , 1.  ],
           [2.25, 0.  ],
           [3.  ,  nan]])
    >>> codec.decode(codec.encode(table).values).equals(table)
    True
    >>> strict = TableCodec(unseen="error").fit(table)
    >>> strict.encode(pd.DataFrame({"size": [1.0], "colour": ["c"]}))
    Traceback (most recent call last):
    ...
    latentforest._base._errors.UnseenLevelsError: Column 'colour' holds values that
    were not seen in fit: 'c'. Known are: 'a', 'b'. Fit on a table that has them, or use
    unseen='missing' to treat them as missing.
    """

    schema_: TableSchema

    def __init__(
        self,
        kinds: Mapping[Any, str | Sequence[Any]] | None = None,
        unseen: Unseen = "missing",
    ) -> None:
        self.kinds = kinds
        self.unseen = unseen

    @classmethod
    def from_schema(
        cls, schema: TableSchema, *, unseen: Unseen = "missing"
    ) -> "TableCodec":
        """Return a fitted codec from a schema that was kept."""
        kinds: dict[Any, str | Sequence[Any]] = {
            column.name: column.levels if _is_listed(column) else column.kind
            for column in schema.columns
        }
        codec = cls(kinds, unseen)
        codec.settle(schema)
        return codec

    @classmethod
    def take(cls, section: Section, *, unseen: Unseen = "missing") -> "TableCodec":
        """Rebuild a codec from a model file; tables can be built with it."""
        codec = cls.from_schema(TableSchema.take(section), unseen=unseen)
        _try_to_build(codec)
        return codec

    def fit(self, X: Any) -> "TableCodec":
        """Learn kinds, levels, decimals and ranges of the columns of ``X``."""
        check_option("unseen", self.unseen, get_args(Unseen))
        self.settle(TableSurvey.of(X, self.kinds).schema().labelled(index_of(X)))
        return self

    def fit_encode(self, X: Any) -> EncodedTable:
        """Fit and encode in one reading of the table."""
        check_option("unseen", self.unseen, get_args(Unseen))
        table = open_table(X)
        kinds = kinds_by_position(self.kinds, table)
        codes = np.empty((table.n_rows, table.n_columns))
        specs: list[ColumnSpec] = []
        infinite: list[Hashable] = []
        for j in range(table.n_columns):
            column = table.column(j)
            survey = ColumnSurvey.of(column, kinds.get(j))
            if survey.is_infinite:
                infinite.append(column.name)
                continue
            specs.append(infer_column(survey))
            codes[:, j] = encode_column(column, specs[-1], unseen="error")
        refuse_infinite(infinite)
        schema = TableSchema(tuple(specs), table.container)
        self.settle(schema.labelled(index_of(X)))
        return EncodedTable(self.schema_, codes)

    def encode(
        self, X: Any, *, caller: str = "TableCodec", to_nearest: bool = True
    ) -> EncodedTable:
        """Turn a table with the fitted columns into codes.

        Parameters
        ----------
        X : table
            Any library; data frames must have the fitted names, in any order, arrays
            the fitted number of columns. Rows may also come as a dict, or as a
            list of dicts, of column name to cell.
        caller : str, default='TableCodec'
            Who asks, for the error about the number of columns.
        to_nearest : bool, default=True
            Whether any number goes to the nearest level where levels are numbers in
            order; if not, one that fit has not seen counts as other levels do.
        """
        schema = self._fitted_schema()
        check_option("unseen", self.unseen, get_args(Unseen))
        table = open_table(X, schema.names)
        places = match_columns(table, schema, caller=caller)
        codes = np.empty((table.n_rows, table.n_columns))
        infinite: list[Hashable] = []
        for j, spec in enumerate(schema.columns):
            if table.cells is not None:
                cells = table.cells(places[j])
                plain = plain_codes(cells, spec, self._codes_of_levels[j])
                if plain is not None:
                    codes[:, j] = plain
                    continue
            column = table.column(places[j])
            if _has_infinite(column):
                infinite.append(spec.name)
                continue
            codes[:, j] = encode_column(
                column, spec, unseen=self.unseen, to_nearest=to_nearest
            )
        refuse_infinite(infinite)
        return EncodedTable(schema, codes)

    def decode(self, values: Codes, *, index: Any = None) -> Any:
        """Turn codes into a table of the fitted library and dtypes.

        Parameters
        ----------
        values : ndarray, shape (n_rows, n_columns)
            Codes as :meth:`encode` gives them; NaN is missing.
        index : pandas index, optional
            The row index of the result, see :func:`index_of`. Other libraries have
            none and pass over it.
        """
        schema = self._fitted_schema()
        codes = np.asarray(values, dtype=np.float64)
        if codes.ndim != 2 or codes.shape[1] != schema.n_columns:
            message = (
                f"Codes have the shape {codes.shape}, but the table has "
                f"{schema.n_columns} columns. Give an array of shape "
                f"(n_rows, {schema.n_columns})."
            )
            raise ValueError(message)
        settled = np.empty_like(codes, order="F")  # written and read by column
        for j, spec in enumerate(schema.columns):
            settled[:, j] = settle_codes(spec, codes[:, j])
        return build_table(schema, settled, index=index)

    def settle(self, schema: TableSchema) -> None:
        """Take the columns as known."""
        self.schema_ = schema
        self._codes_of_levels = [codes_of_levels(column) for column in schema.columns]

    def _fitted_schema(self) -> TableSchema:
        if not hasattr(self, "schema_"):
            from sklearn.exceptions import (  # noqa: PLC0415 (which takes a second)
                NotFittedError,
            )

            message = "This TableCodec is not fitted yet. Call fit first."
            raise NotFittedError(message)
        return self.schema_


def _is_listed(column: ColumnSpec) -> bool:
    """Whether the order of the levels has to be said."""
    named = column.kind is ColumnKind.ordered and not column.storage.is_numeric
    return named and column.n_levels > 0


def _has_infinite(column: RawColumn) -> bool:
    return isinstance(column, NumberColumn) and bool(np.isinf(column.numbers).any())


def _try_to_build(codec: TableCodec) -> None:
    """Make three rows as decoders will, so that nothing is left to fail later."""
    schema = codec.schema_
    if schema.container != "numpy" and find_spec(schema.container) is None:
        return  # decoding will say which package is missing
    codes = np.full((3, schema.n_columns), np.nan)
    for number, column in enumerate(schema.columns):
        if column.is_number:
            if column.storage.is_numeric:
                codes[:2, number] = column.lower, column.upper
        elif column.levels:
            codes[:2, number] = 0, column.n_levels - 1
    try:
        codec.decode(codes)
    except Exception as exc:
        reason = " ".join(f"{type(exc).__name__}: {exc}".split())
        message = (
            f"{schema.container} cannot build a table with the columns of the model "
            f"({reason}). Install the {schema.container} that it was saved with, or "
            "get another copy of the file."
        )
        raise ModelFileError(message) from exc
