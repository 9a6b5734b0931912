"""Text tables, written block by block."""

from collections.abc import Mapping
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from latentforest.cli._iso import iso_words

_WHOLE = r"^-?[0-9]+$"
_FORMULA = r"^[=+\-@\t\r\n]"  # what spreadsheets may run, after OWASP
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_SEPARATORS = ",;\t"  # spreadsheets may split at any of them, whatever was meant


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
    safe : bool, default=False
        Put an apostrophe before text that a spreadsheet would take for a formula.
    notations : mapping, optional
        How columns are written that are not written in the plain way, by name.
    """

    def __init__(
        self,
        stream: BinaryIO,
        schema: Any,
        separator: str,
        *,
        safe: bool = False,
        notations: Mapping[str, Any] | None = None,
    ) -> None:
        self._stream, self._separator, self._safe = stream, separator, safe
        self._notations = [(notations or {}).get(name) for name in schema.names]
        names = self._text(pa.array(schema.names, pa.string()))
        self._stream.write((separator.join(names.to_pylist()) + "\n").encode())

    def write(self, table: Any) -> None:
        """Write the rows of a pyarrow table."""
        columns = [
            self._words(table.column(j), notation)
            for j, notation in enumerate(self._notations)
        ]
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

    def _words(self, column: Any, notation: Any) -> Any:
        cells = column.combine_chunks()
        if pa.types.is_dictionary(cells.type):
            cells = cells.cast(cells.type.value_type)
        kind = cells.type
        if notation is not None:
            # A number as people write it is no formula.
            words = _quoted(notation.write(cells), self._separator)
        elif pa.types.is_boolean(kind):
            words = pc.if_else(cells, "True", "False")
        elif pa.types.is_floating(kind):
            words = pc.cast(cells, pa.string())
            whole = pc.match_substring_regex(words, _WHOLE)
            words = pc.if_else(
                whole, pc.binary_join_element_wise(words, ".0", ""), words
            )
        elif pa.types.is_temporal(kind):
            words = iso_words(cells)
        else:
            words = pc.cast(cells, pa.string())
            if not pa.types.is_integer(kind):
                words = self._text(words)
        return pc.fill_null(words, "")

    def _text(self, words: Any) -> Any:
        if self._safe:
            return _quoted(_defused(words), self._separator + _SEPARATORS)
        return _quoted(words, self._separator)


def _defused(words: Any) -> Any:
    """Put an apostrophe before formulas; numbers, with a sign or without, are none."""
    formula = pc.and_not(
        pc.match_substring_regex(words, _FORMULA),
        pc.match_substring_regex(words, _NUMBER),
    )
    return pc.if_else(formula, pc.binary_join_element_wise("'", words, ""), words)


def _quoted(words: Any, separators: str) -> Any:
    """Put text into quotes that holds quotes, line ends or separators."""
    codes = "".join(f"\\x{ord(character):02x}" for character in separators)
    special = pc.match_substring_regex(words, f'["\r\n{codes}]')
    if not pc.any(special, min_count=0).as_py():
        return words
    doubled = pc.replace_substring(words, '"', '""')
    return pc.if_else(
        special, pc.binary_join_element_wise('"', doubled, '"', ""), words
    )
