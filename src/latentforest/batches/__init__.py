"""Tables in pieces from any source: files, folders, arrays on disk, functions, Dask."""

from latentforest.batches._open import open_batches as open_batches
from latentforest.batches._write import check_folder as check_folder
from latentforest.batches._write import new_parts as new_parts
from latentforest.batches._write import write_parts as write_parts

__all__: list[str] = []  # users give sources to RFAE.fit
