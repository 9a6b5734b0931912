"""What an adapter of another library has to tell."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats
from latentforest.forest._facts import TreeFacts
from latentforest.forest._foreign._trees import ForeignTrees
from latentforest.table import ColumnKind, EncodedTable, TableSchema

NUMBERS = (ColumnKind.continuous, ColumnKind.integer, ColumnKind.boolean)


class ForeignForest(ABC):
    """A fitted model of another library, opened for reading.

    Attributes
    ----------
    title : str
        What messages call the model.
    n_columns : int
        Columns that the model was fitted on.
    names : tuple of str or None
        Their names, where the model knows them.
    categories : dict
        For each column that the model splits by sets of categories: their values in
        the order of the model's numbers, or None where the values are the numbers.
    """

    title: str
    n_columns: int
    names: tuple[str, ...] | None
    categories: dict[int, tuple[Any, ...] | None]
    # Whether a level that the model does not know goes the way of a missing cell;
    # else it is a number beyond all that the model knows.
    unknown_is_missing = False

    # The table as the user gave it, where it lies in memory, until the trees are read.
    sample: Any = None

    # Columns in which the library refuses missing cells, as far as that is known.
    never_missing: frozenset[int] = frozenset()

    def as_named(self, name: str) -> str:
        """Return a name of the table as the library writes it."""
        return name

    def look_at(self, schema: TableSchema) -> dict[int, ColumnKind]:
        """See the columns as they were inferred; say which to read otherwise."""
        kinds: dict[int, ColumnKind] = {}
        for number, column in enumerate(schema.columns):
            if number in self.categories:
                kinds[number] = ColumnKind.category
            elif column.kind is ColumnKind.ordered and _are_integers(column.levels):
                # Few-valued integers are numbers to it.
                kinds[number] = ColumnKind.integer
        return kinds

    def accepts(self, number: int, kind: ColumnKind) -> bool:
        """Whether the model can read a column of a kind."""
        return number in self.categories or kind in NUMBERS

    def settle(self, table: EncodedTable) -> None:
        """See the table, where the model alone is not enough."""
        del table

    def codes_of(self, column: int, levels: tuple[Any, ...]) -> NDArray[np.int64]:
        """Return the model's number of each level; -1: it does not know the level."""
        known = self.categories[column]
        if known is None:
            return np.array([_as_code(level) for level in levels], np.int64)
        code = {value: number for number, value in enumerate(known)}
        return np.array([code.get(level, -1) for level in levels], np.int64)

    @abstractmethod
    def trees(self) -> ForeignTrees:
        """Return the trees, or refuse what cannot be read exactly."""

    @abstractmethod
    def leaves(self, features: Floats) -> NDArray[np.integer[Any]]:
        """Ask the library for the leaf of each row in each tree.

        ``features`` hold numbers, the library's numbers of categories, and NaN.
        """

    def leaves_of_sample(
        self, rows: NDArray[np.int64]
    ) -> NDArray[np.integer[Any]] | None:
        """Ask for leaves of rows of ``sample``; None: ``leaves`` says enough."""
        del rows
        return None

    def stored(self) -> tuple[Floats, NDArray[np.integer[Any]]] | None:
        """Return rows and their leaves, where the library itself cannot be asked."""
        return None

    def facts(self) -> TreeFacts:
        """Return what the library tells of its trees."""
        return TreeFacts()


def _are_integers(levels: tuple[Any, ...]) -> bool:
    return all(isinstance(level, int) for level in levels)


def _as_code(level: Any) -> int:
    is_whole = isinstance(level, (int, float, np.number)) and level == int(level)
    return int(level) if is_whole and level >= 0 else -1


def refuse(title: str, reason: str, remedy: str) -> ValueError:
    """Say why a model cannot be read exactly."""
    return ValueError(f"{title} cannot be read exactly: {reason}. {remedy}")
