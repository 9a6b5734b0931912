"""Which words a long column of text holds: a few of each shape, and how many cells.

Whether words are numbers, amounts or dates is decided by their shapes, so a column of
ten million prices is known by some hundreds of them. What is kept does not depend on
how the column is cut into pieces.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pandas.util import hash_array

from latentforest._base._types import Floats
from latentforest.reading._exact import are_inexact

OF_A_SHAPE = 256  # words, those with the lowest hashes
_PATIENCE = 2**19  # words that wait before they are thinned out
# What years two digits mean is a matter of all of them.
_SHORT_YEAR = r"^[0-9]{1,2}[-./ ] ?[0-9A-Za-z]{1,9}[-./ ](?P<year>[0-9]{2})(?:[ T,]|$)"
_LEADING_ZERO = r"^\s*[+-]?0[0-9]"


class WordSurvey:
    """The words of a column that is read piece by piece."""

    def __init__(self) -> None:
        self._kept: Any = None  # table of word, shape, cells, place of the first
        self._gone: dict[str, int] = {}  # cells per shape with words that were let go
        self._waiting: list[Any] = []
        self._n_waiting = self._n_seen = 0

    def add(self, cells: Any) -> None:
        """Look at more cells, none of them null."""
        found = cells.value_counts()
        words = found.field("values")
        shapes = pc.replace_substring_regex(words, "[0-9]", "9")
        zeros = pc.match_substring_regex(words, _LEADING_ZERO)
        shapes = pc.if_else(zeros, pc.binary_join_element_wise("0", shapes, ""), shapes)
        years = pc.struct_field(pc.extract_regex(words, _SHORT_YEAR), "year")
        shapes = pc.binary_join_element_wise(shapes, pc.fill_null(years, ""), "")
        # One number that floats cannot hold makes a column text.
        inexact = are_inexact(pc.replace_substring_regex(words, "[^0-9]", ""))
        shapes = pc.if_else(
            inexact, pc.binary_join_element_wise("~", shapes, ""), shapes
        )
        columns = {"word": words, "shape": shapes, "cells": found.field("counts")}
        columns["first"] = pa.array(np.arange(self._n_seen, self._n_seen + len(words)))
        self._n_seen += len(words)
        self._waiting.append(pa.table(columns))
        self._n_waiting += len(words)
        if self._n_waiting > _PATIENCE:
            self._thin_out()

    def _thin_out(self) -> None:
        pieces = self._waiting if self._kept is None else [self._kept, *self._waiting]
        table = pa.concat_tables(pieces).combine_chunks()
        # Words in the order in which they first came.
        table = table.group_by(["word", "shape"]).aggregate(
            [("cells", "sum"), ("first", "min")]
        )
        table = table.rename_columns(["word", "shape", "cells", "first"])
        table = table.sort_by("first")
        shape = table["shape"].combine_chunks().dictionary_encode()
        index = shape.indices.to_numpy()
        counts = np.bincount(index)
        many = np.flatnonzero(counts > OF_A_SHAPE)
        if len(many):
            hashes = hash_array(np.array(table["word"].to_pylist(), object))
            order = np.lexsort((hashes, index))
            begins = np.concatenate([[0], np.cumsum(counts)[:-1]])
            rank = np.empty(len(index), np.int64)
            rank[order] = np.arange(len(index)) - begins[index[order]]
            keep = rank < OF_A_SHAPE
            keep[np.unique(index, return_index=True)[1]] = True  # shown in notes
            cells = table["cells"].to_numpy()
            gone = np.bincount(index, np.where(keep, 0, cells), len(counts))
            names = shape.dictionary.to_pylist()
            for number in many:
                name = names[number]
                self._gone[name] = self._gone.get(name, 0) + int(gone[number])
            table = table.filter(pa.array(keep))
        self._kept, self._waiting = table, []
        self._n_waiting = 0

    def result(self) -> tuple[Any, Floats]:
        """Return words of every shape, and the number of cells that each stands for."""
        self._thin_out()
        table = self._kept
        cells = table["cells"].to_numpy().astype(float)
        shapes = table["shape"].combine_chunks().dictionary_encode()
        index, gone = shapes.indices.to_numpy(), self._gone
        lost = np.array([gone.get(name, 0) for name in shapes.dictionary.to_pylist()])
        # Words that were let go count with those of their shape, each alike.
        mean = (np.bincount(index, cells) + lost) / np.bincount(index)
        cells = np.where(lost[index] > 0, mean[index], cells)
        return table["word"].combine_chunks(), cells
