"""Forests that need no target: completely random, and Shi and Horvath's."""

from typing import Any

import numpy as np

from latentforest._base._random import RandomState, draw_seeds
from latentforest._base._types import Floats
from latentforest.forest._base_forest import BaseForest
from latentforest.forest._growing._bins import bin_table
from latentforest.forest._growing._grow import (
    GrownForest,
    grow_trees,
    join_grown,
    split_rules,
)
from latentforest.forest._growing._marks_loops import CLASSIFY
from latentforest.forest._growing._records import Response
from latentforest.table import EncodedTable
from latentforest.trees import Tree


class CompletelyRandomForest(BaseForest):
    """Forest whose splits ignore any target: random column, random cut.

    A number is cut uniformly between its values in the node, a category by sending
    each level to a random side, both given that the two sides keep enough rows.

    Parameters
    ----------
    n_estimators : int, default=500
        Number of trees, at most 100,000.
    min_samples_leaf : int, default=5
        Rows that every leaf keeps. It matters a great deal: with leaves of one row the
        kernel is nearly the identity, and its map tells nothing.
    max_depth : int or None, default=None
        Most splits between root and leaf.
    random_state : int, Generator, RandomState or None, default=None
        Seed. The same seed gives the same forest, whatever ``n_jobs`` is.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.
    verbose : bool, default=False
        Show progress on standard error.

    Attributes
    ----------
    forest_ : ForestArrays
        The trees.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import CompletelyRandomForest
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> CompletelyRandomForest(n_estimators=20, random_state=0).fit(X).apply(X).shape
    (150, 20)
    """

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        min_samples_leaf: int = 5,
        max_depth: int | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def grow(
        self, encoded: EncodedTable, y: Any, rng: np.random.Generator
    ) -> GrownForest:
        """Grow the trees on an encoded table; ``y`` is ignored."""
        table = bin_table(
            encoded.values, encoded.schema.split_levels, n_jobs=self.n_jobs
        )
        rules = split_rules(
            table,
            min_leaf=self.min_samples_leaf,
            max_depth=self.max_depth,
            at_random=True,
        )
        trees = grow_trees(
            table,
            Response(np.zeros(encoded.n_rows), CLASSIFY, 2),
            rules,
            lambda number, tree, counts: tree,
            seeds=draw_seeds(rng, self.n_estimators),
            bootstrap=False,
            n_jobs=self.n_jobs,
            progress=self._progress("growing trees"),
        )
        return join_grown(trees, table.split_levels, n_jobs=self.n_jobs)


class ShiHorvathForest(BaseForest):
    """Classification forest of the rows against column-wise permuted rows.

    The permuted table keeps every column but none of the relations between columns,
    so the splits find where columns depend on each other (Shi and Horvath, 2006).

    Parameters
    ----------
    n_estimators : int, default=500
        Number of trees, at most 100,000.
    min_samples_leaf : int, default=5
        Real rows (of the tree's bootstrap sample) that every leaf keeps.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns tried per split.
    max_depth : int or None, default=None
        Most splits between root and leaf.
    random_state : int, Generator, RandomState or None, default=None
        Seed. The same seed gives the same forest, whatever ``n_jobs`` is.
    n_jobs : int or None, default=None
        Threads; None and -1 use all cores.
    verbose : bool, default=False
        Show progress on standard error.

    Attributes
    ----------
    forest_ : ForestArrays
        The trees.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import ShiHorvathForest
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> ShiHorvathForest(n_estimators=20, random_state=0).fit(X).apply(X).shape
    (150, 20)
    """

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        min_samples_leaf: int = 5,
        max_features: str | int | float | None = "sqrt",
        max_depth: int | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_depth = max_depth
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def grow(
        self, encoded: EncodedTable, y: Any, rng: np.random.Generator
    ) -> GrownForest:
        """Grow the trees on an encoded table; ``y`` is ignored."""
        real = bin_table(
            encoded.values, encoded.schema.split_levels, n_jobs=self.n_jobs
        )
        n_rows = encoded.n_rows
        permuted = np.stack([rng.permutation(column) for column in real.bins])
        both = real._replace(bins=np.concatenate([real.bins, permuted], axis=1))
        labels = np.repeat([1.0, 0.0], n_rows)
        rules = split_rules(
            real,
            max_features=self.max_features,
            min_leaf=self.min_samples_leaf,
            min_class=(0, self.min_samples_leaf),
            max_depth=self.max_depth,
        )

        def keep(number: int, tree: Tree, counts: Floats) -> Tree:
            return tree._replace(leaf_of=tree.leaf_of[:n_rows].copy())

        trees = grow_trees(
            both,
            Response(labels, CLASSIFY, 2),
            rules,
            keep,
            seeds=draw_seeds(rng, self.n_estimators),
            bootstrap=True,
            n_jobs=self.n_jobs,
            progress=self._progress("growing trees"),
        )
        return join_grown(trees, real.split_levels, n_jobs=self.n_jobs)
