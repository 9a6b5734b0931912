"""Put cells where a table has none, and leave the others as they are."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from latentforest._base._types import Bools, Codes
from latentforest.table._codec import TableCodec
from latentforest.table._frames import (
    NumberColumn,
    RawColumn,
    TimeColumn,
    fill_anndata,
    index_of,
    is_anndata,
    open_table,
)
from latentforest.table._match import match_columns
from latentforest.table._ticks import NAT


def fill_table(codec: TableCodec, X: Any, codes: Codes) -> Any:
    """Return a table with its missing cells set to those that codes stand for.

    A table of another library than the fitted one comes back as one of that.
    """
    filled = codec.decode(codes, index=index_of(X))
    table = open_table(X, codec.schema_.names)
    if type(X) is not type(filled):
        return filled
    places = match_columns(table, codec.schema_, caller="fill_gaps")
    missing = np.column_stack([_missing(table.column(j)) for j in places])
    if isinstance(X, np.ndarray):
        return np.where(missing, filled, X)
    if nw.dependencies.is_pandas_dataframe(X):
        return _fill_pandas(X, filled, missing, places)
    if is_anndata(X):
        return fill_anndata(X, filled, missing, places)
    frame, other = nw.from_native(X), nw.from_native(filled)
    for j, place in enumerate(places):
        name = frame.columns[place]
        if missing[:, j].any():
            own = frame[name]
            there = nw.new_series(
                "", ~missing[:, j], nw.Boolean, backend=frame.implementation
            )
            new = other[:, j].cast(own.dtype)
            frame = frame.with_columns(own.zip_with(there, new).alias(name))
    return frame.to_native()


def _missing(column: RawColumn) -> Bools:
    if isinstance(column, NumberColumn):
        return np.isnan(column.numbers)
    if isinstance(column, TimeColumn):
        return column.counts == NAT
    return column.index < 0


def _fill_pandas(X: Any, filled: Any, missing: Bools, places: list[int]) -> Any:
    out = X.reset_index(drop=True)
    columns = [out.iloc[:, place] for place in range(out.shape[1])]
    for j, place in enumerate(places):
        if missing[:, j].any():
            new = filled.iloc[:, j].reset_index(drop=True)
            columns[place] = columns[place].mask(missing[:, j], new)
    full = type(X)(dict(enumerate(columns)))
    full.columns, full.index = X.columns, X.index
    return full
