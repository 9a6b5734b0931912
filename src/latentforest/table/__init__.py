"""Tables to codes and back: column kinds, levels, decimals, missing values."""

from latentforest.table._batches import Batches as Batches
from latentforest.table._batches import Derived as Derived
from latentforest.table._batches import Whole as Whole
from latentforest.table._batches import learn as learn
from latentforest.table._batches import read_rows as read_rows
from latentforest.table._batches import split_rows as split_rows
from latentforest.table._codec import TableCodec
from latentforest.table._column_spec import ColumnSpec
from latentforest.table._columns import encode_column as encode_column
from latentforest.table._columns import round_decimals as round_decimals
from latentforest.table._fill import fill_table as fill_table
from latentforest.table._frames import COORDS as COORDS
from latentforest.table._frames import (
    NumberColumn,
    RawColumn,
    RawTable,
    TimeColumn,
    index_of,
    open_table,
)
from latentforest.table._frames import arrow_type as arrow_type
from latentforest.table._frames import is_anndata as is_anndata
from latentforest.table._frames import is_dask as is_dask
from latentforest.table._frames import shape_of as shape_of
from latentforest.table._frames import time_cells as time_cells
from latentforest.table._frames import time_column as time_column
from latentforest.table._frames import time_spans as time_spans
from latentforest.table._kept import Kept as Kept
from latentforest.table._kept import hashes_of as hashes_of
from latentforest.table._kinds import ColumnKind
from latentforest.table._kinds import Level as Level
from latentforest.table._kinds import Storage as Storage
from latentforest.table._labels import labels_of as labels_of
from latentforest.table._match import check_names
from latentforest.table._names import one_nan as one_nan
from latentforest.table._remember import remember_columns
from latentforest.table._row_set import RowSet as RowSet
from latentforest.table._schema import EncodedTable, TableSchema
from latentforest.table._schema import number_rows as number_rows
from latentforest.table._ticks import UNIT_NAMES as UNIT_NAMES
from latentforest.table._ticks import Ticks
from latentforest.table._time_text import clock_days as clock_days
from latentforest.table._time_text import time_texts as time_texts
from latentforest.table._wild import WILD_GAP as WILD_GAP
from latentforest.table._zones import Counts as Counts
from latentforest.table._zones import to_clock as to_clock

__all__ = [
    "ColumnKind",
    "ColumnSpec",
    "EncodedTable",
    "NumberColumn",
    "RawColumn",
    "RawTable",
    "TableCodec",
    "TableSchema",
    "Ticks",
    "TimeColumn",
    "check_names",
    "index_of",
    "open_table",
    "remember_columns",
]
