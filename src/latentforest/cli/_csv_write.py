"""Text tables, written block by block."""

from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

_WHOLE = r"^-?[0-9]+$"


class TextSink:
    """Write CSV or TSV: floats with all their digits, quotes only where needed.

    Parameters
    ----------
    stream : binary stream
        Where to write.
    schema : pyarrow schema
        The columns.
    separator : str
        The character between cells.
    """

    def __init__(self, stream: BinaryIO, schema: Any, separator: str) -> None:
        self._stream, self._separator = stream, separator
        names = _quoted(pa.array(schema.names, pa.string()), separator)
        self._stream.write((separator.join(names.to_pylist()) + "\n").encode())

    def write(self, table: Any) -> None:
        """Write the rows of a pyarrow table."""
        columns = [self._words(table.column(j)) for j in range(table.num_columns)]
        if len(columns) == 1:
            # An empty line would be taken for no row at all.
            empty = pc.equal(columns[0], "")
            columns[0] = pc.if_else(empty, '""', columns[0])
        lines = pc.binary_join_element_wise(*columns, self._separator)
        text = pc.binary_join(pa.ListArray.from_arrays([0, len(lines)], lines), "\n")
        self._stream.write(text[0].as_buffer())
        self._stream.write(b"\n")

    def close(self) -> None:
        """Nothing is held back."""

    def _words(self, column: Any) -> Any:
        cells = column.combine_chunks()
        if pa.types.is_dictionary(cells.type):
            cells = cells.cast(cells.type.value_type)
        kind = cells.type
        if pa.types.is_boolean(kind):
            words = pc.if_else(cells, "True", "False")
        elif pa.types.is_floating(kind):
            words = pc.cast(cells, pa.string())
            whole = pc.match_substring_regex(words, _WHOLE)
            words = pc.if_else(
                whole, pc.binary_join_element_wise(words, ".0", ""), words
            )
        else:
            words = pc.cast(cells, pa.string())
            if not pa.types.is_integer(kind):
                words = _quoted(words, self._separator)
        return pc.fill_null(words, "")


def _quoted(words: Any, separator: str) -> Any:
    special = pc.match_substring_regex(words, f'["\r\n\\x{ord(separator):02x}]')
    if not pc.any(special, min_count=0).as_py():
        return words
    doubled = pc.replace_substring(words, '"', '""')
    return pc.if_else(
        special, pc.binary_join_element_wise('"', doubled, '"', ""), words
    )
