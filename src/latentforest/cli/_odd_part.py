"""Odd cells of rows, in words."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from latentforest._base._types import Codes
from latentforest.oddness import Discoveries, OddCells
from latentforest.reading import is_text
from latentforest.table import TableCodec

CELLS = 3  # of each row that are named


class OddCell(NamedTuple):
    """A cell that surprises, in words."""

    column: str
    found: str
    expected: str
    p_value: float
    as_expected: bool


class Part:
    """Rows of a block with their most surprising cells, in words."""

    def __init__(
        self,
        block: Any,
        codec: TableCodec,
        names: Any,
        codes: Codes,
        cells: OddCells,
        notations: Mapping[str, Any],
    ) -> None:
        self.largest = cells.largest(CELLS)
        self.names, self.p_values = names, cells.p_values
        # Shown as the file has it; what the model makes of it may be less.
        self._found, self._expected = block, cells.expected
        self._read = codec.decode(codes)
        # Expected cells are written as the file writes that column, if it holds words.
        self._ways = [
            notations.get(str(spec.name)) if is_text(kind) else None
            for spec, kind in zip(
                codec.schema_.columns, block.schema.types, strict=True
            )
        ]

    def cell(self, row: int, rank: int) -> OddCell:
        """Return one of the most surprising cells of a row."""
        column = int(self.largest[row, rank])
        found, read, expected = (
            table.column(column)[int(row)].as_py()
            for table in (self._found, self._read, self._expected)
        )
        way = self._ways[column]
        return OddCell(
            self.names[column],
            in_words(found),
            in_words(written(way, self._expected.column(column).slice(int(row), 1))[0]),
            float(self.p_values[row, column]),
            as_expected=read == expected,
        )

    def table(self, scores: Any, decision: Any) -> Any:
        """Return what is written, but for the q-values."""
        made: dict[str, Any] = {"score": scores, "decision": decision}
        n_rows, n_named = self.largest.shape
        kinds = (pa.string(), pa.string(), pa.string(), pa.float64())
        for rank in range(CELLS):
            cells: list[Any] = [[None] * n_rows] * len(kinds)
            if rank < n_named:
                at = self.largest[:, rank]
                plain = [None] * len(self._ways)
                words = (
                    _words(table, at, ways)
                    for table, ways in (
                        (self._found, plain),
                        (self._expected, self._ways),
                    )
                )
                p_values = self.p_values[np.arange(n_rows), at]
                cells = [self.names[at], *words, p_values]
            named = cell_names()[5 * rank : 5 * rank + 4]
            for name, column, kind in zip(named, cells, kinds, strict=True):
                made[name] = pa.array(column, kind)
        return pa.table(made)


def with_q_values(table: Any, discoveries: Discoveries) -> Any:
    """Put the q-values beside the p-values of a table, once all cells are judged."""
    for name in cell_names()[4::5]:
        place = table.column_names.index(f"{name[:-1]}p")
        p_values, q_values = table.column(place), pa.nulls(len(table), pa.float64())
        if not p_values.null_count:
            q_values = pa.array(discoveries.q_values(p_values.to_numpy()))
        table = table.add_column(place + 1, name, q_values)
    return table


def _words(table: Any, at: Any, ways: Sequence[Any]) -> Any:
    """Return one cell of each row, that in column ``at``, in words."""
    words = np.empty(len(at), dtype=object)
    for column in np.unique(at):
        rows = np.flatnonzero(at == column)
        cells = table.column(int(column)).take(pa.array(rows))
        words[rows] = [in_words(cell) for cell in written(ways[column], cells)]
    return words


def written(way: Any, cells: Any) -> list[Any]:
    """Return cells as a file writes them, or as they are if it says nothing."""
    return (cells if way is None else way.write(cells)).to_pylist()


def cell_names() -> list[str]:
    """Return what the columns of odd cells are called."""
    return [
        f"odd{rank}{what}"
        for rank in range(1, CELLS + 1)
        for what in ("", "_found", "_expected", "_p", "_q")
    ]


def in_words(value: Any) -> str:
    """Return a cell in words; text tables write nothing for missing."""
    return "missing" if value is None or value == "" else str(value)
