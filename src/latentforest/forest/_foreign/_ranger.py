"""Forests of R's ranger, and of arf, which grows them by ranger: from a JSON file.

The file is written in R by a few lines (see the page on forests of others); it holds
the trees as ``treeInfo`` tells them, and rows with the leaves that ranger puts them
into.
"""

import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latentforest._base._types import Floats
from latentforest.forest._foreign._contract import ForeignForest, refuse
from latentforest.forest._foreign._trees import (
    CodeSet,
    ForeignTrees,
    TreeParts,
    join_parts,
)

PARTS = ("format", "levels", "trees", "rows", "leaves")
GAPS = ("NA", "NaN", None)


class RangerForest(ForeignForest):
    """The forest of a JSON file; numbers go left where ``value <= splitval``.

    Of a factor without order, the levels that a split names go right.
    """

    title = "this forest of ranger"

    def __init__(self, read: dict[str, Any]) -> None:
        missing = [part for part in PARTS if part not in read]
        if missing or read.get("format") != "ranger":
            message = (
                f"the file is no forest of ranger: it lacks {missing or 'its format'}. "
                "Write it by the lines of the guide, 'Forests of others'."
            )
            raise ValueError(message)
        self._read = read
        self.names = tuple(read["rows"])
        self.n_columns = len(self.names)
        self.categories = {
            number: tuple(map(str, read["levels"][name]))
            for number, name in enumerate(self.names)
            if read["levels"].get(name)
        }
        self.never_missing = frozenset(range(self.n_columns))
        self._trees = [self._tree(tree) for tree in read["trees"]]

    def _tree(self, tree: dict[str, list[Any]]) -> TreeParts:
        names = [int(node) for node in tree["nodeID"]]
        place = {name: number for number, name in enumerate(names)}
        column = {name: number for number, name in enumerate(self.names or ())}
        n_nodes = len(names)
        left, right = np.full(n_nodes, -1), np.full(n_nodes, -1)
        feature, set_of = np.full(n_nodes, -1), np.full(n_nodes, -1)
        threshold = np.full(n_nodes, np.nan)
        sets: list[CodeSet] = []
        for node in range(n_nodes):
            if tree["splitvarName"][node] in GAPS:
                continue
            left[node] = place[int(tree["leftChild"][node])]
            right[node] = place[int(tree["rightChild"][node])]
            feature[node] = column[tree["splitvarName"][node]]
            cut = tree["splitval"][node]
            known = self.categories.get(int(feature[node]))
            if known is None:
                threshold[node] = float(cut)
                continue
            codes = self._codes(str(cut), known)
            set_of[node] = len(sets)
            sets.append(CodeSet(np.array(codes, np.int64), go_left=False))
        return TreeParts(
            left,
            right,
            feature,
            threshold,
            np.zeros(n_nodes, bool),
            set_of,
            sets,
            np.where(left < 0, names, -1),
        )

    def _codes(self, cut: str, known: tuple[Any, ...]) -> list[int]:
        """Return the levels that a split names, or those above a place between them."""
        number = {level: code for code, level in enumerate(known)}
        named = [part.strip() for part in cut.split(",")]
        if all(name in number for name in named):
            return [number[name] for name in named]
        try:
            places = [float(name) for name in named]
        except ValueError:
            raise refuse(
                self.title,
                f"a split names the levels {cut!r}",
                "Give their factor levels.",
            ) from None
        if len(places) == 1 and places[0] % 1:  # between two levels of an order
            return [code for code in range(len(known)) if code + 1 > places[0]]
        return [int(place) - 1 for place in places]

    def trees(self) -> ForeignTrees:
        """Return the trees of the file."""
        return join_parts(self._trees)

    def leaves(self, features: Floats) -> NDArray[np.integer[Any]]:
        """Refuse: R is not here to be asked; see ``stored``."""
        del features
        raise refuse(
            self.title,
            "R is not here to be asked for other rows than those of the file",
            "Write more of them into it.",
        )

    def stored(self) -> tuple[Floats, NDArray[np.integer[Any]]]:
        """Return the rows of the file, and the leaves that ranger put them into."""
        rows = np.full((len(self._read["leaves"]), self.n_columns), np.nan)
        for number, name in enumerate(self.names or ()):
            for row, cell in enumerate(self._read["rows"][name]):
                if cell in GAPS:
                    continue
                known = self.categories.get(number)
                rows[row, number] = known.index(str(cell)) if known else float(cell)
        return rows, np.array(self._read["leaves"], np.int64)


def from_ranger(path: str | PathLike[str]) -> RangerForest:
    """Read a forest of R's ranger or arf from a JSON file.

    Give the result to ``RFAE(forest=…)``, with a table of the same columns.

    Parameters
    ----------
    path : path
        The file, written by the lines of the guide, "Forests of others".

    Returns
    -------
    RangerForest
    """
    return RangerForest(json.loads(Path(path).read_text(encoding="utf-8")))
