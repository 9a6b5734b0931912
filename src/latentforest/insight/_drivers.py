"""Which columns drive the coordinates of a map: what the splits on them set apart."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from latentforest._base._checks import check_integer
from latentforest._base._names import coordinate_names
from latentforest._base._parallel import blocks_of, run_blocks
from latentforest._base._types import Coords, Floats, LeafIds
from latentforest.insight._drivers_loops import add_split_squares
from latentforest.kernel import tree_factors
from latentforest.trees import ForestArrays

TREE_BLOCK = 16  # trees whose sums are added up first, whatever the threads
TOLD = 3  # columns of each coordinate that are printed


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Drivers:
    """Which columns the forest tells rows apart by along each coordinate.

    Printing shows the first columns of each coordinate.

    Attributes
    ----------
    shares : ndarray of shape (n_components, n_columns)
        Share of each column in what the splits of all trees set apart along each
        coordinate. They add up to 1; a column that no tree splits on has 0.
    explained : ndarray of shape (n_components,)
        Share of the variance of each coordinate that lies between the leaves of a tree,
        on average over the trees: how much there is to share.
    names : tuple
        Names of the columns.
    """

    shares: Floats
    explained: Floats
    names: tuple[Hashable, ...]

    def strongest(self, n: int = 2) -> list[list[Hashable]]:
        """Return the columns that drive each coordinate, the strongest first.

        Parameters
        ----------
        n : int, default=2
            How many columns at most; those without any share are left out.

        Returns
        -------
        list of list of column names
            One list for each coordinate.
        """
        check_integer("n", n, minimum=1)
        return [
            [self.names[j] for j in np.argsort(-row, kind="stable")[:n] if row[j] > 0]
            for row in self.shares
        ]

    def to_frame(self) -> Any:
        """Return the shares as a pandas data frame, one line per coordinate."""
        import pandas as pd  # noqa: PLC0415 (only who asks for a frame pays for it)

        columns = pd.Index(list(self.names), tupleize_cols=False)
        index = coordinate_names(len(self.shares))
        return pd.DataFrame(self.shares, index=index, columns=columns)

    def __repr__(self) -> str:
        lines = []
        names = coordinate_names(len(self.shares))
        for name, row, found in zip(
            names, self.shares, self.strongest(TOLD), strict=True
        ):
            told = [f"{column} {row[self.names.index(column)]:.2f}" for column in found]
            lines.append(f"{name:<4}{', '.join(told) or 'no split'}")
        return "\n".join(lines)


def drivers_of(
    forest: ForestArrays,
    leaf_ids: LeafIds,
    coords: Coords,
    names: tuple[Hashable, ...],
    *,
    tree_weights: Floats | None = None,
    n_jobs: int | None = None,
) -> Drivers:
    """Measure what the splits on each column set apart along each coordinate.

    A split sends the rows of its node to two groups, and the sum of squares between
    them is n₁ n₂ / (n₁ + n₂) · (mean₁ − mean₂)². Over all splits of one tree these add
    up to the sum of squares between its leaves. They are added by column over all
    trees, each as much as ``tree_weights`` say. Time is rows × trees.
    """
    factors = tree_factors(tree_weights, forest.n_trees)
    factors = np.ones(forest.n_trees) if factors is None else factors
    # The mean drops out of all differences, but not out of their rounding.
    centred = np.ascontiguousarray(coords - coords.mean(axis=0))
    node_of_leaf = np.zeros(forest.n_leaves, np.int64)
    leaves = np.flatnonzero(forest.leaf >= 0)
    node_of_leaf[forest.leaf[leaves]] = leaves
    ids, trees = leaf_ids.T, (forest.start, forest.left, forest.right)

    def work(block: tuple[int, int]) -> Floats:
        part = np.zeros((forest.n_columns, coords.shape[1]))
        add_split_squares(
            ids, trees, forest.feature, node_of_leaf, centred, factors, *block, part
        )
        return part

    blocks = list(blocks_of(forest.n_trees, TREE_BLOCK))
    apart = np.zeros((forest.n_columns, coords.shape[1]))
    for part in run_blocks(work, blocks, n_jobs=n_jobs):
        apart += part
    found = apart.sum(axis=0)
    whole = forest.n_trees * np.square(centred).sum(axis=0)
    shares = np.divide(apart, found, out=np.zeros(apart.shape), where=found > 0)
    explained = np.divide(found, whole, out=np.zeros(found.shape), where=whole > 0)
    return Drivers(np.ascontiguousarray(shares.T), explained, names)
