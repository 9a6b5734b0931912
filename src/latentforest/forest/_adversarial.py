"""The adversarial random forest: real rows against ever better synthetic ones."""

from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latentforest._base._checks import check_integer, check_real
from latentforest._base._parallel import run_blocks
from latentforest._base._random import RandomState, draw_seeds
from latentforest._base._section import NewSection, Section
from latentforest._base._types import Floats, Ints
from latentforest.forest._base_forest import BaseForest
from latentforest.forest._growing._bins import BinnedTable, bin_table
from latentforest.forest._growing._grow import (
    GrownForest,
    grow_trees,
    join_grown,
    split_rules,
)
from latentforest.forest._growing._marks_loops import CLASSIFY
from latentforest.forest._growing._prune import prune_tree
from latentforest.forest._growing._records import Response, Rules
from latentforest.forest._growing._rounds_loops import add_votes, draw_in_leaves
from latentforest.table import EncodedTable
from latentforest.trees import Tree

MOST_ROUNDS = 1_000
SURE = 5.0  # standard errors below chance at which a verdict needs no more trees


class Contest(NamedTuple):
    """Real rows against synthetic ones, and how trees are to tell them apart."""

    table: BinnedTable  # real rows, then as many synthetic ones
    rules: Rules
    seeds: NDArray[np.uint64]  # of all trees that may be grown

    @property
    def labels(self) -> Floats:
        """1 for real rows, 0 for synthetic ones."""
        return np.repeat([1.0, 0.0], self.table.bins.shape[1] // 2)


class AdversarialForest(BaseForest):
    """Unsupervised forest that learns the joint distribution of all columns.

    A classification forest tells real rows from synthetic ones, first drawn from each
    column on its own, then from the leaves of the forest before. Once it can do no
    better than guess, the leaves of the forest before it describe the data: within a
    leaf the columns are about independent. (Watson et al., 2023; the forest of the
    paper's benchmark.)

    Parameters
    ----------
    n_estimators : int, default=500
        Number of trees, at most 100,000.
    min_samples_leaf : int, default=2
        Real rows that every leaf keeps; synthetic rows do not count.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Columns tried per split.
    delta : float, default=0.0
        Tolerance: rounds go on while accuracy is above 0.5 + delta.
    max_rounds : int, default=10
        Most rounds of new synthetic rows, up to 1,000.
    round_estimators : int or None, default=100
        Most trees of a round: so many judge synthetic rows, and draw the next ones.
        The forest kept is grown on to ``n_estimators`` trees. None grows all of them
        in every round, as the paper does.
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
    accuracies_ : list of float
        Out-of-bag accuracy of each forest grown; at or below 0.5 at the end if the
        synthetic rows can no longer be told from the real ones. The forest kept is
        the last but one: the generator whose rows the last one judged. A judge whose
        verdict is clear after a fifth of its trees is not grown any further.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from latentforest import AdversarialForest
    >>> X, _ = load_iris(return_X_y=True, as_frame=True)
    >>> forest = AdversarialForest(n_estimators=50, random_state=0).fit(X)
    >>> forest.accuracies_[0] > 0.7
    True
    >>> forest.apply(X).shape
    (150, 50)
    """

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        min_samples_leaf: int = 2,
        max_features: str | int | float | None = "sqrt",
        delta: float = 0.0,
        max_rounds: int = 10,
        round_estimators: int | None = 100,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.delta = delta
        self.max_rounds = max_rounds
        self.round_estimators = round_estimators
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def check(self) -> None:
        """Check how much there is to grow, and when it shall end."""
        super().check()
        check_integer("max_rounds", self.max_rounds, minimum=0, maximum=MOST_ROUNDS)
        check_real("delta", self.delta, minimum=0.0)
        if self.round_estimators is not None:
            check_integer("round_estimators", self.round_estimators, minimum=1)

    def grow(
        self, encoded: EncodedTable, y: Any, rng: np.random.Generator
    ) -> GrownForest:
        """Run the adversarial rounds on an encoded table; ``y`` is ignored."""
        real = bin_table(
            encoded.values, encoded.schema.split_levels, n_jobs=self.n_jobs
        )
        rules = split_rules(
            real,
            max_features=self.max_features,
            min_leaf=self.min_samples_leaf,
            min_class=(0, self.min_samples_leaf),
        )
        few = min(self.round_estimators or self.n_estimators, self.n_estimators)
        contest = self._contest(real, _resample(real, rng), rules, rng)
        trees, accuracy = self._tell_apart(contest, few, 0)
        self.accuracies_ = [accuracy]
        while accuracy > 0.5 + self.delta and len(self.accuracies_) <= self.max_rounds:
            number = len(self.accuracies_)
            synthetic = self._generate(real, trees, rng)
            harder = self._contest(real, synthetic, rules, rng)
            judge, accuracy = self._tell_apart(harder, few, number)
            self.accuracies_.append(accuracy)
            done = number == self.max_rounds or accuracy >= self.accuracies_[-2]
            if accuracy <= 0.5 + self.delta or done:
                break
            contest, trees = harder, judge
        if few < self.n_estimators:
            trees += self._grow(contest, contest.seeds[few:], None, "growing trees")
        return self._finish(real, trees)

    def put(self, new: NewSection) -> None:
        """Write the accuracies to a model file."""
        new.data["accuracies"] = [float(share) for share in self.accuracies_]

    def take(self, section: Section) -> None:
        """Read the accuracies from a model file."""
        self.accuracies_ = section.values("accuracies")

    def _contest(
        self,
        real: BinnedTable,
        synthetic: NDArray[np.uint16],
        rules: Rules,
        rng: np.random.Generator,
    ) -> Contest:
        """Put real rows against synthetic ones, with the seeds of all trees."""
        return Contest(
            real._replace(bins=np.concatenate([real.bins, synthetic], axis=1)),
            rules._replace(level_rank=_rank_levels(real, synthetic)),
            draw_seeds(rng, self.n_estimators),
        )

    def _tell_apart(
        self, contest: Contest, n_trees: int, number: int
    ) -> tuple[list[Tree], float]:
        """Grow the first trees of real against synthetic rows; out-of-bag accuracy."""
        labels, votes = contest.labels, np.zeros(len(contest.labels), np.int32)
        first = -(-n_trees // 5) if number else n_trees
        trees: list[Tree] = []
        for n_grown in (first, n_trees):
            seeds = contest.seeds[len(trees) : n_grown]
            if len(seeds) == 0:
                break
            trees += self._grow(contest, seeds, votes, f"adversarial round {number}")
            right = np.where(votes == 0, 0.5, (votes > 0) == labels)
            accuracy = float(right.mean())
            # A forest that is this far from telling rows apart will be thrown away,
            # and more trees would only make the verdict clearer.
            if accuracy < 0.5 - SURE * 0.5 / np.sqrt(len(labels)):
                break
        return trees, accuracy

    def _grow(
        self,
        contest: Contest,
        seeds: NDArray[np.uint64],
        votes: Ints | None,
        job: str,
    ) -> list[Tree]:
        """Grow trees that tell real from synthetic rows, and count their votes."""
        n_real, lock = len(contest.labels) // 2, Lock()

        def keep(number: int, tree: Tree, counts: Floats) -> Tree:
            if votes is not None:
                with lock:
                    add_votes(tree.leaf_of, counts, tree.sums, votes)
            return tree._replace(
                sums=np.empty((len(tree.left), 0)),
                leaf_of=tree.leaf_of[:n_real].copy(),
            )

        return grow_trees(
            contest.table,
            Response(contest.labels, CLASSIFY, 2),
            contest.rules,
            keep,
            seeds=seeds,
            bootstrap=True,
            n_jobs=self.n_jobs,
            progress=self._progress(job),
        )

    def _generate(
        self, real: BinnedTable, trees: list[Tree], rng: np.random.Generator
    ) -> NDArray[np.uint16]:
        """As many synthetic rows as there are real ones, from the trees' leaves."""
        n_rows = real.bins.shape[1]
        share = rng.multinomial(n_rows, np.full(len(trees), 1 / len(trees)))
        ends = np.cumsum(share)
        seeds = draw_seeds(rng, len(trees))
        synthetic = np.empty_like(real.bins)

        def work(number: int) -> None:
            tree, end = trees[number], ends[number]
            if share[number]:
                draw_in_leaves(
                    real.bins,
                    tree.leaf_of,
                    len(tree.left),
                    (end - share[number], end),
                    synthetic,
                    seeds[number : number + 1].copy(),
                )

        run_blocks(work, range(len(trees)), n_jobs=self.n_jobs)
        return synthetic

    def _finish(self, real: BinnedTable, trees: list[Tree]) -> GrownForest:
        """Prune the trees, join them, and number the leaves of the real rows."""
        # Many short steps under the GIL: threads would only get in each other's way.
        pruned = [prune_tree(tree, real, self.min_samples_leaf) for tree in trees]
        return join_grown(pruned, real.split_levels, n_jobs=self.n_jobs)


def _resample(table: BinnedTable, rng: np.random.Generator) -> NDArray[np.uint16]:
    """Draw every column independently from its own values."""
    n_rows = table.bins.shape[1]
    rows = [rng.integers(n_rows, size=n_rows) for _ in table.bins]
    return np.stack([table.bins[j][drawn] for j, drawn in enumerate(rows)])


def _rank_levels(real: BinnedTable, synthetic: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Rank the levels of every category by their share of real rows, once for all.

    Orders of their own in every node fit the noise of rare levels: on tables of many
    categories the forest then tells synthetic rows apart that are as good as real.
    """
    most_levels = int(real.split_levels.max()) + 1
    rank = np.tile(np.arange(most_levels), (len(real.n_bins), 1))
    for column in np.flatnonzero(real.split_levels):
        n_codes = int(real.split_levels[column]) + 1
        n_real = np.bincount(real.bins[column], minlength=n_codes)
        n_synthetic = np.bincount(synthetic[column], minlength=n_codes)
        # Ties are broken by level, so that the order is complete.
        order = np.argsort(n_real / np.maximum(n_real + n_synthetic, 1), kind="stable")
        rank[column, order] = np.arange(n_codes)
    return rank
