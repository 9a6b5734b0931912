"""A forest for each column of a table, which tells it from the other columns."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._random import draw_seeds
from latentforest._base._types import Bools, Codes, Floats, LeafIds
from latentforest.forest._growing._bins import BinnedTable, bin_table
from latentforest.forest._growing._grow import grow_trees, join_grown, split_rules
from latentforest.forest._growing._marks_loops import CLASSIFY, REGRESS
from latentforest.forest._growing._records import Response
from latentforest.table import EncodedTable
from latentforest.trees import ForestArrays, Tree

MANY_LEVELS = 32  # rarer ones are told apart by the rows of a leaf, not by its splits
FEW_TRIED, SHARE_TRIED = 14, 0.7  # columns per split


class ColumnForest(NamedTuple):
    """A forest that has never seen one column but as its target."""

    forest: ForestArrays
    leaf_ids: LeafIds  # (n_rows, n_trees) leaves of the rows it was grown on


def forests_of_columns(
    encoded: EncodedTable,
    fold: NDArray[np.integer],
    *,
    n_folds: int,
    n_trees: int,
    min_samples_leaf: int,
    rng: np.random.Generator,
    n_jobs: int | None = None,
) -> Iterator[ColumnForest]:
    """Grow, column by column, bootstrapped trees on all other columns.

    Tree t draws from all rows but those of fold t mod ``n_folds``. The table is binned
    once; in turn each column has one bin only, and no split.

    Parameters
    ----------
    encoded : EncodedTable
        The rows.
    fold : array of int, shape (n_rows,)
        The fold of each row, 0 … n_folds − 1. One that holds all rows is drawn from.
    n_folds : int
        Number of folds.
    n_trees : int
        Trees per column.
    min_samples_leaf : int
        Rows, of a tree's sample, that every leaf keeps.
    rng : Generator
        Source of the samples and splits.
    n_jobs : int or None, default=None
        Threads; the trees are the same for any number.

    Yields
    ------
    ColumnForest
    """
    schema = encoded.schema
    table = bin_table(encoded.values, schema.split_levels, n_jobs=n_jobs)
    n_columns = schema.n_columns
    tried = max(FEW_TRIED, int(np.sqrt(n_columns)))
    tried = min(int(np.ceil(SHARE_TRIED * n_columns)), tried)
    for column, is_number in enumerate(schema.is_number):
        response = _response(encoded.values[:, column], is_number=bool(is_number))
        rules = split_rules(
            table,
            max_features=tried,
            min_leaf=min_samples_leaf,
            min_class=[0] * response.width,
        )
        trees = grow_trees(
            _hidden(table, column),
            response,
            rules,
            _as_it_is,
            seeds=draw_seeds(rng, n_trees),
            bootstrap=True,
            n_jobs=n_jobs,
            progress=None,
            may_draw=lambda number: _outside(fold, number % n_folds),
        )
        grown = join_grown(trees, table.split_levels, n_jobs=n_jobs)
        yield ColumnForest(grown.forest, grown.leaf_ids)


def _outside(fold: NDArray[np.integer], number: int) -> Bools:
    """Tell which rows are not in a fold; all, if that holds all of them."""
    outside: Bools = fold != number
    return outside if outside.any() else ~outside


def _as_it_is(number: int, tree: Tree, counts: Floats) -> Tree:
    return tree


def _hidden(table: BinnedTable, column: int) -> BinnedTable:
    """Put all cells of a column into one bin, so that nothing can cut it."""
    bins = table.bins.copy()
    bins[column] = 0
    return table._replace(bins=bins)


def _response(codes: Codes, *, is_number: bool) -> Response:
    """Return a column as a target; a gap is the mean, or a class of its own."""
    gap = np.isnan(codes)
    if is_number:
        mean = codes[~gap].mean() if not gap.all() else 0.0
        return Response(np.where(gap, 0.0, codes - mean), REGRESS, 2)
    levels, labels, counts = np.unique(
        np.where(gap, -1.0, codes), return_inverse=True, return_counts=True
    )
    if len(levels) > MANY_LEVELS:
        rank = np.argsort(np.argsort(-counts, kind="stable"))
        labels = np.minimum(rank, MANY_LEVELS)[labels]
    return Response(labels.astype(np.float64), CLASSIFY, max(2, int(labels.max()) + 1))
