"""Classification and regression forests on mixed columns."""

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pandas import isna
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from latentforest._base._checks import check_option
from latentforest._base._random import RandomState, draw_seeds
from latentforest._base._room import Demand
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Floats
from latentforest._base._values import damaged, encode_value
from latentforest.forest._base_forest import BaseForest
from latentforest.forest._facts import TreeFacts
from latentforest.forest._growing._bins import bin_table
from latentforest.forest._growing._grow import (
    GrownForest,
    grow_trees,
    join_grown,
    split_rules,
)
from latentforest.forest._growing._marks_loops import CLASSIFY, REGRESS
from latentforest.forest._growing._records import Response
from latentforest.table import EncodedTable
from latentforest.trees import ForestArrays, Tree

# Distinct numbers above which a target is no longer taken for classes.
MANY_CLASSES = 50
# What classes may be kept as in a model file.
CLASS_DTYPES = {"bool", "float32", "float64", "object", "str"} | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}


class SupervisedForest(BaseForest):
    """Random forest for a given target, on numbers and categories as they are.

    Parameters
    ----------
    n_estimators : int, default=500
        Number of trees, at most 100,000.
    task : {"auto", "classification", "regression"}, default="auto"
        What to predict. "auto" takes numbers with fractions, or with more than 50
        distinct values, for regression, and everything else for classes.
    min_samples_leaf : int, default=1
        Rows (of the tree's bootstrap sample) that every leaf keeps.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns tried per split.
    max_depth : int or None, default=None
        Most splits between root and leaf.
    bootstrap : bool, default=True
        Grow each tree on a bootstrap sample instead of all rows.
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
    classes_ : ndarray or None
        The classes in the order of ``predict_proba``; None for regression.
    leaf_values_ : ndarray of shape (n_leaves, n_outputs)
        Share of each class, or mean response, of the in-bag rows of every leaf.
    target_ : ndarray of shape (n_rows,)
        The response, or the number of the class, of every row.
    in_bag_ : ndarray of shape (n_rows, n_estimators)
        How often each row is in each tree's sample: the row weights under which the
        forest kernel reproduces the predictions (Eq. 2 of the paper).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import SupervisedForest
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = SupervisedForest(n_estimators=50, random_state=0).fit(X, y)
    >>> bool((forest.predict(X) == y).mean() > 0.95)
    True
    """

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        task: str = "auto",
        min_samples_leaf: int = 1,
        max_features: str | int | float | None = "sqrt",
        max_depth: int | None = None,
        bootstrap: bool = True,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.task = task
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_depth = max_depth
        self.bootstrap = bootstrap
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def grow(
        self, encoded: EncodedTable, y: Any, rng: np.random.Generator
    ) -> GrownForest:
        """Grow the trees on an encoded table and its target."""
        target = self._read_target(y, encoded.n_rows)
        self.target_ = target.responses
        # Centred, so that gains do not drown in the square of a large mean.
        centre = target.responses.mean() if target.task == REGRESS else 0.0
        target = target._replace(responses=target.responses - centre)
        table = bin_table(
            encoded.values, encoded.schema.split_levels, n_jobs=self.n_jobs
        )
        rules = split_rules(
            table,
            max_features=self.max_features,
            min_leaf=self.min_samples_leaf,
            min_class=[0] * target.width,
            max_depth=self.max_depth,
        )
        in_bag = np.empty((encoded.n_rows, self.n_estimators), np.uint16, order="F")

        def keep(number: int, tree: Tree, counts: Floats) -> Tree:
            in_bag[:, number] = counts
            return tree._replace(sums=tree.sums[tree.left < 0])

        trees = grow_trees(
            table,
            target,
            rules,
            keep,
            seeds=draw_seeds(rng, self.n_estimators),
            bootstrap=self.bootstrap,
            n_jobs=self.n_jobs,
            progress=self._progress("growing trees"),
        )
        self.in_bag_ = in_bag
        sums = np.concatenate([tree.sums for tree in trees])
        if target.task == CLASSIFY:
            shares = sums / sums.sum(axis=1, keepdims=True)
            self.leaf_values_ = shares[:, : int(target.responses.max()) + 1]
        else:
            self.leaf_values_ = centre + sums[:, 1:] / sums[:, :1]
        grown = join_grown(trees, table.split_levels, n_jobs=self.n_jobs)
        return replace(grown, facts=TreeFacts(in_bag))

    def predict_proba(self, X: Any) -> Floats:
        """Mean over trees of the class shares in each row's leaves.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self, "forest_")
        if self.classes_ is None:
            message = "This forest was fitted for regression. Use predict."
            raise AttributeError(message)
        return self._average(X)

    def predict(self, X: Any) -> Any:
        """Most probable class, or mean response, of each row.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            A table with the columns of the fitted one.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self, "forest_")
        if self.classes_ is None:
            return self._average(X)[:, 0]
        return self.classes_[self._average(X).argmax(axis=1)]

    def with_trees(self, forest: ForestArrays, leaf_values: Floats) -> Self:
        """Return a forest of other trees for the same target.

        Parameters
        ----------
        forest : ForestArrays
            The trees.
        leaf_values : array of float, shape (n_leaves, n_outputs)
            What their leaves predict.

        Returns
        -------
        SupervisedForest
            Without ``in_bag_`` and ``target_``: these trees were not grown on any rows.
        """
        other = copy(self).set_params(n_estimators=forest.n_trees)
        other.forest_, other.leaf_values_ = forest, leaf_values
        for name in ("in_bag_", "target_"):
            vars(other).pop(name, None)
        return other

    def fits_in_file(self) -> bool:
        """Whether the classes, if any, are text, numbers or booleans."""
        if self.classes_ is None:
            return True
        plain = all(isinstance(c, str | int | float) for c in self.classes_.tolist())
        return plain and _dtype_name(self.classes_) in CLASS_DTYPES

    def put(self, new: NewSection) -> None:
        """Write classes and leaf values to a model file."""
        new.array("leaf_values", self.leaf_values_)
        if hasattr(self, "target_"):
            new.array("target", self.target_)
        new.data["classes"] = None
        if self.classes_ is not None:
            part = new.section("classes")
            part.put("dtype", _dtype_name(self.classes_))
            values = self.classes_.tolist()
            new.need(_demand(values))
            part.data["values"] = [encode_value(c, what="a class of y") for c in values]

    def take(self, section: Section) -> None:
        """Read classes and leaf values from a model file."""
        n_outputs, self.classes_ = 1, None
        if section.has("classes"):
            part = section.section("classes")
            dtype, values = part.text("dtype"), part.values("values")
            if dtype not in CLASS_DTYPES:
                raise damaged(f"the classes have the dtype {dtype[:40]!r}")
            section.need(_demand(values))
            classes = np.empty(len(values), object)
            classes[:] = values
            n_outputs, self.classes_ = len(classes), classes.astype(dtype)
        shape = (self.forest_.n_leaves, n_outputs)
        self.leaf_values_ = section.array("leaf_values", np.float64, shape)
        if not np.isfinite(self.leaf_values_).all():
            raise damaged(f"{section.path('leaf_values')} holds NaN or infinity")
        if section.holds("target"):
            self.target_ = section.array("target", np.float64, (None,))
            legal = np.isfinite(self.target_).all()
            if legal and self.classes_ is not None:
                labels = np.arange(n_outputs, dtype=np.float64)
                legal = np.isin(self.target_, labels).all()
            if not legal:
                raise damaged(f"{section.path('target')} does not fit the classes")

    def response_of(self, rows: NDArray[np.integer]) -> NDArray[Any]:
        """Return what ``y`` was for some of the rows."""
        target = self.target_[rows]
        if self.classes_ is None:
            return target
        return self.classes_[target.astype(np.int64)]

    def _average(self, X: Any) -> Floats:
        values = self.codec_.encode(X).values
        ids = self.forest_.leaves(values, n_jobs=self.n_jobs)
        total = np.zeros((len(ids), self.leaf_values_.shape[1]))
        for tree in range(ids.shape[1]):
            total += self.leaf_values_[ids[:, tree]]
        return total / ids.shape[1]

    def _read_target(self, y: Any, n_rows: int) -> Response:
        check_option("task", self.task, ("auto", "classification", "regression"))
        if y is None:
            message = (
                "requires y to be passed, but the target y is None: a supervised "
                "forest learns to predict y. Pass y to fit, or choose another forest."
            )
            raise ValueError(message)
        y = column_or_1d(y, warn=True)
        if len(y) != n_rows:
            message = f"y has {len(y)} values, but the table has {n_rows} rows."
            raise ValueError(message)
        if isna(y).any():
            message = "y has missing values. Drop those rows first."
            raise ValueError(message)
        task = self.task
        if task == "auto":
            kind = type_of_target(y, input_name="y")
            is_number = np.issubdtype(np.asarray(y).dtype, np.number)
            many = is_number and len(np.unique(y)) > MANY_CLASSES
            is_response = kind == "continuous" or many
            task = "regression" if is_response else "classification"
        if task == "regression":
            self.classes_ = None
            response = np.asarray(y, np.float64)
            if not np.isfinite(response).all():
                message = "y has infinite values. Drop those rows first."
                raise ValueError(message)
            return Response(response, REGRESS, 2)
        self.classes_, labels = np.unique(y, return_inverse=True)
        n_sums = max(2, len(self.classes_))
        return Response(labels.astype(np.float64), CLASSIFY, n_sums)


def _demand(classes: list[Any]) -> Demand:
    """Tell what it takes to keep the names of classes, each as wide as the longest."""
    longest = max((len(str(name)) for name in classes), default=0)
    return Demand(8 * len(classes) * longest)


def _dtype_name(classes: np.ndarray) -> str:
    return "str" if classes.dtype.kind == "U" else classes.dtype.name
