"""Several files as one table that is read once, from its first row to its last."""

from collections.abc import Iterator, Sequence
from typing import Any

from latentforest._base._errors import DataError
from latentforest._base._progress import Bar
from latentforest.reading._dialect import Dialect
from latentforest.reading._files import files_of
from latentforest.reading._source import Source
from latentforest.reading._values import join_tables


class Sources(Source):
    """The files of a folder, or of a pattern, in the order of their names.

    Parameters
    ----------
    paths : list of str
        The files.
    dialect : Dialect
        How text is written.
    label : str
        What to call them in messages.
    """

    def __init__(self, paths: Sequence[str], dialect: Dialect, label: str) -> None:
        super().__init__(paths[0], dialect)
        self._paths, self._folder = paths, label

    @property
    def done(self) -> float | None:
        """None: how long the other files are, nobody has looked."""
        return None

    def blocks(
        self, columns: Sequence[str], n_rows: int, *, may_be_empty: bool = False
    ) -> Iterator[Any]:
        """Yield pyarrow tables of at most ``n_rows`` rows, file by file."""
        found = False
        for table in self._all_blocks(columns, n_rows):
            found = True
            yield table
        if not found and not may_be_empty:
            message = f"{self._folder}: the files have names of columns, but no rows."
            raise DataError(message)

    def _all_blocks(self, columns: Sequence[str], n_rows: int) -> Iterator[Any]:
        yield from super().blocks(columns, n_rows, may_be_empty=True)
        for path in self._paths[1:]:
            with Source(path, self.dialect) as source:
                if source.is_text != self.is_text:
                    message = (
                        f"{self._folder} holds files with types and files without: "
                        f"{self._paths[0]}, {path}. Give files of one sort."
                    )
                    raise DataError(message)
                source.require(columns, "columns of the first file")
                yield from source.blocks(columns, n_rows, may_be_empty=True)

    def whole(self, columns: Sequence[str], bar: Bar) -> Any:
        """Return all rows as one pyarrow table, and tell a bar how far it is."""
        tables, n_rows = [], 0
        for table in self.blocks(columns, 2**16):
            tables.append(table)
            n_rows += table.num_rows
            bar.reach(n_rows, None)
        return join_tables(tables).combine_chunks()


def open_files(path: str, dialect: Dialect) -> Source:
    """Open a file, standard input, a folder of files, or those of a pattern."""
    paths = files_of(path)
    if len(paths) == 1:
        return Source(paths[0], dialect)
    return Sources(paths, dialect, path)
