"""Tables from files of all kinds: what they hold, and how their cells are written."""

from latentforest.reading._batches import FileBatches as FileBatches
from latentforest.reading._cells import read_cells as read_cells
from latentforest.reading._cells import read_coordinate as read_coordinate
from latentforest.reading._clock import clock_word as clock_word
from latentforest.reading._clock import fraction_word as fraction_word
from latentforest.reading._column import Column as Column
from latentforest.reading._date_notation import DateNotation as DateNotation
from latentforest.reading._dialect import Dialect as Dialect
from latentforest.reading._dialect import Kinds as Kinds
from latentforest.reading._file_types import file_codec as file_codec
from latentforest.reading._file_types import file_schema as file_schema
from latentforest.reading._files import files_of as files_of
from latentforest.reading._for_model import columns_to_read as columns_to_read
from latentforest.reading._for_model import table_for as table_for
from latentforest.reading._formats import STREAM as STREAM
from latentforest.reading._formats import TABLE_SUFFIXES as TABLE_SUFFIXES
from latentforest.reading._formats import Format as Format
from latentforest.reading._formats import format_of as format_of
from latentforest.reading._frames import clean_frame as clean_frame
from latentforest.reading._frames import frame_of as frame_of
from latentforest.reading._frames import is_text as is_text
from latentforest.reading._frames import read_columns as read_columns
from latentforest.reading._frames import read_file as read_file
from latentforest.reading._frames import read_stream as read_stream
from latentforest.reading._infer import infer_columns as infer_columns
from latentforest.reading._notation import Notation as Notation
from latentforest.reading._notation import check_notations as check_notations
from latentforest.reading._source import Source as Source
from latentforest.reading._sources import open_files as open_files
from latentforest.reading._values import nested_error as nested_error
from latentforest.reading._values import words_of as words_of

__all__: list[str] = []  # users call latentforest.read_table
